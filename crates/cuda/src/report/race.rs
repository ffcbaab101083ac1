//! Races that launches have found. Each is reported once for each pair of places in the process.

use std::sync::Once;

use ptxvm_report::race as shown;
use ptxvm_vm::{Kernel, LaunchOptions};

use super::excerpt::Excerpt;
use super::failure::{tell, tell_unless_suppressed};
use super::told::Told;

/// Where both begin.
static TOLD: Told<[u32; 2]> = Told::new();

/// Tells of those of a launch that are new.
pub fn races(kernel: &Kernel, launch: &LaunchOptions) {
    let Some(races) = &launch.races else { return };
    static INCOMPLETE: Once = Once::new();
    if races.are_incomplete() {
        INCOMPLETE.call_once(|| {
            let (message, object) = shown::incomplete();
            let excerpt = Excerpt::of(kernel.module(), Default::default());
            tell(message, &excerpt.report(), object, kernel, launch);
        });
    }
    for mut race in races.take() {
        let mut places = [race.first.accessed.span.start, race.second.accessed.span.start];
        places.sort_unstable();
        if !TOLD.is_new(kernel, places, launch.settings.check_limit as usize) {
            continue;
        }
        let name = kernel.place_name(race.space, race.address);
        let excerpt = Excerpt::of(kernel.module(), race.second.accessed.span);
        race.change_spans(|span| excerpt.inside(span).unwrap_or_default());
        let report = excerpt.report();
        let object = shown::object(&report, &race, (kernel.name(), name.as_deref()));
        tell_unless_suppressed(
            shown::message(&report, &race, name.as_deref()),
            &report,
            object,
            kernel,
            launch,
        );
    }
}
