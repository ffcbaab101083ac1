//! What came of a launch: everything that was found, with its text for people, what it did, and what happened in it.

use std::sync::atomic::Ordering;

use ptxvm_report::finding::Reached;
use ptxvm_report::suppress::Suppressions;
use ptxvm_report::{Message, Report, event, finding, race, stale};
use ptxvm_vm::{Class, Event, Failure, Kernel, LaunchOptions, Limit, Statistics};
use serde_json::{Map, Value, json};

use crate::failed::shown;

/// What outcomes are told of.
pub struct Outcome<'a> {
    pub kernel: &'a Kernel,
    /// What messages call its module.
    pub name: &'a str,
    /// The findings that are not told.
    pub suppressions: &'a Suppressions,
}

/// All of it as an object.
pub fn object(
    about: &Outcome<'_>,
    launch: &LaunchOptions,
    ran: Result<Statistics, Failure>,
    events: &[Event],
) -> Value {
    let module = about.kernel.module();
    let report = Report::with(about.name, module.source().into(), Vec::new());
    let mut found = Found { report: &report, suppressions: about.suppressions, all: Vec::new() };
    found.gather(about.kernel, launch, ran.is_err());
    let (statistics, failure) = match ran {
        Ok(statistics) => (Some(statistics), Value::Null),
        Err(failure) => (None, found.failure(launch, failure)),
    };
    json!({
        "findings": found.all,
        "failure": failure,
        "statistics": statistics.map(|statistics| counts(&statistics)),
        "events": events.iter().map(|one| event::object(module, one)).collect::<Value>(),
    })
}

/// What has been found so far.
struct Found<'a> {
    report: &'a Report<'a>,
    suppressions: &'a Suppressions,
    all: Vec<Value>,
}

impl Found<'_> {
    /// What a kernel went on after.
    fn gather(&mut self, kernel: &Kernel, launch: &LaunchOptions, failed: bool) {
        let seed = launch.settings.seed;
        let report = self.report;
        for mistake in launch.mistakes.as_ref().map(|mistakes| mistakes.take()).unwrap_or_default() {
            self.add(finding::mistake(&mistake, seed), finding::mistake_object(report, &mistake, seed));
        }
        if let Some(races) = &launch.races {
            if races.are_incomplete() {
                let (message, object) = race::incomplete();
                self.add(message, object);
            }
            for found in races.take() {
                let name = kernel.place_name(found.space, found.address);
                let object = race::object(report, &found, (kernel.name(), name.as_deref()));
                self.add(race::message(report, &found, name.as_deref()), object);
            }
        }
        if launch.has_left_out() {
            let (message, object) = finding::left_out(launch.settings.check_limit);
            self.add(message, object);
        }
        let stale = launch.stale.as_ref().map(|stale| stale.take()).unwrap_or_default();
        for read in stale::worth_showing(stale, failed) {
            self.add(stale::message(report, &read, seed), stale::object(report, &read, seed));
        }
    }

    fn add(&mut self, message: Message, mut object: Value) {
        object["text"] = json!(shown(message, self.report));
        if let Some(suppression) = self.suppressions.of(&object) {
            object["suppressed"] = json!(suppression.reason);
        }
        self.all.push(object);
    }

    /// Why a launch did not end well.
    fn failure(&self, launch: &LaunchOptions, failure: Failure) -> Value {
        let report = self.report;
        let told = |message: Message, mut object: Value| {
            object["text"] = json!(shown(message, report));
            object
        };
        match failure {
            Failure::Finding(found) => {
                let seed = launch.settings.seed;
                told(finding::message(&found, seed), finding::object(report, &found, seed))
            }
            Failure::Unsupported(what) => {
                told(finding::unsupported(&what), finding::unsupported_object(report, &what))
            }
            Failure::Limit(limit) => {
                let done = launch.control.ctas_done.load(Ordering::Relaxed);
                let text = finding::limit(limit, Reached::Ctas(done, launch.grid.product()));
                let kind = if matches!(limit, Limit::Memory(_)) { "memory" } else { "limit" };
                json!({ "kind": kind, "code": finding::limit_name(limit), "message": text, "text": text })
            }
            Failure::TooLarge { .. } | Failure::Arguments(_) => {
                json!({ "kind": "usage", "message": failure.to_string() })
            }
            Failure::Bug(message) => json!({
                "kind": "bug", "message": format!("{message}; this is a bug in ptxvm, please report it"),
            }),
        }
    }
}

/// What a launch did.
fn counts(statistics: &Statistics) -> Value {
    let by_class = |counts: &[u64]| {
        let pairs = Class::ALL.iter().map(|&class| (class.name().to_owned(), json!(counts[class as usize])));
        Value::Object(pairs.collect::<Map<_, _>>())
    };
    let by_space = |[global, shared, local, other]: [u64; 4]| json!({ "global": global, "shared": shared, "local": local, "other": other });
    json!({
        "ctas": statistics.ctas,
        "seconds": statistics.time.as_secs_f64(),
        "warp_instructions": statistics.instructions(),
        "lane_instructions": statistics.lanes(),
        "warp_instructions_by_class": by_class(&statistics.warp_instructions),
        "lane_instructions_by_class": by_class(&statistics.lane_instructions),
        "bytes_read": by_space(statistics.bytes_read),
        "bytes_written": by_space(statistics.bytes_written),
        "matrix_products": statistics.products,
    })
}
