//! The progress bar of a long run: on standard error, on a terminal only, and only after a second.

use std::io::{IsTerminal, Write};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use ptxvm_report::number::{rate, time};

/// A run shorter than this shows nothing.
const PATIENCE: Duration = Duration::from_secs(1);
/// How often the bar is drawn.
const PERIOD: Duration = Duration::from_millis(200);
const WIDTH: usize = 24;

/// How far a run has come: the parts that have ended, of all of them.
#[derive(Clone, Copy)]
pub struct Progress<'a> {
    pub done: &'a AtomicU64,
    pub all: u64,
    /// What the parts are called.
    pub parts: &'static str,
}

/// Runs `work` while another thread draws how far it has come.
pub fn watched<T>(progress: Progress<'_>, wanted: bool, work: impl FnOnce() -> T) -> T {
    if !wanted || !std::io::stderr().is_terminal() {
        return work();
    }
    let done = Arc::new((Mutex::new(false), Condvar::new()));
    std::thread::scope(|scope| {
        let ended = Ended(Arc::clone(&done));
        scope.spawn(|| draw(progress, &done));
        let result = work();
        drop(ended);
        result
    })
}

/// Whether the bar stands on the terminal, so that what the guest prints does not run into it.
static DRAWN: AtomicBool = AtomicBool::new(false);

/// Takes the bar away if it is there.
pub fn clear() {
    if DRAWN.swap(false, Ordering::Relaxed) {
        // A terminal that has gone away is no reason to stop the kernel.
        let _ = write!(std::io::stderr().lock(), "\r\x1b[K");
    }
}

/// Tells the drawing thread that the work is over, also when it panicked.
struct Ended(Arc<(Mutex<bool>, Condvar)>);

impl Drop for Ended {
    fn drop(&mut self) {
        *self.0.0.lock().unwrap_or_else(PoisonError::into_inner) = true;
        self.0.1.notify_all();
    }
}

fn draw(progress: Progress<'_>, (ended, changed): &(Mutex<bool>, Condvar)) {
    let start = Instant::now();
    let mut next = PATIENCE;
    let mut over = ended.lock().unwrap_or_else(PoisonError::into_inner);
    while !*over {
        over = match changed.wait_timeout(over, next) {
            Ok((over, _)) => over,
            Err(poisoned) => poisoned.into_inner().0,
        };
        if !*over && start.elapsed() >= PATIENCE {
            let mut stderr = std::io::stderr().lock();
            let _ = write!(stderr, "\r{}\x1b[K", line(progress, start.elapsed()));
            let _ = stderr.flush();
            DRAWN.store(true, Ordering::Relaxed);
        }
        next = PERIOD;
    }
    clear();
}

/// `[####        ]  33 %  12 of 36 CTAs, 4 a second, 6.0 s left`
fn line(progress: Progress<'_>, elapsed: Duration) -> String {
    let Progress { done, all, parts } = progress;
    let finished = done.load(Ordering::Relaxed);
    let share = finished as f64 / all.max(1) as f64;
    let filled = ((share * WIDTH as f64) as usize).min(WIDTH);
    let bar = format!("{}{}", "#".repeat(filled), " ".repeat(WIDTH - filled));
    let speed = finished as f64 / elapsed.as_secs_f64();
    let left = match Duration::try_from_secs_f64((all.saturating_sub(finished)) as f64 / speed) {
        Ok(left) if finished > 0 => format!("{} left", time(left)),
        _ => format!("{} so far", time(elapsed)),
    };
    format!("[{bar}] {:>3.0} %  {finished} of {all} {parts}, {} a second, {left}", share * 100.0, rate(speed))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_line_gives_rate_and_time_left() {
        let ctas = |done: u64, all: u64, seconds: u64| {
            let done = AtomicU64::new(done);
            line(Progress { done: &done, all, parts: "CTAs" }, Duration::from_secs(seconds))
        };
        assert_eq!(
            ctas(12, 36, 3),
            "[########                ]  33 %  12 of 36 CTAs, 4 a second, 6.0 s left"
        );
        assert_eq!(ctas(0, 8, 2), "[                        ]   0 %  0 of 8 CTAs, 0 a second, 2.0 s so far");
    }
}
