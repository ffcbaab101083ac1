//! How much of the last second a kernel ran in: what libnvidia-ml calls the utilisation.

use std::collections::VecDeque;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

/// How far back is looked.
const PERIOD: Duration = Duration::from_secs(1);
/// More stretches than this are not remembered: the oldest go first.
const MOST: usize = 4096;

/// When kernels ran.
struct Busy {
    /// How many run now, and since when there has been one.
    running: u64,
    since: Option<Instant>,
    /// The stretches that have ended, the oldest first.
    ended: VecDeque<(Instant, Instant)>,
}

static BUSY: Mutex<Busy> = Mutex::new(Busy { running: 0, since: None, ended: VecDeque::new() });

fn busy() -> MutexGuard<'static, Busy> {
    BUSY.lock().unwrap_or_else(PoisonError::into_inner)
}

/// A kernel runs as long as this lives.
pub struct Running(());

impl Running {
    /// It begins now.
    pub fn begin() -> Self {
        let mut busy = busy();
        busy.running += 1;
        busy.since.get_or_insert_with(Instant::now);
        Self(())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let mut busy = busy();
        busy.running = busy.running.saturating_sub(1);
        if busy.running == 0
            && let Some(since) = busy.since.take()
        {
            if busy.ended.len() == MOST {
                busy.ended.pop_front();
            }
            busy.ended.push_back((since, Instant::now()));
        }
    }
}

/// Out of a hundred, how much of the last second a kernel ran in.
pub fn busy_percent() -> u32 {
    let mut busy = busy();
    let now = Instant::now();
    busy.ended.retain(|(_, end)| now.duration_since(*end) < PERIOD);
    let of_last = |start: Instant, end: Instant| {
        end.duration_since(start).min(PERIOD.saturating_sub(now.duration_since(end)))
    };
    let ended: Duration = busy.ended.iter().map(|&(start, end)| of_last(start, end)).sum();
    let all = ended + busy.since.map_or(Duration::ZERO, |since| of_last(since, now));
    (all.min(PERIOD).as_millis() / 10) as u32
}
