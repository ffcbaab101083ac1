//! Reads that are guesses: what a weak load found is what an `atom.cas` of the same place expects there.
//!
//! Atomic operations that PTX does not have are written so, in NVIDIA's programming guide as in what LLVM makes of
//! `atomicrmw`: a plain load, then `atom.cas` until nobody was faster. If the load saw something old, the first `atom.cas`
//! fails and tells what is there.

use ptxvm_ir::flow::{Dominators, Graph, Origin, ValueId, Values, read_by};
use ptxvm_ir::operation::Operation;
use ptxvm_ir::operation::access::{Access, AtomicFunction};
use ptxvm_ir::{Base, Function, Instruction, OperandKind, Program, VariableId};

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
    let swaps: Vec<(Root, ValueId)> = numbered()
        .filter(|(_, instruction)| is_cas(instruction))
        .filter_map(|(at, _)| Some((looked_at.root_of_address(at)?, looked_at.expected(at)?)))
        .collect();
    let is_guess = |at: u32| {
        let root = looked_at.root_of_address(at);
        let expected: Vec<ValueId> =
            swaps.iter().filter(|(of, _)| Some(*of) == root).map(|(_, value)| *value).collect();
        !expected.is_empty() && looked_at.leads_to(at, &expected)
    };
    let is_weak_load = |instruction: &Instruction| match program.operation(instruction) {
        Some(Operation::Access(Access::Load(words))) => !words.order.is_strong() && !words.constant,
        _ => false,
    };
    numbered()
        .filter(|(at, instruction)| is_weak_load(instruction) && is_guess(*at))
        .map(|(at, _)| at)
        .collect()
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
        while let Origin::Instruction(at) = self.values.values[value.0 as usize].origin {
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

    /// Whether one of some values is computed from what an instruction writes.
    fn leads_to(&self, at: u32, wanted: &[ValueId]) -> bool {
        let mut from = vec![false; self.values.values.len()];
        self.values.writes(at).iter().for_each(|value| from[value.0 as usize] = true);
        loop {
            let mut grew = false;
            for value in 0..from.len() {
                let is_from = |source: &ValueId| from[source.0 as usize];
                let new = !from[value]
                    && match self.values.values[value].origin {
                        Origin::Unset => false,
                        origin @ Origin::Join { .. } => self.values.sources(origin).iter().any(is_from),
                        Origin::Instruction(at) => {
                            let computes = self.instruction(at).is_some_and(|instruction| {
                                matches!(self.program.operation(instruction), Some(Operation::Compute(_)))
                            });
                            computes && self.values.reads(at).iter().any(is_from)
                        }
                    };
                from[value] |= new;
                grew |= new;
            }
            if !grew {
                return wanted.iter().any(|value| from[value.0 as usize]);
            }
        }
    }
}
