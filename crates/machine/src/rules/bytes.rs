//! Whether the bytes that mbarrier objects were to expect are those that came, looked at when their CTA ends (9.7.13.15.5).

use crate::code::Source;
use crate::context::{Run, Worker};
use crate::explain::finding::Kind;
use crate::explain::noted::Noted;

/// A CTA of the cluster has ended, and nothing is under way that could tell its mbarrier objects of bytes.
#[cold]
pub(crate) fn left(worker: &Worker, rank: u32, run: &Run<'_>) {
    let cluster = &worker.cluster;
    let mut wrong: Vec<(Source, i32, u32)> = Vec::new();
    for (address, record) in cluster.mbarriers.of_cta(rank) {
        let tx = record.object.tx;
        // Who has only said that bytes will come, at an object that nobody has used, has done no harm.
        let used = record.phases > 0 || record.bytes > 0;
        let by = if tx > 0 { record.expected_by.filter(|_| used) } else { record.brought_by };
        if let (true, Some(at)) = (tx != 0, by) {
            wrong.push((at, tx, address));
        }
    }
    wrong.sort_unstable();
    for (at, tx, address) in wrong {
        let place = cluster.whereabouts(address);
        run.note(Kind::Mbarrier, at, None, || {
            let bytes = tx.unsigned_abs();
            let (message, note) = if tx > 0 {
                (
                    format!("{bytes} bytes that the mbarrier object at {place} expects never come"),
                    "`expect_tx` must say as many bytes as the copies bring that signal the object",
                )
            } else {
                (
                    format!("{bytes} bytes come to the mbarrier object at {place} that it did not expect"),
                    "a phase that expects fewer bytes than come ends too early, and the rest counts for the next",
                )
            };
            Noted { message, notes: vec![note.into()], related: Vec::new() }
        });
    }
}
