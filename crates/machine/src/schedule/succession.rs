//! One CTA after another in the same room: most grids have many short ones, and most kernels leave nothing in it.
//!
//! Where the code of a kernel keeps nothing besides registers and memory, a CTA that has ended becomes the next of those
//! that its worker has claimed, without the cluster and the worker being asked. Warps that run in step begin it at once
//! (`in_step.rs`), and compiled code that holds a whole CTA counts on by itself.

use crate::context::{CtaState, Run, Worker};
use crate::schedule::cluster::barrier::ClusterBarrier;
use crate::schedule::cluster::claims;

/// Whether CTAs of a launch may succeed one another: each is alone in its cluster and leaves nothing that the next one must
/// not find, and nobody is told of each.
pub(crate) fn may_happen(run: &Run<'_>) -> bool {
    run.launch.cluster_shape() == [1; 3]
        && !run.code.keeps
        && run.launch.settings.seed == 0
        && run.launch.status.is_none()
        && run.launch.follower.is_none()
        && run.environment.on_event.is_none()
}

/// Counts a CTA that has ended, and makes its state that of the next one; gives whether there is one and there is time for
/// it.
#[inline(always)]
pub(crate) fn next(cta: &mut CtaState, worker: &mut Worker, run: &Run<'_>, enough: u64) -> bool {
    if worker.effort >= enough || run.halt.is_set() {
        return false;
    }
    let Some(index) = worker.claimed.next() else { return false };
    worker.statistics.ctas += 1;
    begin((index, claims::clusterid(index, run.launch.grid, [1; 3])), cta, worker, run);
    true
}

/// Makes a CTA that of a number and a place.
#[inline(always)]
fn begin((index, ctaid): (u64, [u32; 3]), cta: &mut CtaState, worker: &mut Worker, run: &Run<'_>) {
    let cluster = &mut worker.cluster;
    (cluster.index, cluster.clusterid, cluster.events) = (index, ctaid, 0);
    cluster.barrier = ClusterBarrier::new(run.launch.block.iter().product());
    cta.begin(index, ctaid, run.environment.profile.sms);
}

/// How many CTAs compiled code may begin itself after one: those that the worker has claimed next in the same row of the
/// grid. Shared memory would have to be cleared for each.
#[inline(always)]
pub(crate) fn left_to_code(cta: &CtaState, worker: &Worker, run: &Run<'_>) -> u32 {
    let claimed = &worker.claimed;
    if claimed.start != cta.index + 1 || cta.shared.bytes() != 0 {
        return 0;
    }
    let in_row = run.launch.grid[0] - 1 - cta.ctaid[0];
    u32::try_from(claimed.end - claimed.start).map_or(in_row, |claimed| claimed.min(in_row))
}

/// Compiled code has begun so many CTAs after one.
pub(crate) fn passed(ctas: u32, cta: &mut CtaState, worker: &mut Worker, run: &Run<'_>) {
    let index = cta.index + u64::from(ctas);
    let [x, y, z] = cta.ctaid;
    worker.claimed.start = index + 1;
    worker.statistics.ctas += u64::from(ctas);
    begin((index, [x + ctas, y, z]), cta, worker, run);
}
