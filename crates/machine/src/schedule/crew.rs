//! The crew: host threads that help with launches, one after another.
//!
//! To start a thread takes as long as a short launch does, so those that have helped wait for the next launch for a while.
//! Help is an offer: whoever has called for it works on, and takes back what nobody has accepted when the work is done. So
//! a process that has no more threads, or the child of one that has forked, works alone and waits for nobody.
#![allow(unsafe_code)]

use std::any::Any;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How long a thread waits for a further launch.
const IDLE: Duration = Duration::from_secs(5);

/// How often the caller looks whether the last helper has left before it sleeps: all end at about the same time, and to
/// be woken takes longer than that.
const LOOKS: u32 = 200;

/// What helpers do; each is given a number.
type Help<'a> = dyn Fn(u64) + Sync + 'a;

/// The threads of the process, and what they are asked for.
struct Crew {
    calls: Mutex<Calls>,
    called: Condvar,
}

struct Calls {
    offers: VecDeque<Offer>,
    /// The threads that wait for an offer.
    waiting: usize,
    /// The process that they are threads of: a child has none of them.
    process: u32,
}

/// What one thread may accept.
struct Offer {
    help: &'static Help<'static>,
    number: u64,
    party: Arc<Party>,
}

/// Those who help with one launch.
#[derive(Default)]
struct Party {
    state: Mutex<State>,
    left: Condvar,
}

#[derive(Default)]
struct State {
    /// How many help.
    present: usize,
    /// What one of them has panicked with.
    panic: Option<Box<dyn Any + Send>>,
}

static CREW: Crew = Crew {
    calls: Mutex::new(Calls { offers: VecDeque::new(), waiting: 0, process: 0 }),
    called: Condvar::new(),
};

/// Does some work that can call for help; gives what it gives when all who help have ended.
pub(super) fn with_help<T>(help: &Help<'_>, work: impl FnOnce(&Caller<'_>) -> T) -> T {
    let caller = Caller { help, party: Arc::default() };
    let done = work(&caller);
    let panic = caller.await_helpers();
    drop(caller);
    if let Some(panic) = panic {
        resume_unwind(panic);
    }
    done
}

/// Who may call for help. When it goes, nobody helps any more.
pub(super) struct Caller<'a> {
    help: &'a Help<'a>,
    party: Arc<Party>,
}

impl Caller<'_> {
    /// Offers numbers to helpers.
    pub fn call(&self, numbers: std::ops::Range<usize>) {
        // SAFETY: only the lifetime changes. The helpers use it until they leave the party, and the offers until they are
        // taken back, both of which `await_helpers` waits for before what the reference borrows can go.
        let help: &'static Help<'static> = unsafe { std::mem::transmute(self.help) };
        let mut calls = CREW.lock();
        let process = std::process::id();
        if calls.process != process {
            (calls.process, calls.waiting) = (process, 0);
        }
        for number in numbers {
            let party = Arc::clone(&self.party);
            calls.offers.push_back(Offer { help, number: number as u64, party });
        }
        let missing = calls.offers.len().saturating_sub(calls.waiting);
        drop(calls);
        CREW.called.notify_all();
        for _ in 0..missing {
            // A host that starts no more threads leaves the work to those that there are.
            if std::thread::Builder::new().name("ptxvm".into()).spawn(serve).is_err() {
                break;
            }
        }
    }

    /// Takes back what nobody has accepted and waits for those who help; gives what one has panicked with.
    fn await_helpers(&self) -> Option<Box<dyn Any + Send>> {
        CREW.lock().offers.retain(|offer| !Arc::ptr_eq(&offer.party, &self.party));
        for _ in 0..LOOKS {
            if self.party.lock().present == 0 {
                break;
            }
            for _ in 0..32 {
                std::hint::spin_loop();
            }
        }
        let mut state = self.party.lock();
        while state.present > 0 {
            state = self.party.left.wait(state).unwrap_or_else(PoisonError::into_inner);
        }
        state.panic.take()
    }
}

impl Drop for Caller<'_> {
    fn drop(&mut self) {
        self.await_helpers();
    }
}

impl Crew {
    fn lock(&self) -> MutexGuard<'_, Calls> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The next offer; `None` if there was none for a while. Whoever accepts one is of its party at once, so that nobody
    /// can believe that it has been taken back.
    fn accept(&self) -> Option<Offer> {
        let mut calls = self.lock();
        loop {
            if let Some(offer) = calls.offers.pop_front() {
                offer.party.lock().present += 1;
                return Some(offer);
            }
            calls.waiting += 1;
            let (again, waited) =
                self.called.wait_timeout(calls, IDLE).unwrap_or_else(PoisonError::into_inner);
            calls = again;
            calls.waiting = calls.waiting.saturating_sub(1);
            if waited.timed_out() && calls.offers.is_empty() {
                return None;
            }
        }
    }
}

impl Party {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// The life of a thread of the crew.
fn serve() {
    while let Some(Offer { help, number, party }) = CREW.accept() {
        let outcome = catch_unwind(AssertUnwindSafe(|| help(number)));
        let mut state = party.lock();
        state.panic = outcome.err().or(state.panic.take());
        state.present -= 1;
        party.left.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicU64, Ordering};

    #[test]
    fn whoever_calls_sees_what_the_helpers_did() {
        for _ in 0..if cfg!(miri) { 5 } else { 200 } {
            let sum = AtomicU64::new(0);
            let begun = AtomicU64::new(0);
            let help = |number| {
                begun.fetch_add(1, Ordering::Relaxed);
                sum.fetch_add(number, Ordering::Relaxed);
            };
            with_help(&help, |caller| {
                caller.call(1..4);
                while begun.load(Ordering::Relaxed) < 3 {
                    std::thread::yield_now();
                }
            });
            assert_eq!(sum.into_inner(), 6);
        }
    }

    #[test]
    fn what_nobody_has_accepted_is_taken_back() {
        let called = AtomicU64::new(0);
        let help = |_| {
            called.fetch_add(1, Ordering::Relaxed);
        };
        with_help(&help, |caller| caller.call(0..100));
        let at_the_end = called.load(Ordering::Relaxed);
        std::thread::sleep(Duration::from_millis(20));
        assert_eq!(called.load(Ordering::Relaxed), at_the_end);
    }

    #[test]
    fn a_panic_of_a_helper_reaches_the_caller() {
        let begun = AtomicU64::new(0);
        let help = |_| {
            begun.store(1, Ordering::Relaxed);
            panic!("as it was asked to");
        };
        let outcome = catch_unwind(AssertUnwindSafe(|| {
            with_help(&help, |caller| {
                caller.call(0..1);
                while begun.load(Ordering::Relaxed) == 0 {
                    std::thread::yield_now();
                }
            });
        }));
        assert!(outcome.is_err());
    }
}
