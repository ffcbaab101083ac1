//! The addresses among an instruction's operands: what each lane has there.

pub use ptxvm_ir::operation::Address;

use crate::context::Context;
use crate::ops::load_store::addresses;
use crate::registers::{LANES, Slot};

impl Context<'_> {
    /// Each lane's address.
    #[must_use]
    pub fn addresses(&self, of: Address, slots: &[Slot]) -> [u64; LANES] {
        addresses(self, slots[of.operand], of.offset)
    }
}
