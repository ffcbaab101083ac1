//! Telling the listener of a launch what has happened: who did it, and where that stands in the PTX.

use crate::asynchronous::issuer::Issuer;
use crate::context::{Context, Flow, Run};
use crate::event::{Event, EventRecord, What};
use crate::explain::finding::Thread;
use crate::registers::lanes_in;
use crate::state::worker::Worker;

impl Context<'_> {
    /// Says which lane does what is noted from now on.
    pub fn act(&mut self, lane: usize) {
        if self.worker.cluster.log.is_on() {
            let (rank, warp) = (self.cta.rank, self.warp.index);
            self.worker.cluster.log.act(Issuer { rank, warp, lanes: 1 << lane, ..Issuer::default() });
        }
    }

    /// Notes the same for each lane of a mask, and gives what the operation says then.
    pub fn note_each(&mut self, mask: u32, what: impl Fn(usize) -> What) -> Flow {
        if self.worker.cluster.log.is_on() {
            for lane in lanes_in(mask) {
                self.act(lane);
                self.worker.cluster.log.note(|| what(lane));
            }
        }
        self.noted()
    }

    /// What an operation says that may have noted something.
    #[must_use]
    pub fn noted(&self) -> Flow {
        if self.worker.cluster.log.is_on() { Flow::Issued } else { Flow::Next }
    }
}

impl Worker {
    /// Tells what has happened in the cluster whose turn it is.
    pub fn tell(&mut self, run: &Run<'_>) {
        if self.cluster.log.records.is_empty() {
            return;
        }
        let (cluster, clusterid) = (self.cluster.index, self.cluster.clusterid);
        for EventRecord { who, rank, what, .. } in self.cluster.log.records.drain(..) {
            tell(run, cluster, clusterid, (who, rank), what);
        }
    }
}

/// Tells one event of a cluster.
pub fn tell(
    run: &Run<'_>,
    cluster: u64,
    clusterid: [u32; 3],
    (who, rank): (Option<Issuer>, u32),
    what: What,
) {
    let Some(listener) = run.environment.on_event else { return };
    let span = who.and_then(|who| {
        let source = run.code.instructions.get(who.at as usize)?.source;
        let function = run.code.program.functions.get(source.function.0 as usize)?;
        Some(function.instructions.get(source.instruction as usize)?.span)
    });
    let thread = who.map(|who| thread(run, clusterid, who));
    listener(&Event { cluster, rank, thread, span, what });
}

/// The coordinates of a thread of a cluster.
fn thread(run: &Run<'_>, clusterid: [u32; 3], who: Issuer) -> Thread {
    let unfold = |linear: u32, size: [u32; 3]| {
        let [x, y] = [size[0].max(1), size[1].max(1)];
        [linear % x, linear / x % y, linear / x / y]
    };
    let shape = run.launch.cluster_shape();
    let within = unfold(who.rank, shape);
    let lane = who.lanes.trailing_zeros().min(31);
    Thread {
        ctaid: std::array::from_fn(|d| clusterid[d] * shape[d] + within[d]),
        tid: unfold(who.warp * 32 + lane, run.launch.block),
        warp: who.warp,
        lane,
    }
}
