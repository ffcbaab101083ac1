//! Accesses of the CTA's shared memory at addresses without a pattern, as offsets of 32 bits.

use ptxvm_ir::operation::AddressSpace;
use ptxvm_machine::schedule::compiled::offset;

use super::Emitter;
use super::access::{Access, Place};
use super::value::Value;
use super::writer::LANES;

impl Emitter<'_> {
    /// Checks every lane's address for itself.
    pub(super) fn each_within_shared(&mut self, at: &Value, align: u64, access: &Access) -> Place {
        let bits = at.bits;
        let limit = self.shared_limit(access.reach.bytes, align);
        let mut offsets = at.lanes(&mut self.writer);
        if access.space == AddressSpace::Shared {
            let first = self.of_frame("i64", offset::SHARED_FIRST);
            let first = self.writer.cast("trunc", 64, &first, bits);
            let first = self.writer.splat(bits, &first);
            offsets = self.writer.value(format!("sub <{LANES} x i{bits}> {offsets}, {first}"));
        }
        let limit = self.writer.cast("trunc", 64, &limit, bits);
        let lowest = self.lowered_lanes(bits, &offsets, access.reach.below);
        let wrong = self.some_beyond(bits, (&lowest, "0"), &limit, align, access);
        self.leave_if(&wrong);
        if bits == 64 {
            offsets = self.writer.value(format!("trunc <{LANES} x i64> {offsets} to <{LANES} x i32>"));
        }
        Place::From(self.of_frame("ptr", offset::SHARED), offsets)
    }
}
