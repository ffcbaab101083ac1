//! One lane's call of a function that the machine provides: what is passed, and where the result goes.

use crate::code::{Actual, Call};
use crate::context::Context;
use crate::registers::LANES;
use crate::vector::value::Value;

/// One lane's call.
pub struct Site<'a> {
    pub call: &'a Call,
    pub frame: u64,
    pub lane: usize,
}

impl Site<'_> {
    /// What is passed for a parameter.
    pub fn argument(&self, context: &Context<'_>, index: usize) -> u64 {
        match self.call.arguments[index] {
            Actual::Slot(slot) => context.bank.lane(slot, self.lane),
            Actual::Frame { offset, size } => {
                let mut bytes = [0; 8];
                let passed = &mut bytes[..size.min(8) as usize];
                context.read_frame(self.lane, self.frame + offset, passed);
                u64::from_le_bytes(bytes)
            }
        }
    }

    /// Gives the result, if the caller wants it.
    pub fn give(&self, context: &mut Context<'_>, value: u64) {
        match self.call.returns.first() {
            Some(Actual::Slot(slot)) => u64::write(&mut context.bank, *slot, 1 << self.lane, &[value; LANES]),
            Some(Actual::Frame { offset, size }) => {
                let bytes = value.to_le_bytes();
                let wanted = &bytes[..(*size).min(8) as usize];
                context.write_frame(self.lane, self.frame + offset, wanted);
            }
            None => {}
        }
    }
}
