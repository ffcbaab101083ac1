//! `barrier.cluster` (manual 9.7.13.3).
//!
//! The manual has a thread wait for all of its warp at these instructions; the linker brings the lanes together where
//! they arrive (`link/terminator.rs`). The order that `.release` and `.acquire` ask for is there anyway, because the
//! CTAs of a cluster run on one host thread.

use crate::context::Context;
use crate::door::follower::Ordering;
use crate::event::What;
use crate::explain::finding::Kind;
use crate::ops::{cluster_launch, griddepcontrol};
use crate::registers::Slot;
use crate::schedule::warp::Awaited;
use crate::vector::lanes::{Execute, Flow, Op};
use ptxvm_ir::operation;

/// The operation of an instruction about clusters or grids.
pub fn executor(operation: operation::Cluster) -> Op {
    use operation::Cluster;
    match operation {
        Cluster::Arrive { order, aligned } => Box::new(Arrive { aligned, sem: order.name() }),
        Cluster::Wait { aligned } => Box::new(Wait { aligned }),
        Cluster::LaunchDependents => griddepcontrol::launch_dependents(),
        Cluster::WaitForGrids => griddepcontrol::wait(),
        Cluster::TryCancel { response, mbarrier, everywhere } => {
            cluster_launch::try_cancel(response, mbarrier, everywhere)
        }
        Cluster::IsCanceled { response } => cluster_launch::is_canceled(response),
        Cluster::FirstCtaid { response, first } => cluster_launch::first_ctaid(response, first),
    }
}

/// Refuses lanes without the rest of their warp.
fn whole(context: &mut Context<'_>, aligned: bool, lanes: u32) -> Result<(), Flow> {
    let missing = context.warp.alive() & !lanes;
    if !aligned || missing == 0 {
        return Ok(());
    }
    let message =
        format!("lanes {lanes:#010x} execute an `.aligned` barrier.cluster, lanes {missing:#010x} do not");
    let note = "all threads of the warp that have not ended must execute the same instruction".into();
    Err(context.fault(Kind::Misuse, lanes.trailing_zeros() as usize, message, vec![note]))
}

struct Arrive {
    aligned: bool,
    sem: &'static str,
}

impl Execute for Arrive {
    fn run(&self, context: &mut Context<'_>, _: &[Slot], mask: u32) -> Flow {
        if let Err(flow) = whole(context, self.aligned, mask) {
            return flow;
        }
        let again = context.warp.arrivals.unwaited() & mask;
        if again != 0 {
            let message = "a thread arrives at the cluster's barrier again without having waited for it";
            let lane = again.trailing_zeros() as usize;
            let note = "between two barrier.cluster.arrive there must be a barrier.cluster.wait".into();
            if let Err(flow) = context.mistake(Kind::Misuse, lane, || message.into(), || vec![note]) {
                return flow;
            }
            // Who has arrived already does not count again.
            if again == mask {
                return Flow::Next;
            }
        }
        let mask = mask & !again;
        let releases = self.sem == "release";
        let phase = context.worker.cluster.barrier.phase();
        context.orders(mask, Ordering::ClusterArrives { phase, releases });
        let flow = context.note_each(mask, |_| What::ClusterArrive { sem: self.sem });
        let cluster = &mut *context.worker.cluster;
        if cluster.barrier.arrive(&mut context.warp.arrivals, mask) {
            cluster.events += 1;
            cluster.log.note_cta(context.cta.rank, || What::ClusterBarrier);
        }
        flow
    }
}

struct Wait {
    aligned: bool,
}

impl Execute for Wait {
    fn run(&self, context: &mut Context<'_>, _: &[Slot], mask: u32) -> Flow {
        if let Err(flow) = whole(context, self.aligned, mask) {
            return flow;
        }
        let arrivals = &mut context.warp.arrivals;
        let absent = mask & !arrivals.unwaited();
        if absent != 0 {
            let message = "a thread waits for the cluster's barrier without having arrived there";
            let lane = absent.trailing_zeros() as usize;
            let note = "before each barrier.cluster.wait there must be a barrier.cluster.arrive".into();
            if let Err(flow) = context.mistake(Kind::Misuse, lane, || message.into(), || vec![note]) {
                return flow;
            }
            // They do not wait: no phase is theirs.
            if absent == mask {
                return Flow::Next;
            }
        }
        let mask = mask & !absent;
        let arrivals = &mut context.warp.arrivals;
        let open = mask & arrivals.open(&context.worker.cluster.barrier);
        if open == 0 {
            arrivals.waited(mask);
            let phase = context.warp.arrivals.phase();
            context.orders(mask, Ordering::ClusterPasses { phase });
            return context.note_each(mask, |_| What::ClusterWait);
        }
        if open != mask {
            let message =
                format!("lanes {open:#010x} are a phase of the cluster's barrier ahead of the others");
            let lane = open.trailing_zeros() as usize;
            return context.fault(Kind::Misuse, lane, message, Vec::new());
        }
        context.warp.awaited = Some(Awaited::ClusterBarrier);
        Flow::Wait
    }
}
