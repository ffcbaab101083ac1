//! Device memory that another process maps as well: whole pages of the range become pages of a file without a name.
//!
//! Small allocations share pages, so that whoever maps one can read its neighbours; with the driver it is the same.

use std::io;
use std::sync::Arc;

use crate::export::Export;
use crate::global::GlobalMemory;
use crate::range::PAGE;

impl GlobalMemory {
    /// The pages that hold the allocation that starts at an address, as a file; the same one for the same pages. What is
    /// written to them meanwhile may be lost, so the caller lets kernels and copies end first.
    ///
    /// # Errors
    /// None starts there, or the system cannot make such a file.
    pub fn export(&self, address: u64) -> io::Result<Export> {
        let mut state = self.write_state();
        let number = self.directory.number(address);
        let live = number.and_then(|number| state.table.get(number)).map(|live| &live.allocation);
        let Some(live) = live.filter(|live| live.start == address && live.size > 0) else {
            return Err(io::ErrorKind::NotFound.into());
        };
        let page = |address: u64| (address - self.range.start()) / PAGE;
        let (first, last) = (page(live.start), page(live.start + live.size - 1));
        let (start, bytes) = (self.range.start() + first * PAGE, (last - first + 1) * PAGE);
        let holds = |export: &&Export| export.start <= start && start + bytes <= export.start + export.bytes;
        if let Some(known) = state.exports.iter().find(holds) {
            return Ok(known.clone());
        }
        let file = Arc::new(self.range.export(first as u32, (last - first + 1) as u32)?);
        // Pages that were part of another file before are not any more.
        state.exports.retain(|export| export.start + export.bytes <= start || start + bytes <= export.start);
        let export = Export { file, start, bytes };
        state.exports.push(export.clone());
        Ok(export)
    }
}
