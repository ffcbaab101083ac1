//! Occupancy: how many CTAs and clusters of a shape a device holds at once.
//!
//! The arithmetic agrees with what an H200's driver answers (`tests/golden/driver/occupancy.json`); other devices
//! differ in their numbers only.

use crate::device::Profile;

/// What a CTA takes of a multiprocessor.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Demand {
    /// Its threads.
    pub threads: u32,
    /// The registers of one thread.
    pub registers: u32,
    /// Its shared memory in bytes, static and dynamic.
    pub shared: u32,
    /// How much of the multiprocessor's memory is to be shared memory, in percent; as much as helps if `None`.
    pub carveout: Option<u32>,
}

/// A multiprocessor's parts, each with its share of the registers.
const PARTS: u32 = 4;
/// Registers are given to warps in pieces of this size.
const REGISTER_PIECE: u32 = 256;
/// Shared memory is given to CTAs in pieces of this size.
const SHARED_PIECE: u32 = 128;
/// The sizes in KiB that a multiprocessor's shared memory can be given; the greatest of a device ends the list.
const CARVEOUTS: [u32; 9] = [8, 16, 32, 64, 100, 132, 164, 196, 228];
/// CTAs of a cluster that every device with clusters takes, and the most that one takes.
const PORTABLE_CLUSTER: u32 = 8;
const LARGEST_CLUSTER: u32 = 16;
/// CTAs of clusters that a multiprocessor holds.
const CLUSTER_CTAS_PER_SM: u32 = 8;

impl Profile {
    /// The registers of a multiprocessor, and the most that a CTA can have.
    #[must_use]
    pub const fn registers_per_sm(&self) -> u32 {
        65_536
    }

    /// How much of L2 can be set aside, in bytes; 0 on devices before compute capability 8.0.
    #[must_use]
    pub const fn persisting_l2(&self) -> u32 {
        match self.capability {
            (..8, _) => 0,
            (8, ..9) => self.l2 / 4 * 3,
            _ => self.l2 / 8 * 5,
        }
    }

    /// How many CTAs one multiprocessor holds; 0 if it cannot hold one.
    #[must_use]
    pub fn ctas_per_multiprocessor(&self, demand: &Demand) -> u32 {
        if demand.threads == 0 || demand.threads > self.threads_per_cta {
            return 0;
        }
        let warps = demand.threads.div_ceil(32);
        let registers = demand.registers.max(1).saturating_mul(32).next_multiple_of(REGISTER_PIECE);
        let warps_by_registers = self.registers_per_sm() / PARTS / registers * PARTS;
        let by_warps = (self.threads_per_sm / 32).min(warps_by_registers) / warps;
        by_warps.min(self.ctas_by_shared(demand)).min(self.ctas_per_sm)
    }

    fn ctas_by_shared(&self, demand: &Demand) -> u32 {
        let Some(shared) = demand.shared.checked_add(self.shared_reserved) else { return 0 };
        let Some(shared) = shared.checked_next_multiple_of(SHARED_PIECE) else { return 0 };
        let there = demand.carveout.map_or(self.shared_per_sm, |percent| {
            let wanted = (u64::from(self.shared_per_sm) * u64::from(percent)).div_ceil(100);
            let mut sizes = CARVEOUTS.iter().map(|size| size << 10);
            let size = sizes.find(|&size| u64::from(size) >= wanted.max(u64::from(shared)));
            size.map_or(self.shared_per_sm, |size| size.min(self.shared_per_sm))
        });
        there / shared.max(1)
    }

    /// How many CTAs a cluster may have: on every device with clusters, and on this one at most.
    #[must_use]
    pub fn cluster_sizes(&self) -> (u32, u32) {
        let group = self.groups.iter().copied().max().unwrap_or(1);
        (PORTABLE_CLUSTER.min(group), LARGEST_CLUSTER.min(group))
    }

    /// How many clusters of `size` CTAs the device holds.
    #[must_use]
    pub fn clusters(&self, demand: &Demand, size: u32) -> u32 {
        let slots = self.ctas_per_multiprocessor(demand).min(CLUSTER_CTAS_PER_SM);
        let size = size.max(1);
        self.groups.iter().filter(|&&sms| sms >= size).map(|&sms| sms * slots / size).sum()
    }

    /// How many CTAs the whole device holds at once: alone, or in clusters of a size.
    #[must_use]
    pub fn resident_ctas(&self, demand: &Demand, cluster: Option<u32>) -> u64 {
        let alone = u64::from(self.ctas_per_multiprocessor(demand)) * u64::from(self.sms);
        let in_clusters = cluster.map(|size| u64::from(self.clusters(demand, size)) * u64::from(size));
        in_clusters.map_or(alone, |ctas| ctas.min(alone))
    }

    /// The multiprocessor of a CTA in the cluster of this number, where clusters have `size` CTAs: all of a cluster lie
    /// in one group, each on its own.
    #[must_use]
    pub fn multiprocessor(&self, cluster: u64, size: u32, rank: u32) -> u32 {
        let size = size.max(1);
        let side_by_side: u32 = self.groups.iter().map(|sms| sms / size).sum();
        let mut number = (cluster % u64::from(side_by_side.max(1))) as u32;
        let mut first = 0;
        for sms in self.groups {
            if number < sms / size {
                return first + number * size + rank;
            }
            number -= sms / size;
            first += sms;
        }
        rank % self.sms.max(1)
    }

    /// The dynamic shared memory that each of so many CTAs of a multiprocessor could have, as the driver reckons it:
    /// without what the system keeps of every CTA.
    #[must_use]
    pub fn shared_for_each(&self, ctas: u32, fixed: u32) -> u32 {
        (self.shared_per_sm / ctas.max(1) / SHARED_PIECE * SHARED_PIECE).saturating_sub(fixed)
    }
}
