//! Races that launches have found. Each is reported once for each pair of places in the process.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash, Hasher};
use std::sync::{LazyLock, Mutex, Once, PoisonError};

use ptxvm_report::race as shown;
use ptxvm_vm::{Kernel, LaunchOptions};

use super::excerpt::Excerpt;
use super::failure::tell;

/// What has been told: a module by the digest of its text, and the two places.
type Told = HashSet<(u64, u32, u32)>;

static TOLD: LazyLock<Mutex<Told>> = LazyLock::new(Mutex::default);

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
    let mut module = DefaultHasher::new();
    kernel.module().source().hash(&mut module);
    for mut race in races.take() {
        let spans = [race.first.accessed.span.start, race.second.accessed.span.start];
        let key = (module.finish(), spans[0].min(spans[1]), spans[0].max(spans[1]));
        let mut told = TOLD.lock().unwrap_or_else(PoisonError::into_inner);
        if told.len() >= launch.settings.check_limit as usize || !told.insert(key) {
            continue;
        }
        drop(told);
        let name = kernel.place_name(race.space, race.address);
        let excerpt = Excerpt::of(kernel.module(), race.second.accessed.span);
        race.change_spans(|span| excerpt.inside(span).unwrap_or_default());
        let report = excerpt.report();
        let object = shown::object(&report, &race, (kernel.name(), name.as_deref()));
        tell(shown::message(&report, &race, name.as_deref()), &report, object, kernel, launch);
    }
}
