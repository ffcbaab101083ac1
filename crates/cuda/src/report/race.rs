//! Races that launches have found. Each is reported once for each pair of places in the process.

use std::sync::Once;

use ptxvm_report::{finding, meeting as host, race as shown};
use ptxvm_vm::{Elsewhere, Kernel, LaunchOptions, Meeting, Race, Space};

use super::excerpt::Excerpt;
use super::failure::{tell, tell_unless_suppressed};
use super::told::Told;

/// Where both begin.
pub(super) static TOLD: Told<[u32; 2]> = Told::new();

/// Tells of those of a launch that are new, and whether more was found than is told.
pub fn races(kernel: &Kernel, launch: &LaunchOptions) {
    if launch.has_left_out() {
        tell_left_out(kernel, launch);
    }
    let Some(races) = &launch.races else { return };
    static INCOMPLETE: Once = Once::new();
    if races.are_incomplete() {
        INCOMPLETE.call_once(|| {
            let (message, object) = shown::incomplete();
            let excerpt = Excerpt::of(kernel.module(), Default::default());
            tell(message, &excerpt.report(), object, kernel, launch);
        });
    }
    races.take().into_iter().for_each(|race| tell_race(race, None, kernel, launch));
}

/// Whether a pair of places is new and is to be told: in a process no more are than `--check-limit` allows.
fn is_to_be_told(kernel: &Kernel, places: [u32; 2], launch: &LaunchOptions) -> bool {
    let is_new = TOLD.is_new_among(kernel, places, launch.settings.check_limit as usize);
    if is_new.is_none() {
        tell_left_out(kernel, launch);
    }
    is_new == Some(true)
}

/// Tells once in a process that there are more findings than are told.
fn tell_left_out(kernel: &Kernel, launch: &LaunchOptions) {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let (message, object) = finding::left_out(launch.settings.check_limit);
        let excerpt = Excerpt::of(kernel.module(), Default::default());
        tell(message, &excerpt.report(), object, kernel, launch);
    });
}

/// Tells of the races of a launch with that of another kernel before it, which both have ended.
pub fn races_between(before: &Kernel, kernel: &Kernel, launch: &LaunchOptions, races: Vec<Race>) {
    races.into_iter().for_each(|race| tell_race(race, Some(before), kernel, launch));
}

/// Tells where a launch and a copy or fill of the host's touched the same bytes, and nothing orders the two.
pub fn meetings_with_the_host(kernel: &Kernel, launch: &LaunchOptions, what: &str, meetings: Vec<Meeting>) {
    for mut meeting in meetings {
        let place = meeting.part.accessed.span;
        // Nothing of a text is at the end of all texts, so that a place stands for the host's part.
        if !is_to_be_told(kernel, [place.start, u32::MAX], launch) {
            continue;
        }
        let name = kernel.place_name(Space::Global, meeting.address);
        let excerpt = Excerpt::of(kernel.module(), place);
        meeting.part.accessed.span = excerpt.inside(place).unwrap_or_default();
        let (report, name) = (excerpt.report(), name.as_deref());
        let object = host::object(&report, &meeting, (kernel.name(), what), name);
        tell_unless_suppressed(
            host::message(&meeting, kernel.name(), what, name),
            &report,
            object,
            kernel,
            launch,
        );
    }
}

/// Tells of one that is new. The first access may be another kernel's.
fn tell_race(mut race: Race, before: Option<&Kernel>, kernel: &Kernel, launch: &LaunchOptions) {
    let mut places = [race.first.accessed.span.start, race.second.accessed.span.start];
    places.sort_unstable();
    if !is_to_be_told(kernel, places, launch) {
        return;
    }
    let name = kernel.place_name(race.space, race.address);
    let excerpt = Excerpt::of(kernel.module(), race.second.accessed.span);
    let (span, module) = (race.first.accessed.span, before.unwrap_or(kernel).module());
    let first = Excerpt::of(module, span);
    if let Some(grids) = &mut race.grids
        && !first.has_the_text_of(&excerpt)
        && let Some(span) = first.inside(span)
    {
        let (file, line, text) = first.line(span);
        grids.elsewhere = Some(Elsewhere { file, line, text });
    }
    race.change_spans(|span| excerpt.inside(span).unwrap_or_default());
    let report = excerpt.report();
    let object = shown::object(&report, &race, (kernel.name(), name.as_deref()));
    tell_unless_suppressed(shown::message(&report, &race, name.as_deref()), &report, object, kernel, launch);
}
