//! What holds only as long as sums of 32 bits do not wrap from one lane to the next.
//!
//! Addresses are 64 bits wide, and mostly come of an index of 32: they grow from lane to lane by the same step unless the
//! index passes the largest number within the warp. Code looks when it makes one of the other, and leaves if that is so; but
//! what the interpreter has made may be entered with later. So code that is entered looks at what depends on such a promise.

use ptxvm_ir::flow::{Origin, Values};
use ptxvm_ir::operation::Operation;
use ptxvm_ir::operation::compute::{Compute, IntegerFunction};
use ptxvm_ir::{Function, Program};

use super::id::HomeId;
use super::shape::Shape;

/// What the shape of a home depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Promise {
    /// Nothing.
    Sure,
    /// That what one instruction widens does not wrap: then it is as it should be in all lanes if it is in the last.
    One(u32),
    /// That several do not.
    Several,
}

impl Promise {
    fn and(self, other: Self) -> Self {
        match (self, other) {
            (Self::Sure, promise) | (promise, Self::Sure) => promise,
            _ if self == other => self,
            _ => Self::Several,
        }
    }
}

/// By home: what its shape depends on.
pub fn promises(
    program: &Program,
    function: &Function,
    values: &Values,
    homes: &[HomeId],
    shapes: &[Shape],
) -> Vec<Promise> {
    let mut promises = vec![Promise::Sure; homes.len()];
    let home = |value: u32| homes[value as usize].0 as usize;
    loop {
        let mut changed = false;
        for (value, described) in (0u32..).zip(&values.values) {
            let Origin::Instruction(at) = described.origin else { continue };
            if shapes[home(value)] == Shape::Varying {
                continue;
            }
            let mut promise = promises[home(value)];
            for read in values.reads(at) {
                let shape = shapes[home(read.0)];
                if shape != Shape::Varying {
                    promise = promise.and(promises[home(read.0)]);
                }
                if !matches!(shape, Shape::Varying | Shape::Uniform) && widens(program, function, at) {
                    promise = promise.and(Promise::One(at));
                }
            }
            changed |= promise != promises[home(value)];
            promises[home(value)] = promise;
        }
        if !changed {
            break;
        }
    }
    // Where lanes may part that should not, nothing is sure.
    let decides = |block: &ptxvm_ir::Block| {
        block.last().is_some_and(|last| {
            let reads = values.reads(last).iter().map(|read| home(read.0));
            reads.into_iter().any(|home| shapes[home] == Shape::Uniform && promises[home] != Promise::Sure)
        })
    };
    if function.blocks.iter().any(decides) {
        promises.fill(Promise::Several);
    }
    promises
}

/// Whether an instruction makes 64 bits of 32.
fn widens(program: &Program, function: &Function, at: u32) -> bool {
    match program.operation(&function.instructions[at as usize]) {
        Some(Operation::Compute(Compute::Integer(integer))) => {
            matches!(integer.function, IntegerFunction::MulWide | IntegerFunction::MadWide)
        }
        Some(Operation::Compute(Compute::Convert(convert))) => convert.to.bits() > convert.from.bits(),
        _ => false,
    }
}
