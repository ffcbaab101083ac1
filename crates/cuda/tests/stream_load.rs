//! Launches and waits beside threads that keep all cores busy.
//!
//! A program that launches a small kernel and waits for it, again and again, hands its turn to the stream's thread and
//! back. Who waits may not give its place away meanwhile: `sched_yield` costs a thread a whole slice (Linux 6.18 takes it
//! from its share of the core), so that such a program stood nearly still on a busy machine.

mod client;

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use client::{Context, call, launch};

const TURNS: u32 = 100;
/// One round in so many is not disturbed by what else the machine does.
const ROUNDS: usize = 20;
/// Such a round takes a few milliseconds; every one took a second when waiting meant to yield.
const MOST: Duration = Duration::from_millis(300);

#[test]
fn waiting_gives_no_turn_away_on_a_busy_machine() {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    if cores == 1 {
        // There the two threads cannot but take turns with all others.
        return;
    }
    let context = Context::new();
    let module = context.module(include_str!("kernels.ptx"));
    let empty = module.kernel("empty");
    let launch_and_wait = || {
        let began = Instant::now();
        for _ in 0..TURNS {
            assert_eq!(launch(empty, [1; 3], [1; 3], 0, &[]), 0);
            call("cuCtxSynchronize", ());
        }
        began.elapsed()
    };
    launch_and_wait();
    let stop = AtomicBool::new(false);
    let quick = std::thread::scope(|scope| {
        for _ in 0..2 * cores {
            scope.spawn(|| {
                while !stop.load(Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let quick = (0..ROUNDS).any(|_| launch_and_wait() < MOST);
        stop.store(true, Ordering::Relaxed);
        quick
    });
    assert!(quick, "{TURNS} launches took longer than {MOST:?} each of {ROUNDS} times");
}
