//! Mistakes after which a kernel went on. Each is reported once for each place in the process, however often its kernel is
//! launched.

use ptxvm_report::finding;
use ptxvm_vm::{Kernel, LaunchOptions, Mistake};
use serde_json::json;

use super::excerpt::Excerpt;
use super::failure::tell_unless_suppressed;
use super::record;
use super::told::Told;

/// The kernel, what was wrong, and where.
pub(super) static TOLD: Told<(String, &'static str, u32)> = Told::new();

/// Tells of those of a launch that are new.
pub fn mistakes(kernel: &Kernel, launch: &LaunchOptions) {
    let Some(mistakes) = &launch.mistakes else { return };
    for Mistake { finding: found, count } in mistakes.take() {
        let span = found.place.as_ref().map(|place| place.span).unwrap_or_default();
        let key = (kernel.name().to_owned(), found.kind.name(), span.start);
        if !TOLD.is_new(kernel, key) {
            record::append(&json!({ "kind": "repeated", "count": count }));
            continue;
        }
        let excerpt = Excerpt::of(kernel.module(), span);
        let (mistake, report) = (Mistake { finding: excerpt.finding(&found), count }, excerpt.report());
        let object = finding::mistake_object(&report, &mistake, launch.settings.seed);
        tell_unless_suppressed(
            finding::mistake(&mistake, launch.settings.seed),
            &report,
            object,
            kernel,
            launch,
        );
    }
}
