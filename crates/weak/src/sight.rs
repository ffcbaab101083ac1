//! Which writes of a history a thread must see.

use ptxvm_order::Reader;

use crate::history::{Record, Seen};

/// Whether a reader sees a write or a later one. What its thread saw by a weak read, or with too narrow a scope, binds it to
/// nothing (8.10.5). A weak read is bound all the same: no GPU is known on which two of them go back.
pub fn must_see(reader: &Reader, record: &Record) -> bool {
    let is_weak = !reader.actor.site.is_strong();
    let binds = |seen: &Seen| (seen.strong && reader.knows(&seen.by)) || (is_weak && reader.is_own(&seen.by));
    reader.knows(&record.event) || record.seen.iter().any(binds)
}

/// Whether a write of a thread comes after another, or after a read of the thread's that has seen it.
pub fn is_after(writer: &Reader, record: &Record) -> bool {
    must_see(writer, record) || record.seen.iter().any(|seen| writer.is_own(&seen.by))
}
