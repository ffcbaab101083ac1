//! The mbarrier objects of a cluster: which addresses hold one, and the ways in which threads and copies change them.

use rustc_hash::FxHashMap;

use super::object::{Object, Refusal};
use crate::cluster::{ClusterState, rank_and_offset};

/// The live mbarrier objects of a cluster, by their `.shared::cluster` address.
#[derive(Debug, Default)]
pub struct Mbarriers {
    objects: FxHashMap<u32, Object>,
}

impl Mbarriers {
    /// Forgets all of them.
    pub fn clear(&mut self) {
        self.objects.clear();
    }

    /// What an object holds.
    #[must_use]
    pub fn get(&self, address: u32) -> Option<Object> {
        self.objects.get(&address).copied()
    }

    /// Makes an object.
    pub fn init(&mut self, address: u32, count: u32) {
        self.objects.insert(address, Object::new(count));
    }
}

impl ClusterState {
    /// Changes an object, which may end its phase. Gives what it held before.
    pub fn update(
        &mut self,
        address: u32,
        change: impl FnOnce(&mut Object) -> Result<(), Refusal>,
    ) -> Result<Object, String> {
        let Some(object) = self.mbarriers.objects.get_mut(&address) else {
            let (rank, offset) = rank_and_offset(u64::from(address));
            return Err(format!(
                "no mbarrier object lies at {offset:#x} in the shared memory of CTA {rank} of the cluster"
            ));
        };
        let before = *object;
        change(object).map_err(|refusal| format!("{refusal:?}"))?;
        if object.advance() {
            self.events += 1;
        }
        Ok(before)
    }

    /// A copy of so many bytes is done.
    pub fn complete_tx(&mut self, address: u32, bytes: u32) -> Result<(), String> {
        self.update(address, |object| object.add_tx(-i64::from(bytes))).map(drop)
    }

    /// Arrivals that were to happen when copies are done.
    pub fn arrive_asynchronously(&mut self, address: u32, count: u32, _counted: bool) -> Result<(), String> {
        self.update(address, |object| object.arrive(count)).map(drop)
    }
}
