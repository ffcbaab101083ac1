//! Special registers (manual chapter 10).
//!
//! Clocks count instructions, not time, so that a run with the same seed sees the same numbers.

use ptxvm_isa::{ISA, Type};

use crate::context::Context;
use crate::lanes::{Execute, Flow, Op};
use crate::registers::{LANES, Slot, Value};

/// Nanoseconds that `%globaltimer` starts from: some day in 2026, the same for every run.
const EPOCH: u64 = 1_790_000_000_000_000_000;

/// The bytes of a lane of a special register; 0 for a predicate.
#[must_use]
pub fn width(sreg: u16) -> u8 {
    match ISA.sregs.get(usize::from(sreg)).map(|s| s.ty) {
        Some(Type::Pred) => 0,
        Some(Type::U64 | Type::B64) => 8,
        _ => 4,
    }
}

/// The operation that reads a special register into its only destination.
#[must_use]
pub fn read(sreg: u16, member: u8) -> Op {
    let name = ISA.sregs.get(usize::from(sreg)).map_or("", |s| s.name);
    Box::new(Read { name, member: usize::from(member) })
}

/// The operation that gives the address of a byte of the parameter block.
#[must_use]
pub fn parameter_address(offset: u64) -> Op {
    Box::new(ParameterAddress(offset))
}

/// The operation that gives the address of a byte of the CTA's shared memory.
#[must_use]
pub fn shared_address(offset: u64) -> Op {
    Box::new(SharedAddress(offset))
}

struct SharedAddress(u64);

impl Execute for SharedAddress {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let address = context.cta.shared_base.wrapping_add(self.0);
        match slots[0].width {
            4 => u32::write(&mut context.bank, slots[0], mask, &[address as u32; LANES]),
            _ => u64::write(&mut context.bank, slots[0], mask, &[address; LANES]),
        }
        Flow::Next
    }
}

struct ParameterAddress(u64);

impl Execute for ParameterAddress {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let address = context.run.parameters.wrapping_add(self.0);
        u64::write(&mut context.bank, slots[0], mask, &[address; LANES]);
        Flow::Next
    }
}

struct Read {
    name: &'static str,
    member: usize,
}

impl Execute for Read {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let lane = |f: fn(u32) -> u32| std::array::from_fn(|l| u64::from(f(l as u32)));
        let dimension = |of: [u32; 3], beyond: u32| u64::from(of.get(self.member).copied().unwrap_or(beyond));
        let launch = context.run.launch;
        let values: [u64; LANES] = match self.name {
            "%tid" => match context.warp.tid.get(self.member) {
                Some(tid) => tid.map(u64::from),
                None => [0; LANES],
            },
            "%laneid" => lane(|l| l),
            "%lanemask_eq" => lane(|l| 1 << l),
            "%lanemask_le" => lane(|l| u32::MAX >> (31 - l)),
            "%lanemask_lt" => lane(|l| (1 << l) - 1),
            "%lanemask_ge" => lane(|l| u32::MAX << l),
            "%lanemask_gt" => lane(|l| (u32::MAX << l) & !(1 << l)),
            "%ntid" => [dimension(launch.block, 0); LANES],
            "%ctaid" => [dimension(context.cta.ctaid, 0); LANES],
            "%nctaid" => [dimension(launch.grid, 0); LANES],
            "%clusterid" => [dimension(context.worker.cluster.clusterid, 0); LANES],
            "%nclusterid" => {
                let shape = launch.cluster_shape();
                let clusters = std::array::from_fn(|d| launch.grid[d] / shape[d].max(1));
                [dimension(clusters, 0); LANES]
            }
            "%cluster_ctaid" => [dimension(context.cta.cluster_ctaid, 0); LANES],
            "%cluster_nctaid" => [dimension(launch.cluster_shape(), 0); LANES],
            _ => [uniform(self.name, context); LANES],
        };
        match slots[0].width {
            0 => bool::write(&mut context.bank, slots[0], mask, &values.map(|v| v != 0)),
            8 => u64::write(&mut context.bank, slots[0], mask, &values),
            _ => u32::write(&mut context.bank, slots[0], mask, &values.map(|v| v as u32)),
        }
        Flow::Next
    }
}

/// Special registers that are the same for the whole warp.
fn uniform(name: &str, context: &mut Context<'_>) -> u64 {
    let profile = context.run.environment.profile;
    let shared = context.run.shared_bytes();
    let reserved = u64::from(profile.shared_reserved);
    let begin = context.run.reserved_begin();
    match name {
        "%warpid" => u64::from(context.warp.index),
        "%nwarpid" => u64::from(profile.threads_per_sm / 32),
        "%smid" => u64::from(context.cta.smid),
        "%nsmid" => u64::from(profile.sms),
        "%gridid" => context.run.gridid,
        "%cluster_ctarank" => u64::from(context.cta.rank),
        "%cluster_nctarank" => context.worker.cluster.shared.len() as u64,
        "%is_explicit_cluster" => u64::from(context.run.launch.cluster.is_some()),
        "%clock" | "%clock64" => clock(context),
        "%clock_hi" => clock(context) >> 32,
        "%globaltimer" | "%globaltimer_lo" => timer(context),
        "%globaltimer_hi" => timer(context) >> 32,
        "%total_smem_size" => shared.next_multiple_of(128),
        "%dynamic_smem_size" => u64::from(context.run.launch.shared),
        "%aggr_smem_size" => shared + reserved,
        // The driver gives the address of a cooperative launch's workspace in two of the environment registers.
        "%envreg1" => context.run.workspace >> 32,
        "%envreg2" => context.run.workspace & u64::from(u32::MAX),
        "%reserved_smem_offset_begin" | "%reserved_smem_offset_0" | "%reserved_smem_offset_1" => begin,
        "%reserved_smem_offset_end" => begin + reserved,
        "%reserved_smem_offset_cap" => reserved,
        // Performance counters, other environment registers.
        _ => 0,
    }
}

/// Cycles: two for every instruction that the worker has run, and for every look at the clock, so that it never stands
/// still. Looking at the clock is waiting.
fn clock(context: &mut Context<'_>) -> u64 {
    context.worker.polled = true;
    context.worker.looks += 1;
    (context.worker.instructions + context.worker.looks) * 2
}

/// Nanoseconds, at the device's clock rate.
fn timer(context: &mut Context<'_>) -> u64 {
    EPOCH + clock(context) * 1_000_000 / u64::from(context.run.environment.profile.clock_khz.max(1))
}
