//! Fetching what the warps after this one will load, while this one runs.
//!
//! Where each thread of a grid loads its own element of an array, warps of CTAs in one dimension go through memory one row
//! after another. The processor notices that, but stops at the end of each of its pages, and more rows are under way if
//! they are asked for.

use ptxvm_ir::operation::AddressSpace;

use super::Emitter;
use super::access::Access;
use super::writer::LANES;

/// How far ahead, in bytes: four rows of 32-bit words. Of 512 to 8192 the least was the best for a sum of two vectors, by a
/// tenth of its time.
const AHEAD: i64 = 512;

/// The bytes that a processor fetches at once.
const CACHE_LINE: u64 = 64;

impl Emitter<'_> {
    /// Asks for the memory some rows beyond the row that lanes load side by side. In a loop the next round is likely to
    /// load something else, which the processor knows better. A place that is nobody's is not fetched, and does no harm.
    pub(super) fn look_ahead(&mut self, host: &str, access: &Access) {
        let in_a_line = matches!(self.analysis.cta, [_, 1, 1]);
        let in_memory = matches!(access.space, AddressSpace::Global | AddressSpace::Generic);
        if access.writes
            || !in_a_line
            || !in_memory
            || self.analysis.repeats(self.block)
            || self.called.is_some()
        {
            return;
        }
        self.writer.declare("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)");
        let lines = (access.bytes * LANES as u64).div_ceil(CACHE_LINE);
        for line in 0..lines {
            let at = self.beyond(host, AHEAD + (line * CACHE_LINE) as i64);
            self.writer.line(format!("call void @llvm.prefetch.p0(ptr {at}, i32 0, i32 3, i32 1)"));
        }
    }
}
