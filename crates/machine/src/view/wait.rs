//! What a group of lanes waits for, and who has not arrived.

use super::threads::GroupView;
use crate::schedule::cluster::shared::rank_and_offset;
use crate::schedule::cta::Cta;
use crate::schedule::warp::{Awaited, State, Warp};

/// What a group waits for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Wait {
    /// Other lanes of its warp, to execute an instruction together.
    Lanes {
        /// Those that have not come.
        missing: u32,
    },
    /// A barrier of its CTA.
    Barrier {
        /// Its number.
        number: u32,
        /// The warps that have arrived, and how many must.
        arrived: u32,
        /// How many must.
        expected: u32,
        /// The lanes that live and have not arrived. If the barrier takes fewer threads than the CTA has, not all of them
        /// need to.
        missing: Vec<Lanes>,
    },
    /// A phase of an mbarrier object.
    Mbarrier {
        /// The CTA in whose shared memory it lies.
        rank: u32,
        /// Where it lies there.
        offset: u32,
        /// The parity of the phase that is to end.
        parity: bool,
        /// The arrivals that its current phase lacks.
        arrivals: u32,
        /// The bytes that its current phase lacks; below zero if they came before they were expected.
        bytes: i32,
    },
    /// The barrier of its cluster.
    ClusterBarrier {
        /// The lanes of the cluster that live and have not arrived.
        missing: Vec<Lanes>,
    },
    /// The grids that this one depends on.
    Grids,
    /// The other warps of its warpgroup.
    Warpgroup {
        /// Those that have not come.
        missing: Vec<u32>,
    },
    /// So many columns of tensor memory.
    TensorColumns(u32),
    /// A warp of the peer CTA, to allocate so many columns of tensor memory together.
    PeerAllocates(u32),
    /// A warp of the peer CTA, to deallocate tensor memory together.
    PeerDeallocates,
}

/// Lanes of one warp of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Lanes {
    /// The rank of the CTA in its cluster.
    pub rank: u32,
    /// The warp in the CTA.
    pub warp: u32,
    /// The lanes.
    pub lanes: u32,
}

impl GroupView<'_> {
    /// What it waits for; `None` if it can go on.
    #[must_use]
    pub fn wait(&self) -> Option<Wait> {
        match self.group.state {
            State::Ready | State::Released | State::Again(_) => None,
            State::Converge(members) => {
                Some(Wait::Lanes { missing: members & self.warp.alive() & !self.group.mask })
            }
            State::Barrier { number, .. } => Some(self.barrier(number)),
            State::Wait(awaited) => Some(self.awaited(awaited)),
        }
    }

    fn barrier(&self, number: u32) -> Wait {
        let cta = self.warp.cta.cta;
        let barrier = &cta.state.barriers[number as usize];
        let (arrived, expected) = barrier.progress(cta.living());
        let missing = |warp: &Warp| barrier.missing(warp.state.index as usize, warp.state.alive());
        Wait::Barrier { number, arrived, expected, missing: lanes([cta], missing) }
    }

    fn awaited(&self, awaited: Awaited) -> Wait {
        let cluster = self.warp.cta.cluster;
        match awaited {
            Awaited::Mbarrier { address, parity } => {
                let (rank, offset) = rank_and_offset(address.into());
                let object = cluster.mbarriers.get(address).map(|record| record.object);
                let (arrivals, bytes) = object.map_or((0, 0), |object| (object.pending, object.tx));
                Wait::Mbarrier { rank: rank as u32, offset: offset as u32, parity, arrivals, bytes }
            }
            Awaited::ClusterBarrier => {
                let missing = |warp: &Warp| warp.state.alive() & !warp.state.arrivals.open(&cluster.barrier);
                let ctas = self.warp.cta.ctas.iter().map(|cta| &**cta);
                Wait::ClusterBarrier { missing: lanes(ctas, missing) }
            }
            Awaited::Grids => Wait::Grids,
            Awaited::Warpgroup | Awaited::Products => {
                let behind = self.warp.cta.cta.state.warpgroups.behind(self.warp.warp.state.index);
                Wait::Warpgroup { missing: behind.map(|warp| warp as u32).collect() }
            }
            Awaited::Columns(columns) => Wait::TensorColumns(columns),
            Awaited::PeerAllocates(columns) => Wait::PeerAllocates(columns),
            Awaited::PeerDeallocates => Wait::PeerDeallocates,
        }
    }
}

/// The lanes of some CTAs' warps of which something holds.
fn lanes<'a>(ctas: impl IntoIterator<Item = &'a Cta>, of: impl Fn(&Warp) -> u32) -> Vec<Lanes> {
    let warps = ctas.into_iter().flat_map(|cta| cta.warps.iter().map(|warp| (cta.state.rank, warp)));
    let each = warps.map(|(rank, warp)| Lanes { rank, warp: warp.state.index, lanes: of(warp) });
    each.filter(|each| each.lanes != 0).collect()
}
