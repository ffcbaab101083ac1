//! How a CTA begins: room for it, its place in the grid, and its warps at the beginning of the entry.

use ptxvm_memory::local::DEFAULT_LIMIT;
use ptxvm_memory::{LocalMemory, SharedMemory};

use super::Cta;
use crate::context::{CtaState, Run, WarpState, Worker};
use crate::door::values;
use crate::registers::LANES;
use crate::schedule::barrier::Barrier;
use crate::schedule::cluster::barrier::Arrivals;
use crate::schedule::cluster::shared::OFFSET_BITS;
use crate::schedule::warp::{Group, Warp};
use crate::schedule::{in_step, succession};
use crate::state::late::PutOff;
use crate::state::warpgroup::Warpgroups;

impl Cta {
    /// Room for a CTA of a launch; `None` if the host has no memory for it.
    pub fn new(run: &Run<'_>) -> Option<Self> {
        let budget = run.environment.memory.budget();
        let threads = run.launch.block.iter().product::<u32>();
        let warps = threads.div_ceil(32) as usize;
        let shared = SharedMemory::new(usize::try_from(run.all_shared_bytes()).ok()?, budget)?;
        let state = CtaState {
            ctaid: [0; 3],
            index: 0,
            smid: 0,
            shared,
            quick_shared: 0,
            barriers: std::array::from_fn(|_| Barrier::default()),
            busy: 0,
            unsettled: false,
            rank: 0,
            cluster_ctaid: [0; 3],
            shared_base: 0,
            released_dependents: false,
            saw_refusal: false,
            warpgroups: Warpgroups::default(),
            asleep: 0,
            rounds: None,
        };
        let warp = |index: u32| Warp {
            state: WarpState {
                index,
                present: 0,
                exited: 0,
                placed: false,
                tid: lanes_of(index, run.launch.block),
                local: LocalMemory::new(DEFAULT_LIMIT, budget),
                stack: [0; LANES],
                quick_local: match &run.launch.follower {
                    Some(follower) => !follower.follows_values(),
                    None => run.code.observed.is_none(),
                },
                maxnreg: 0,
                maxnreg_at: None,
                awaited: None,
                expired: 0,
                asked: 0,
                arrivals: Arrivals::default(),
                closed: [[0; LANES]; 2],
                values: false,
                late: PutOff::default(),
                wgmma: crate::ops::wgmma::pending::Products::default(),
            },
            activations: Vec::new(),
            groups: Vec::new(),
            interrupted: false,
        };
        let warps: Vec<Warp> = (0..warps as u32).map(warp).collect();
        Some(Self {
            state,
            warps,
            block: run.launch.block,
            awake: 0,
            living: 0,
            turn: 0,
            seen: 0,
            interrupted: None,
            in_step: None,
            begun: false,
            clean: false,
            succeeds: false,
        })
    }

    /// Whether a CTA of an earlier launch of the same code has the shape of this one; it gets this one's shared memory.
    pub fn fits(&mut self, run: &Run<'_>) -> bool {
        let shared = usize::try_from(run.all_shared_bytes());
        self.block == run.launch.block && shared.is_ok_and(|bytes| self.state.shared.resize(bytes))
    }

    /// Makes it a CTA of the cluster.
    pub fn join(&mut self, rank: u32, cluster_ctaid: [u32; 3]) {
        self.state.rank = rank;
        self.state.cluster_ctaid = cluster_ctaid;
        self.state.shared_base = u64::from(rank) << OFFSET_BITS;
    }

    /// Makes it the CTA at this place in the grid, at its beginning. Gives whether the host had memory for its frames.
    pub fn start(&mut self, ctaid: [u32; 3], run: &Run<'_>, worker: &mut Worker) -> bool {
        let [x, y, z] = ctaid.map(u64::from);
        let [width, height, _] = run.launch.grid.map(u64::from);
        self.state.begin(x + width * (y + height * z), ctaid, run.environment.profile.sms);
        self.state.quick_shared = match run.code.observed {
            None => self.state.shared.bytes() as u64,
            Some(_) => 0,
        };
        self.start_warps(run, worker)
    }

    /// Makes it the next CTA that the worker has claimed, after one that has ended and left nothing; gives whether there
    /// is one and there is time for it.
    #[inline(always)]
    pub fn succeed(&mut self, worker: &mut Worker, run: &Run<'_>, enough: u64) -> bool {
        // It has begun before, so it takes no memory.
        succession::next(&mut self.state, worker, run, enough) && self.start_warps(run, worker)
    }

    /// Places the warps at the beginning of the entry.
    fn start_warps(&mut self, run: &Run<'_>, worker: &mut Worker) -> bool {
        (self.seen, self.interrupted) = (0, None);
        let threads = run.launch.block.iter().product::<u32>();
        let Some(Some(entry)) = run.code.functions.get(run.code.entry.0 as usize) else { return true };
        if self.clean {
            // Nothing of the warps has changed but registers.
            self.clean = false;
        } else if self.begun && !run.code.keeps {
            self.warps.iter_mut().for_each(|warp| warp.begin_again(run.code, entry));
        } else {
            for warp in &mut self.warps {
                let first = warp.state.index * 32;
                let count = (threads - first).min(32);
                warp.state.present = u32::MAX >> (32 - count);
                (warp.state.maxnreg, warp.state.maxnreg_at) = (0, None);
                (warp.state.awaited, warp.state.expired, warp.state.asked) = (None, 0, 0);
                warp.state.arrivals = Arrivals::default();
                warp.state.closed = [[0; LANES]; 2];
                warp.state.local.reset();
                if warp.state.local.grow_to(entry.frame_bytes).is_err()
                    || !warp.start(run.code, entry, run.environment.memory.budget())
                {
                    return false;
                }
            }
            self.begun = true;
        }
        self.in_step = in_step::may_begin(entry.block, worker, run).then_some(entry.block);
        if self.in_step.is_none() {
            let all = |warp: &mut Warp| {
                warp.groups.push(Group::at_beginning(entry.block, warp.state.present));
            };
            self.warps.iter_mut().for_each(all);
        }
        if run.launch.follower.is_some() {
            for warp in &mut self.warps {
                let lanes = warp.state.present;
                warp.state.values = false;
                let place = (&self.state, &*worker, run);
                values::begins(warp, place, (entry, 0, lanes), &[0; LANES]);
            }
        }
        self.living = u32::MAX >> (32 - self.warps.len());
        self.awake = self.living;
        self.turn =
            if run.launch.settings.seed == 0 { 0 } else { worker.next_random() as usize % self.warps.len() };
        true
    }
}

/// `%tid` of the lanes of a warp.
fn lanes_of(warp: u32, block: [u32; 3]) -> [[u32; LANES]; 3] {
    let mut tid = [[0; LANES]; 3];
    for lane in 0..LANES {
        let linear = warp * 32 + lane as u32;
        tid[0][lane] = linear % block[0].max(1);
        tid[1][lane] = linear / block[0].max(1) % block[1].max(1);
        tid[2][lane] = linear / block[0].max(1) / block[1].max(1);
    }
    tid
}
