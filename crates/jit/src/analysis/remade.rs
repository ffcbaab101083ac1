//! Values that can be made again where a warp enters: they depend on the thread's place, on the size of the grid and on
//! parameters alone, by a few instructions. To load them would take as long, and the compiler would know nothing of them.

use ptxvm_ir::flow::{Origin, ValueId, Values, read_by};
use ptxvm_ir::operation::compute::{Compute, Movement};
use ptxvm_ir::operation::{Access, Generic, Operation, SpecialRegister};
use ptxvm_ir::{Block, Function, OperandKind, Program, Terminator};
use ptxvm_isa::Kind;

use super::id::HomeId;
use super::late::Late;
use super::shape::Shape;

/// A value of more instructions is loaded.
const MOST: u32 = 12;

/// A value that differs between lanes anyhow is loaded as fast as it is made of so many.
const MOST_VARYING: u32 = 2;

/// By home: the value that it has, if it has one only and that can be made again.
pub fn remade(
    program: &Program,
    function: &Function,
    values: &Values,
    late: &Late,
    homes: &[HomeId],
    shapes: &[Shape],
) -> Vec<Option<ValueId>> {
    let mut alone = vec![0u32; homes.len()];
    homes.iter().for_each(|home| alone[home.0 as usize] += 1);
    let mut finder = Finder { program, function, values, late, costs: vec![None; values.values.len()] };
    let mut remade = vec![None; homes.len()];
    for (value, home) in (0..).map(ValueId).zip(homes) {
        let most = if shapes[home.0 as usize] == Shape::Varying { MOST_VARYING } else { MOST };
        if function.entry && alone[home.0 as usize] == 1 && finder.cost(value, MOST) <= most {
            remade[home.0 as usize] = Some(value);
        }
    }
    remade
}

/// By block: whether the number of a thread in its CTA alone says which way it goes at the end.
pub fn splits(program: &Program, function: &Function, values: &Values, late: &Late) -> Vec<bool> {
    let mut finder = Finder { program, function, values, late, costs: vec![None; values.values.len()] };
    let splits = |block: &Block| {
        let is_branch = matches!(block.terminator, Terminator::Branch { next: Some(_), .. });
        let guard = block.last().filter(|_| is_branch).and_then(|last| values.reads(last).first());
        let Some(Origin::Instruction(at)) = guard.map(|guard| values.values[guard.0 as usize].origin) else {
            return false;
        };
        let compares = matches!(
            program.operation(&function.instructions[at as usize]),
            Some(Operation::Compute(Compute::Comparing(_)))
        );
        let reads = values.reads(at);
        compares && !reads.is_empty() && reads.iter().all(|read| finder.is_of_thread(*read, MOST))
    };
    function.blocks.iter().map(splits).collect()
}

struct Finder<'a> {
    program: &'a Program,
    function: &'a Function,
    values: &'a Values,
    late: &'a Late,
    /// By value: how many instructions make it, as far as that is known.
    costs: Vec<Option<u32>>,
}

impl Finder<'_> {
    /// How many instructions make a value; the most that there is if it cannot be made again, or not by so few.
    fn cost(&mut self, value: ValueId, most: u32) -> u32 {
        if let Some(known) = self.costs[value.0 as usize] {
            return known;
        }
        let described = &self.values.values[value.0 as usize];
        let Origin::Instruction(at) = described.origin else { return u32::MAX };
        if most == 0
            || self.late.has(described.register)
            || !self.is_pure(at)
            || self.values.writes(at) != [value]
        {
            return u32::MAX;
        }
        let mut cost = 1u32;
        for read in self.values.reads(at) {
            cost = cost.saturating_add(self.cost(*read, most - 1));
        }
        // What is found too deep from here may not be from elsewhere.
        if cost <= MOST {
            self.costs[value.0 as usize] = Some(cost);
        }
        cost
    }

    /// Whether a value is made of the number of the thread in its CTA and constants alone, by few instructions.
    fn is_of_thread(&mut self, value: ValueId, most: u32) -> bool {
        let Origin::Instruction(at) = self.values.values[value.0 as usize].origin else { return false };
        let instruction = &self.function.instructions[at as usize];
        let elsewhere = |kind: OperandKind| match kind {
            OperandKind::Special { sreg, .. } => {
                matches!(SpecialRegister::of(sreg), SpecialRegister::Ctaid | SpecialRegister::Nctaid)
            }
            _ => false,
        };
        let computes = matches!(self.program.operation(instruction), Some(Operation::Compute(_)));
        most > 0
            && self.cost(value, most) <= MOST
            && computes
            && !self.function.operands_of(instruction).iter().any(|operand| elsewhere(operand.kind))
            && self.values.reads(at).iter().all(|read| self.is_of_thread(*read, most - 1))
    }

    /// Whether an instruction gives the same whenever it is executed, for the same sources.
    fn is_pure(&self, at: u32) -> bool {
        let instruction = &self.function.instructions[at as usize];
        let mut sources = self.function.operands_of(instruction).iter().filter(|operand| !operand.written);
        let stays = |kind: OperandKind| match kind {
            OperandKind::Special { sreg, .. } => is_place(SpecialRegister::of(sreg)),
            _ => true,
        };
        let Some(operation) = self.program.operation(instruction).filter(|_| instruction.guard.is_none())
        else {
            return false;
        };
        let computes = match operation {
            Operation::Compute(
                Compute::Integer(_) | Compute::Logic(_) | Compute::Movement(Movement::Copy { .. }),
            ) => true,
            Operation::Compute(Compute::Convert(convert)) => {
                let whole = |kind: Kind| matches!(kind, Kind::Signed | Kind::Unsigned);
                whole(convert.to.kind()) && whole(convert.from.kind())
            }
            Operation::Generic(Generic::From(_) | Generic::To(_))
            | Operation::Access(Access::LoadParameter(_)) => true,
            _ => false,
        };
        computes && sources.all(|operand| read_by(operand).is_some() || stays(operand.kind))
    }
}

/// Whether a special register says where a thread is, and how many there are.
fn is_place(register: SpecialRegister) -> bool {
    use SpecialRegister as R;
    matches!(register, R::Tid | R::Ntid | R::Ctaid | R::Nctaid | R::Laneid)
}
