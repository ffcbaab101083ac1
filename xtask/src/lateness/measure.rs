//! Measures how late an endless kernel ends after the flag that limits and interrupts raise.

use std::fs::File;
use std::io::{Read, Seek};
use std::sync::atomic::Ordering;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use ptxvm_vm::{Failure, Kernel, LaunchOptions, Limit};

/// A kernel that is not back after so long does not stop at all.
const NEVER: Duration = Duration::from_secs(60);

/// How a launch ended.
pub enum HowItEnded {
    /// By the flag, so late.
    Stopped(Late),
    /// Before it was told to.
    ByItself(String),
    /// Not at all.
    Never,
}

/// How long a launch went on after it had been told to end.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Late {
    /// In time of its thread's CPU, which a busy host does not lengthen.
    pub cpu: Duration,
    /// On the clock.
    pub wall: Duration,
}

/// Launches a kernel and stops it when it has run for so much CPU time.
pub fn measure(kernel: &Kernel, options: &LaunchOptions, after: Duration) -> HowItEnded {
    let control = std::sync::Arc::clone(&options.control);
    let (kernel, options) = (kernel.clone(), options.clone());
    let (begins, begun) = mpsc::channel();
    let (ends, ended) = mpsc::channel();
    // The thread is left to itself if it never ends.
    std::thread::spawn(move || {
        let mut clock = Clock::of_this_thread();
        let _ = begins.send(Clock::of_this_thread());
        let outcome = kernel.launch(&options);
        let _ = ends.send((outcome, clock.read(), Instant::now()));
    });
    let mut clock = begun.recv().unwrap_or(Clock(None));
    let (start, began) = (clock.read(), Instant::now());
    let enough = |clock: &mut Clock| match (start, clock.read()) {
        (Some(start), Some(now)) => now.saturating_sub(start) >= after || began.elapsed() > after * 20,
        _ => began.elapsed() >= after,
    };
    while !enough(&mut clock) {
        if let Ok((outcome, ..)) = ended.recv_timeout(Duration::from_micros(500)) {
            return HowItEnded::ByItself(words(outcome.err()));
        }
    }
    let (before, told) = (clock.read(), Instant::now());
    control.stop.store(true, Ordering::Relaxed);
    let Ok((outcome, used, at)) = ended.recv_timeout(NEVER) else { return HowItEnded::Never };
    match outcome.err() {
        Some(Failure::Limit(Limit::Interrupted)) => {
            let wall = at.saturating_duration_since(told);
            let cpu = before.zip(used).map_or(wall, |(before, used)| used.saturating_sub(before));
            HowItEnded::Stopped(Late { cpu, wall })
        }
        other => HowItEnded::ByItself(words(other)),
    }
}

fn words(failure: Option<Failure>) -> String {
    match failure {
        None => "it ran to its end".into(),
        Some(Failure::Finding(finding)) => format!("{}: {}", finding.kind.name(), finding.message),
        Some(other) => other.to_string(),
    }
}

/// The CPU time of a thread; Linux tells it in a file.
struct Clock(Option<File>);

impl Clock {
    fn of_this_thread() -> Clock {
        Clock(File::open("/proc/thread-self/schedstat").ok())
    }

    fn read(&mut self) -> Option<Duration> {
        let file = self.0.as_mut()?;
        let mut text = String::new();
        file.rewind().ok()?;
        file.read_to_string(&mut text).ok()?;
        text.split_whitespace().next()?.parse().ok().map(Duration::from_nanos)
    }
}
