//! Reads that are guesses: what a weak load found is what an `atom.cas` of the same place expects there.
//!
//! Atomic operations that PTX does not have are written so, in NVIDIA's programming guide as in what LLVM makes of
//! `atomicrmw`: a plain load, then `atom.cas` until nobody was faster. If the load saw something old, the first `atom.cas`
//! fails and tells what is there.

use ptxvm_ir::flow::{Dominators, Graph, Origin, ValueId, Values, read_by};
use ptxvm_ir::operation::Operation;
use ptxvm_ir::operation::access::{Access, AtomicFunction};
use ptxvm_ir::{Base, Function, Instruction, OperandKind, Program, VariableId};

/// More looks than this are not worth it: of the other instructions nothing is known.
const MOST: usize = 1 << 24;

/// So many steps back an address is followed: compilers make it in a few.
const LONGEST: usize = 256;

/// What an address is made from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Root {
    Value(ValueId),
    Variable(VariableId),
}

/// The instructions of a function that are such loads, by their numbers.
pub fn guesses(program: &Program, function: &Function) -> Vec<u32> {
    let numbered = || (0u32..).zip(&function.instructions);
    let is_cas = |instruction: &Instruction| match program.operation(instruction) {
        Some(Operation::Access(Access::Atomic(atomic))) => atomic.function == AtomicFunction::Cas,
        _ => false,
    };
    if !function.instructions.iter().any(is_cas) {
        return Vec::new();
    }
    let graph = Graph::of(function);
    let Some(values) = Values::of(program, function, &graph, &Dominators::of(&graph)) else {
        return Vec::new();
    };
    let looked_at = Looked { program, function, values };
    let mut seen = vec![u32::MAX; looked_at.values.values.len()];
    let (mut left, mut found) = (MOST, Vec::new());
    for (at, _) in numbered().filter(|(_, instruction)| is_cas(instruction)) {
        if let (Some(root), Some(expected)) = (looked_at.root_of_address(at), looked_at.expected(at)) {
            looked_at.go_back((at, root, expected), &mut seen, &mut left, &mut found);
        }
    }
    found
}

/// A function whose values are known.
struct Looked<'a> {
    program: &'a Program,
    function: &'a Function,
    values: Values,
}

impl Looked<'_> {
    fn instruction(&self, at: u32) -> Option<&Instruction> {
        self.function.instructions.get(at as usize)
    }

    /// The value that an instruction reads in a register.
    fn read(&self, at: u32, operand: &ptxvm_ir::Operand) -> Option<ValueId> {
        let register = read_by(operand)?;
        let place = self.function.reads(self.instruction(at)?).position(|read| read == register)?;
        self.values.reads(at).get(place).copied()
    }

    /// What the address of an access is made from.
    fn root_of_address(&self, at: u32) -> Option<Root> {
        let operands = self.function.operands_of(self.instruction(at)?);
        operands.iter().find_map(|operand| match operand.kind {
            OperandKind::Address { base: Base::Variable(variable), .. } => Some(Root::Variable(variable)),
            OperandKind::Address { base: Base::Register(_), .. } => {
                self.read(at, operand).map(|value| self.root(value))
            }
            _ => None,
        })
    }

    /// Goes back through what is made of one value alone: copies, conversions, sums with constants.
    fn root(&self, value: ValueId) -> Root {
        let mut value = value;
        for _ in 0..LONGEST {
            let Origin::Instruction(at) = self.values.values[value.0 as usize].origin else { break };
            let Some(instruction) = self.instruction(at) else { break };
            if !matches!(
                self.program.operation(instruction),
                Some(Operation::Compute(_) | Operation::Generic(_))
            ) {
                break;
            }
            let operands = self.function.operands_of(instruction);
            match (self.values.reads(at), operands) {
                (&[one], _) => value = one,
                ([], [_, source]) => match source.kind {
                    OperandKind::Variable { variable, .. } => return Root::Variable(variable),
                    _ => break,
                },
                _ => break,
            }
        }
        Root::Value(value)
    }

    /// What an `atom.cas` expects to find: its first operand after the address.
    fn expected(&self, at: u32) -> Option<ValueId> {
        let operands = self.function.operands_of(self.instruction(at)?);
        let address = operands.iter().position(|one| matches!(one.kind, OperandKind::Address { .. }))?;
        self.read(at, operands.get(address + 1)?)
    }

    /// Goes back from what an `atom.cas` expects through what it is computed from, and adds the weak loads of its place.
    fn go_back(
        &self,
        (swap, root, expected): (u32, Root, ValueId),
        seen: &mut [u32],
        left: &mut usize,
        found: &mut Vec<u32>,
    ) {
        let mut open = vec![expected];
        while let Some(value) = open.pop() {
            if std::mem::replace(&mut seen[value.0 as usize], swap) == swap {
                continue;
            }
            let origin = self.values.values[value.0 as usize].origin;
            let from = match origin {
                Origin::Unset => &[],
                Origin::Join { .. } => self.values.sources(origin),
                Origin::Instruction(at) => {
                    match self.instruction(at).map(|one| self.program.operation(one)) {
                        Some(Some(Operation::Compute(_))) => self.values.reads(at),
                        Some(Some(Operation::Access(Access::Load(words))))
                            if !words.order.is_strong()
                                && !words.constant
                                && self.root_of_address(at) == Some(root) =>
                        {
                            found.push(at);
                            &[]
                        }
                        _ => &[],
                    }
                }
            };
            let Some(rest) = left.checked_sub(1 + from.len()) else { return };
            *left = rest;
            open.extend(from);
        }
    }
}
