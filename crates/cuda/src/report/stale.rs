//! Reads that saw an older write, in launches with a weak memory. Each is reported once for each pair of places in the
//! process.

use ptxvm_report::stale as shown;
use ptxvm_vm::{Kernel, LaunchOptions};

use super::excerpt::Excerpt;
use super::failure::tell;
use super::told::Told;

/// Where it reads, and where is written what it missed.
pub(super) static TOLD: Told<[u32; 2]> = Told::new();

/// Tells of those of a launch that are new.
pub fn stale(kernel: &Kernel, launch: &LaunchOptions, failed: bool) {
    let Some(stale) = &launch.stale else { return };
    for mut stale in shown::worth_showing(stale.take(), failed) {
        if !TOLD.is_new(kernel, [stale.read.span.start, stale.missed.span.start]) {
            continue;
        }
        let excerpt = Excerpt::of(kernel.module(), stale.read.span);
        stale.change_spans(|span| excerpt.inside(span).unwrap_or_default());
        let (report, seed) = (excerpt.report(), launch.settings.seed);
        let object = shown::object(&report, &stale, seed);
        tell(shown::message(&report, &stale, seed), &report, object, kernel, launch);
    }
}
