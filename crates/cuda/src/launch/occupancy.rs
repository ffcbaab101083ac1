//! The entry points that say how many CTAs and clusters of a kernel the device holds at once. [`ptxvm_vm::Demand`]
//! computes it.
#![allow(unsafe_code)]

use std::sync::Arc;

use ptxvm_profile::{Demand, Profile};

use super::attributes::{CUlaunchConfig, Wishes};
use super::cluster;
use crate::abi::{Answer, CUresult, In, Out};
use crate::context::current;
use crate::device::SHARED_PER_BLOCK;
use crate::entry::entry;
use crate::module::{CUfunction, Function, launchable};
use crate::work::KernelLaunch;

/// `CUoccupancyB2DSize`: the dynamic shared memory that a CTA of so many threads needs.
type SharedOfBlock = Option<unsafe extern "C" fn(i32) -> usize>;

/// `CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE`, which has no effect on any device of ours.
const FLAGS: u32 = 1;

/// `CU_FUNC_ATTRIBUTE_*`
const SHARED_SIZE_BYTES: i32 = 1;
const NUM_REGS: i32 = 4;
const PREFERRED_SHARED_MEMORY_CARVEOUT: i32 = 9;

entry! {
    fn cuOccupancyMaxActiveBlocksPerMultiprocessor(
        blocks: Out<i32>, function: CUfunction, block_size: i32, dynamic: usize,
    ) {
        max_active_blocks(blocks, function, block_size, dynamic, 0)
    }

    fn cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        blocks: Out<i32>, function: CUfunction, block_size: i32, dynamic: usize, flags: u32,
    ) {
        max_active_blocks(blocks, function, block_size, dynamic, flags)
    }

    fn cuOccupancyMaxPotentialBlockSize(
        grid: Out<i32>,
        block: Out<i32>,
        function: CUfunction,
        shared_of_block: SharedOfBlock,
        dynamic: usize,
        limit: i32,
    ) {
        max_potential_block_size(grid, block, function, shared_of_block, dynamic, limit, 0)
    }

    fn cuOccupancyMaxPotentialBlockSizeWithFlags(
        grid: Out<i32>,
        block: Out<i32>,
        function: CUfunction,
        shared_of_block: SharedOfBlock,
        dynamic: usize,
        limit: i32,
        flags: u32,
    ) {
        max_potential_block_size(grid, block, function, shared_of_block, dynamic, limit, flags)
    }

    fn cuOccupancyAvailableDynamicSMemPerBlock(
        dynamic: Out<usize>, function: CUfunction, blocks: i32, block_size: i32,
    ) {
        let kernel = Resident::of(function)?;
        let threads = u32::try_from(block_size).map_err(|_| CUresult::INVALID_VALUE)?;
        match u32::try_from(blocks) {
            Ok(blocks) if (1..=kernel.blocks(threads, 0)).contains(&blocks) => {
                let room = kernel.profile.shared_for_each(blocks, kernel.fixed);
                dynamic.set(room.min(kernel.dynamic_limit) as usize)
            }
            _ => Err(CUresult::INVALID_VALUE),
        }
    }

    fn cuOccupancyMaxActiveClusters(clusters: Out<i32>, function: CUfunction, config: In<CUlaunchConfig>) {
        let kernel = Resident::of(function)?;
        let config = config.get()?;
        let Some(size) = kernel.cluster_size(&config)? else { return clusters.set(0) };
        clusters.set(kernel.clusters(&config, size) as i32)
    }

    fn cuOccupancyMaxPotentialClusterSize(size: Out<i32>, function: CUfunction, config: In<CUlaunchConfig>) {
        let kernel = Resident::of(function)?;
        let config = config.get()?;
        kernel.cluster_size(&config)?;
        let fits = |&size: &u32| kernel.clusters(&config, size) > 0;
        size.set((1..=kernel.largest_cluster).rev().find(fits).unwrap_or(0) as i32)
    }
}

/// What of a kernel counts for its occupancy.
struct Resident {
    function: Arc<Function>,
    profile: &'static Profile,
    registers: u32,
    /// Static shared memory in bytes.
    fixed: u32,
    /// The most dynamic shared memory that the program has allowed.
    dynamic_limit: u32,
    /// The share of shared memory that the program prefers, in percent.
    carveout: Option<u32>,
    /// The largest cluster that the program allows.
    largest_cluster: u32,
}

/// How many CTAs of a launch the device holds at once.
///
/// # Errors
/// The function cannot be asked.
pub fn resident_ctas(launch: &KernelLaunch) -> Answer<u64> {
    let kernel = Resident::new(Arc::clone(&launch.function))?;
    let demand = kernel.demand(cluster::volume(launch.block), launch.shared);
    Ok(kernel.profile.resident_ctas(&demand, launch.cluster.map(cluster::volume)))
}

impl Resident {
    fn of(function: CUfunction) -> Answer<Self> {
        current()?;
        Self::new(launchable(function.number())?)
    }

    fn new(function: Arc<Function>) -> Answer<Self> {
        let unsigned = |attribute| function.attribute(attribute).map(|value| u32::try_from(value).ok());
        Ok(Self {
            profile: function.kernel.module().device().profile(),
            registers: unsigned(NUM_REGS)?.unwrap_or(0),
            fixed: unsigned(SHARED_SIZE_BYTES)?.unwrap_or(0),
            dynamic_limit: function.dynamic_shared_limit(),
            carveout: unsigned(PREFERRED_SHARED_MEMORY_CARVEOUT)?,
            largest_cluster: cluster::most(&function)?,
            function,
        })
    }

    fn demand(&self, threads: u32, dynamic: u32) -> Demand {
        let shared = self.fixed.saturating_add(dynamic);
        Demand { threads, registers: self.registers, shared, carveout: self.carveout }
    }

    /// CTAs of this shape on one multiprocessor.
    fn blocks(&self, threads: u32, dynamic: usize) -> u32 {
        match u32::try_from(dynamic) {
            // What needs no permission counts, even if the program has set the limit lower.
            Ok(dynamic) if dynamic <= self.dynamic_limit.max(SHARED_PER_BLOCK.saturating_sub(self.fixed)) => {
                self.profile.ctas_per_multiprocessor(&self.demand(threads, dynamic))
            }
            _ => 0,
        }
    }

    /// Clusters of this size on the device.
    fn clusters(&self, config: &CUlaunchConfig, size: u32) -> u32 {
        let threads = cluster::volume(config.block);
        if config.shared > self.dynamic_limit {
            return 0;
        }
        self.profile.clusters(&self.demand(threads, config.shared), size)
    }

    /// How many CTAs the clusters of a launch would have; `None` if it has none.
    fn cluster_size(&self, config: &CUlaunchConfig) -> Answer<Option<u32>> {
        let wished = Wishes::read(config.attributes, config.count)?.cluster;
        Ok(cluster::of(&self.function, config.grid, wished)?.map(cluster::volume))
    }
}

fn max_active_blocks(
    to: Out<i32>,
    function: CUfunction,
    block_size: i32,
    dynamic: usize,
    flags: u32,
) -> Answer {
    let kernel = Resident::of(function)?;
    match u32::try_from(block_size) {
        Ok(threads) if threads > 0 && flags <= FLAGS => to.set(kernel.blocks(threads, dynamic) as i32),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

/// Finds the largest CTA with which the multiprocessors are as full as they can be.
fn max_potential_block_size(
    grid: Out<i32>,
    block: Out<i32>,
    function: CUfunction,
    shared_of_block: SharedOfBlock,
    dynamic: usize,
    limit: i32,
    flags: u32,
) -> Answer {
    let kernel = Resident::of(function)?;
    let limit = u32::try_from(limit).map_err(|_| CUresult::INVALID_VALUE)?;
    if grid.is_null() || block.is_null() || flags > FLAGS {
        return Err(CUresult::INVALID_VALUE);
    }
    // The driver heeds `.maxntid` here, not `.reqntid`.
    let device = kernel.profile.threads_per_cta;
    let own = kernel.function.kernel.limits().maxntid;
    let own = own.and_then(|own| u32::try_from(own).ok()).map_or(device, |own| own.min(device));
    let most = if limit == 0 { own } else { own.min(limit) };
    let (mut best, mut best_blocks) = (0, 0);
    for warps in (1..=most.div_ceil(32)).rev() {
        let threads = (warps * 32).min(most);
        // SAFETY: the program has given the function for this, and may be asked about any number of threads.
        let dynamic = shared_of_block.map_or(dynamic, |shared| unsafe { shared(threads as i32) });
        let blocks = kernel.blocks(threads, dynamic);
        if blocks * threads > best * best_blocks {
            (best, best_blocks) = (threads, blocks);
        }
    }
    grid.set((best_blocks * kernel.profile.sms) as i32)?;
    block.set(best as i32)
}
