//! Reads that saw an older write, in launches with a weak memory. Each is reported once for each pair of places in the
//! process.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{LazyLock, Mutex, PoisonError};

use ptxvm_report::stale as shown;
use ptxvm_vm::{Kernel, LaunchOptions};

use super::excerpt::Excerpt;
use super::failure::tell;

/// What has been told: a module by the digest of its text, where it reads and where it writes.
type Told = HashSet<(u64, u32, u32)>;

static TOLD: LazyLock<Mutex<Told>> = LazyLock::new(Mutex::default);

/// Tells of those of a launch that are new.
pub fn stale(kernel: &Kernel, launch: &LaunchOptions, failed: bool) {
    let Some(stale) = &launch.stale else { return };
    let mut module = DefaultHasher::new();
    kernel.module().source().hash(&mut module);
    for mut stale in shown::worth_showing(stale.take(), failed) {
        let key = (module.finish(), stale.read.span.start, stale.missed.span.start);
        if !TOLD.lock().unwrap_or_else(PoisonError::into_inner).insert(key) {
            continue;
        }
        let excerpt = Excerpt::of(kernel.module(), stale.read.span);
        stale.change_spans(|span| excerpt.inside(span).unwrap_or_default());
        let (report, seed) = (excerpt.report(), launch.settings.seed);
        let object = shown::object(&report, &stale, seed);
        tell(shown::message(&report, &stale, seed), &report, object, kernel, launch);
    }
}
