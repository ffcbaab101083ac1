//! Functions of registers alone. What is not written here is executed by the interpreter's own function.

mod approximate;
mod arithmetic;
mod avx512;
mod bits;
mod comparison;
mod convert;
mod directed;
mod division;
mod double;
mod extended;
mod extreme;
mod finish;
mod float;
mod half;
mod integer;
mod logic;
mod lookup;
mod mixed;
mod movement;
mod mufu;
mod narrow;
mod packed;
mod permute;
mod polynomial;
mod square;
mod widths;

pub(super) use arithmetic::arithmetic;

use ptxvm_ir::operation::compute::Compute;
use ptxvm_machine::context::Instruction;

use super::Emitter;
use super::block::Guard;

impl Emitter<'_> {
    /// Writes a function of registers; `None` if it is not written here.
    pub(super) fn compute(
        &mut self,
        compute: &Compute,
        instruction: &Instruction,
        guard: &Guard,
    ) -> Option<()> {
        let slots = &instruction.slots;
        match compute {
            Compute::Integer(integer) => self.integer(integer, slots, guard),
            Compute::Logic(logic) => self.logic(logic, slots, guard),
            Compute::Bits(bits) => self.bits(bits, slots, guard),
            Compute::Comparing(comparing) => self.comparing(comparing, slots, guard),
            Compute::Float(float) => self.float(float, slots, guard),
            Compute::Movement(movement) => self.movement(movement, slots, guard),
            Compute::Convert(convert) => self.convert(convert, slots, guard),
            Compute::Approximate(approximate) => self.approximate(approximate, slots, guard),
            Compute::Extended(extended) => self.extended(extended, slots, guard),
            Compute::Mixed(mixed) => self.mixed(mixed, slots, guard),
            Compute::Small(_) | Compute::ConvertPack(_) | Compute::Video(_) => None,
        }
    }
}
