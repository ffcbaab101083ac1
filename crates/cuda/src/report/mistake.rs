//! Mistakes after which a kernel went on. Each is reported once for each place in the process, however often its kernel is
//! launched.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{LazyLock, Mutex, PoisonError};

use ptxvm_report::finding;
use ptxvm_vm::{Kernel, LaunchOptions, Mistake};
use serde_json::json;

use super::excerpt::Excerpt;
use super::failure::tell;
use super::record;

/// What has been told: a module by the digest of its text, a kernel of it, a kind, and where the text has it.
type Told = HashSet<(u64, String, &'static str, u32)>;

static TOLD: LazyLock<Mutex<Told>> = LazyLock::new(Mutex::default);

/// Tells of those of a launch that are new.
pub fn mistakes(kernel: &Kernel, launch: &LaunchOptions) {
    let Some(mistakes) = &launch.mistakes else { return };
    for Mistake { finding: found, count } in mistakes.take() {
        let span = found.place.as_ref().map(|place| place.span).unwrap_or_default();
        let mut module = DefaultHasher::new();
        kernel.module().source().hash(&mut module);
        let key = (module.finish(), kernel.name().to_owned(), found.kind.name(), span.start);
        if !TOLD.lock().unwrap_or_else(PoisonError::into_inner).insert(key) {
            record::append(&json!({ "kind": "repeated", "count": count }));
            continue;
        }
        let excerpt = Excerpt::of(kernel.module(), span);
        let (mistake, report) = (Mistake { finding: excerpt.finding(&found), count }, excerpt.report());
        let object = finding::mistake_object(&report, &mistake, launch.settings.seed);
        tell(finding::mistake(&mistake, launch.settings.seed), &report, object, kernel, launch);
    }
}
