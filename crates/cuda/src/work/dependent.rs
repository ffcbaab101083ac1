//! Dependent launches: kernels that may begin before the kernel that they follow, their primary, has ended.
//!
//! `--async` decides whether they do. With `eager`, the primary has ended when its dependent begins. With `lazy`, the
//! dependent begins as soon as the primary lets it, and the primary then pauses for a moment, so that a dependent which
//! reads data without waiting does not find it. With `seeded`, the seed decides for each launch; seed 0 is the plain order.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ptxvm_vm::{Asynchrony, Footprint, GridStatus};

use super::mark::program_waits;
use super::order::is_followed;
use super::{KernelLaunch, Mark, Operation};
use crate::abi::{Answer, CUresult};
use crate::context::Context;
use crate::module::Function;
use crate::nvtx::{of_work, within};
use crate::options;

/// How often one who waits for a primary looks whether it will ever begin.
const LOOK: Duration = Duration::from_millis(100);

/// How a launch depends on others that run beside it.
#[derive(Clone, Default)]
pub struct Ties {
    /// Tells those that depend on it how far it is.
    pub status: Option<Arc<GridStatus>>,
    /// The launches whose end it waits for at `griddepcontrol.wait`.
    pub prerequisites: Vec<Arc<GridStatus>>,
    /// What it has touched, if races with other launches are looked for.
    pub footprint: Option<Arc<Footprint>>,
    /// The launch before it, if nothing but its own waiting orders it after that.
    pub beside: Option<Trail>,
}

/// A launch that others may race with.
#[derive(Clone)]
pub struct Trail {
    pub function: Arc<Function>,
    pub footprint: Arc<Footprint>,
    /// How often the program had waited for something when it was given to its stream.
    waits: u64,
}

/// A launch before whose end another may begin.
#[derive(Clone)]
pub struct Primary {
    pub status: Arc<GridStatus>,
    /// Its end, and that of all before it.
    pub mark: Arc<Mark>,
}

impl Primary {
    /// Waits until its dependents may begin.
    pub fn wait(&self) {
        while !self.status.await_launch(LOOK) && !self.mark.is_done() {}
    }
}

/// What tells how far a launch is, where kernels ever begin early.
fn status() -> Option<Arc<GridStatus>> {
    let settings = options::settings();
    match settings.asynchrony {
        Asynchrony::Eager => None,
        Asynchrony::Lazy => Some(Arc::new(GridStatus::lagging())),
        Asynchrony::Seeded => (settings.seed != 0).then(Arc::default),
    }
}

/// Whether the next kernel that may begin early does.
fn chosen() -> bool {
    static ASKED: AtomicU64 = AtomicU64::new(0);
    let settings = options::settings();
    let asked = ASKED.fetch_add(1, Ordering::Relaxed).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let bits = (settings.seed ^ asked).wrapping_mul(0xd6e8_feb8_6659_fd93);
    match settings.asynchrony {
        Asynchrony::Eager => false,
        Asynchrony::Lazy => true,
        Asynchrony::Seeded => settings.seed != 0 && (bits ^ bits >> 32) & 1 == 1,
    }
}

/// Prepares an operation for being asked whether it races with the launch before it in its stream, and gives what the next one
/// may race with. It counts what is allowed to happen, whichever way `--async` has it: the program has not waited between the
/// two, and the second may begin early.
pub fn trail(operation: &mut Operation, before: Option<Trail>) -> Option<Trail> {
    let Operation::Kernel(launch) = operation else { return None };
    if !is_followed() {
        return None;
    }
    launch.ties.beside = before.filter(|before| launch.early && before.waits == program_waits());
    Some(trail_of(launch))
}

/// What another launch may race with.
fn trail_of(launch: &mut KernelLaunch) -> Trail {
    let footprint = Arc::new(Footprint::new(launch.ties.beside.is_some()));
    launch.ties.footprint = Some(Arc::clone(&footprint));
    Trail { function: Arc::clone(&launch.function), footprint, waits: program_waits() }
}

/// Prepares an operation that a stream is given after a kernel, or after something else. A kernel is given what tells
/// others how far it is; one that begins early is tied to the kernel before it, which is given back then.
pub fn early(operation: &mut Operation, before: Option<Primary>) -> Option<Primary> {
    let Operation::Kernel(launch) = operation else { return None };
    launch.ties.status = status();
    let primary = before.filter(|primary| launch.early && !primary.mark.is_done() && chosen())?;
    primary.status.dependent_launched();
    launch.ties.prerequisites = vec![Arc::clone(&primary.status)];
    Some(primary)
}

/// Runs two kernels of a graph, of which the second may begin when the first lets it.
///
/// # Errors
/// What makes the context unusable.
pub fn run_both(first: &KernelLaunch, second: &KernelLaunch, context: &Arc<Context>) -> Answer {
    let (mut first, mut second) = (first.clone(), second.clone());
    if is_followed() {
        second.ties.beside = Some(trail_of(&mut first));
        trail_of(&mut second);
    }
    let ran = run_one_beside_the_other(&mut first, &mut second, context);
    second.tell_races_with_the_one_before();
    ran
}

fn run_one_beside_the_other(
    first: &mut KernelLaunch,
    second: &mut KernelLaunch,
    context: &Arc<Context>,
) -> Answer {
    let Some(status) = status().filter(|_| chosen()) else {
        return first.run(context).and_then(|()| second.run(context));
    };
    first.ties.status = Some(Arc::clone(&status));
    second.ties.prerequisites = vec![Arc::clone(&status)];
    let ranges = of_work();
    std::thread::scope(|scope| {
        let beside = std::thread::Builder::new().name("ptxvm dependent".into()).spawn_scoped(scope, || {
            while !status.await_launch(LOOK) {}
            let ran = within(ranges, || second.run(context));
            status.dependent_waits();
            ran
        });
        if beside.is_ok() {
            status.dependent_launched();
        }
        let ran = first.run(context);
        if ran.is_err() {
            // The other waits for nothing any more that could still be right.
            context.streams.interrupt();
        }
        let beside = match beside {
            Ok(thread) => thread.join().unwrap_or(Err(CUresult::UNKNOWN)),
            // The host has no thread left: one after the other.
            Err(_) => ran.and_then(|()| second.run(context)),
        };
        ran.and(beside)
    })
}
