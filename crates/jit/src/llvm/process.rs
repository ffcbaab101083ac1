//! The process as a whole: who may use LLVM after a fork, and that nobody is in it when the process ends.
//!
//! A forked child has LLVM's memory as it was in the midst of a compilation, and not the thread that would finish it: it
//! never enters. At the end of a process LLVM's own variables are destroyed, and who compiles then would fall: the end
//! waits for who is inside, and nobody enters any more. While the library is being opened it makes those variables, and
//! nothing that we ask for at the end would come before them: only the main thread's own end does ([`wait_at_end`]).
#![allow(unsafe_code)]

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

/// How many threads are in LLVM, and whether the process is ending.
struct Gate {
    inside: usize,
    ending: bool,
}

static GATE: Mutex<Gate> = Mutex::new(Gate { inside: 0, ending: false });
static LEFT: Condvar = Condvar::new();

/// The process that uses LLVM; 0 as long as none does.
static OWNER: AtomicU32 = AtomicU32::new(0);

/// How long the end of a process waits for a compilation. What takes longer than this is in a loop of its own.
const PATIENCE: Duration = Duration::from_secs(10);

/// Has the end of the process wait for who is inside. It must be called after each library of LLVM's has been opened, and
/// before anybody enters: of what the end of a process calls, what is asked for last comes first, and LLVM must come
/// after us.
pub fn watch() {
    // SAFETY: a function that is always there. If there is no room for it, the end does not wait.
    unsafe { libc::atexit(end) };
}

/// Has the main thread, if it calls this, wait at its end until nobody is in LLVM. The end of a process ends that thread
/// first, before all that was asked for by `atexit`, so this holds also while a library of LLVM's is being opened.
pub fn wait_at_end() {
    AT_END.with(|_| ());
}

thread_local! {
    static AT_END: AtEnd = const { AtEnd };
}

/// What the end of a thread drops.
struct AtEnd;

impl Drop for AtEnd {
    fn drop(&mut self) {
        // SAFETY: a function that is always there and that has no conditions.
        let thread = unsafe { libc::gettid() };
        if u32::try_from(thread) == Ok(std::process::id()) {
            end();
        }
    }
}

/// Makes this process the one that uses LLVM, if no parent of it was.
pub fn claim() -> bool {
    let own = std::process::id();
    let claimed = OWNER.compare_exchange(0, own, Ordering::AcqRel, Ordering::Acquire);
    claimed.is_ok() || claimed == Err(own)
}

/// Whether this process is the one that uses LLVM.
pub fn is_owner() -> bool {
    OWNER.load(Ordering::Acquire) == std::process::id()
}

/// Whether the process is ending.
pub fn is_ending() -> bool {
    gate().ending
}

/// A thread's stay in LLVM.
pub struct Inside(());

/// Goes in, unless the process is ending.
pub fn enter() -> Option<Inside> {
    let mut gate = gate();
    if gate.ending {
        return None;
    }
    gate.inside += 1;
    Some(Inside(()))
}

/// Goes out. A thread that LLVM keeps for ever says this too: it touches nothing any more.
pub fn leave() {
    gate().inside -= 1;
    LEFT.notify_all();
}

impl Drop for Inside {
    fn drop(&mut self) {
        leave();
    }
}

fn gate() -> MutexGuard<'static, Gate> {
    GATE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Called when the process ends.
extern "C" fn end() {
    // A child may have been forked while somebody held the gate. Before anybody uses LLVM nobody holds it.
    if OWNER.load(Ordering::Acquire) != 0 && !is_owner() {
        return;
    }
    let mut gate = gate();
    gate.ending = true;
    let _waited = LEFT.wait_timeout_while(gate, PATIENCE, |gate| gate.inside > 0);
}
