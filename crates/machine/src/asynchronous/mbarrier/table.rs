//! The mbarrier objects of a cluster: which addresses hold one.

use rustc_hash::FxHashMap;

use super::record::{Party, Record};
use crate::code::Source;
use crate::schedule::cluster::shared::rank_and_offset;

/// The mbarrier objects of a cluster, by their `.shared::cluster` address.
#[derive(Debug, Default)]
pub struct Mbarriers {
    pub(super) live: FxHashMap<u32, Record>,
    /// Those that have been invalidated, and by whom.
    pub(super) gone: FxHashMap<u32, Party>,
}

/// An arrival as its instruction has it.
#[derive(Clone, Copy, Debug)]
pub struct MbarrierArrival {
    /// How many arrivals it counts for.
    pub count: u32,
    /// Bytes that the phase is to wait for from now on.
    pub expect: Option<u32>,
    /// Whether the thread does not come again (`arrive_drop`).
    pub drop: bool,
    /// Whether it must not end the phase.
    pub no_complete: bool,
}

impl Mbarriers {
    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.live.clear();
        self.gone.clear();
    }

    /// The object at an address.
    #[must_use]
    pub fn get(&self, address: u32) -> Option<&Record> {
        self.live.get(&address)
    }

    /// The live objects of a CTA of the cluster.
    pub(crate) fn of_cta(&self, rank: u32) -> impl Iterator<Item = (u32, &Record)> {
        let own = move |address: u32| rank_and_offset(address.into()).0 == u64::from(rank);
        self.live
            .iter()
            .filter(move |(address, _)| own(**address))
            .map(|(address, record)| (*address, record))
    }

    /// An instruction has expected bytes at an object, or brought some.
    pub(crate) fn counts_bytes(&mut self, address: u32, at: Source, brings: bool) {
        if let Some(record) = self.live.get_mut(&address) {
            let by = if brings { &mut record.brought_by } else { &mut record.expected_by };
            *by = Some(at);
        }
    }

    /// The addresses of live objects that lie in the same CTA, from the lowest up.
    pub(super) fn beside(&self, address: u32) -> Vec<u32> {
        let rank = |address: u32| rank_and_offset(address.into()).0;
        let mut beside: Vec<u32> =
            self.live.keys().copied().filter(|other| rank(*other) == rank(address)).collect();
        beside.sort_unstable();
        beside
    }
}
