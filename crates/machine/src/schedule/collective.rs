//! Instructions that lanes execute together: which one a block has, and whether two blocks have the same one.

use ptxvm_ir::FormId;

use crate::context::{Code, Instruction};
use crate::registers::Slot;

/// The instruction of a block for which its lanes come together.
pub struct Meeting<'a> {
    /// Its number in the block: what the linker has put before it, each lane does for itself.
    pub number: u32,
    pub instruction: &'a Instruction,
}

impl<'a> Meeting<'a> {
    pub fn of(block: u32, code: &'a Code) -> Option<Self> {
        let block = &code.blocks[block as usize];
        let instructions = &code.instructions[block.start as usize..block.end as usize];
        let number = instructions.iter().position(|i| i.class.is_some())?;
        Some(Self { number: number as u32, instruction: &instructions[number] })
    }
}

/// The row and modifiers of the instruction at which the lanes of a block come together.
fn form(block: u32, code: &Code) -> FormId {
    let source =
        Meeting::of(block, code).map_or(code.blocks[block as usize].source, |m| m.instruction.source);
    code.program.functions[source.function.0 as usize].instructions[source.instruction as usize].form
}

/// Whether lanes that wait for each other at two blocks may be let go: not if both name their lanes and their
/// instructions differ. Where one is for the whole warp, it says itself what is wrong.
pub fn may_meet(a: u32, b: u32, code: &Code) -> bool {
    !names_lanes(a, code) || !names_lanes(b, code) || form(a, code) == form(b, code)
}

/// Whether the instruction at which the lanes of a block come together has a mask of them.
fn names_lanes(block: u32, code: &Code) -> bool {
    code.blocks[block as usize].converge.is_some_and(|converge| converge.members.is_some())
}

/// Whether lanes at two blocks execute one operation together: at the same block, or at instructions that name their
/// lanes, are of the same form and have operands of the same shape.
pub fn is_one(a: u32, b: u32, code: &Code) -> bool {
    let shape = |slot: &Slot| (slot.size(), slot.flags & !Slot::CONSTANT);
    let alike = |a: &Meeting<'_>, b: &Meeting<'_>| {
        a.instruction.slots.iter().map(shape).eq(b.instruction.slots.iter().map(shape))
    };
    a == b
        || names_lanes(a, code)
            && names_lanes(b, code)
            && form(a, code) == form(b, code)
            && Meeting::of(a, code).zip(Meeting::of(b, code)).is_some_and(|(a, b)| alike(&a, &b))
}
