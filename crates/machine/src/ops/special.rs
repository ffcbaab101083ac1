//! Special registers (manual chapter 10).
//!
//! Clocks count instructions, not time, so that a run with the same seed sees the same numbers.

use ptxvm_ir::operation::SpecialRegister as Register;

use crate::context::Context;
use crate::registers::{LANES, Slot};
use crate::vector::lanes::{Execute, Flow, Op};
use crate::vector::value::Value;

/// Nanoseconds that `%globaltimer` starts from: some day in 2026, the same for every run.
const EPOCH: u64 = 1_790_000_000_000_000_000;

/// The operation that reads a special register into its only destination.
#[must_use]
pub fn read(register: Register, member: u8) -> Op {
    Box::new(Read { register, member: usize::from(member) })
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
    register: Register,
    member: usize,
}

impl Execute for Read {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let lane = |f: fn(u32) -> u32| std::array::from_fn(|l| u64::from(f(l as u32)));
        let dimension = |of: [u32; 3], beyond: u32| u64::from(of.get(self.member).copied().unwrap_or(beyond));
        let launch = context.run.launch;
        let values: [u64; LANES] = match self.register {
            Register::Tid => match context.warp.tid.get(self.member) {
                Some(tid) => tid.map(u64::from),
                None => [0; LANES],
            },
            Register::Laneid => lane(|l| l),
            Register::LanemaskEq => lane(|l| 1 << l),
            Register::LanemaskLe => lane(|l| u32::MAX >> (31 - l)),
            Register::LanemaskLt => lane(|l| (1 << l) - 1),
            Register::LanemaskGe => lane(|l| u32::MAX << l),
            Register::LanemaskGt => lane(|l| (u32::MAX << l) & !(1 << l)),
            Register::Ntid => [dimension(launch.block, 0); LANES],
            Register::Ctaid => [dimension(context.cta.ctaid, 0); LANES],
            Register::Nctaid => [dimension(launch.grid, 0); LANES],
            Register::Clusterid => [dimension(context.worker.cluster.clusterid, 0); LANES],
            Register::Nclusterid => {
                let shape = launch.cluster_shape();
                let clusters = std::array::from_fn(|d| launch.grid[d] / shape[d].max(1));
                [dimension(clusters, 0); LANES]
            }
            Register::ClusterCtaid => [dimension(context.cta.cluster_ctaid, 0); LANES],
            Register::ClusterNctaid => [dimension(launch.cluster_shape(), 0); LANES],
            _ => [uniform(self.register, context); LANES],
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
fn uniform(register: Register, context: &mut Context<'_>) -> u64 {
    let profile = context.run.environment.profile;
    let shared = context.run.shared_bytes();
    let reserved = u64::from(profile.shared_reserved);
    let begin = context.run.reserved_begin();
    match register {
        Register::Warpid => u64::from(context.warp.index),
        Register::Nwarpid => u64::from(profile.threads_per_sm / 32),
        Register::Smid => u64::from(context.cta.smid),
        Register::Nsmid => u64::from(profile.sms),
        Register::Gridid => context.run.gridid,
        Register::ClusterCtarank => u64::from(context.cta.rank),
        Register::ClusterNctarank => context.worker.cluster.shared.len() as u64,
        Register::IsExplicitCluster => u64::from(context.run.launch.cluster.is_some()),
        Register::Clock => clock(context),
        Register::ClockHi => clock(context) >> 32,
        Register::Globaltimer => timer(context),
        Register::GlobaltimerHi => timer(context) >> 32,
        Register::TotalSmemSize => shared.next_multiple_of(128),
        Register::DynamicSmemSize => u64::from(context.run.launch.shared),
        Register::AggrSmemSize => shared + reserved,
        // The driver gives the address of a cooperative launch's workspace in two of the environment registers.
        Register::WorkspaceHigh => context.run.workspace >> 32,
        Register::WorkspaceLow => context.run.workspace & u64::from(u32::MAX),
        Register::ReservedSmemBegin => begin,
        Register::ReservedSmemEnd => begin + reserved,
        Register::ReservedSmemCap => reserved,
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
