//! Checks the limits of a launch before anything runs: the grid's, the device's and the kernel's own.

mod cluster;

use ptxvm_ir::Limits;
use ptxvm_machine::{Finding, Kind};
use ptxvm_profile::Profile;

use crate::launch::LaunchOptions;

pub(crate) use cluster::{cluster_of, grid_of};

/// The largest grid in each dimension.
const GRID: [u32; 3] = [0x7fff_ffff, 65535, 65535];
/// The largest CTA in each dimension.
const BLOCK: [u32; 3] = [1024, 1024, 64];
/// The most local memory of a thread.
const LOCAL: u64 = ptxvm_memory::local::DEFAULT_LIMIT as u64;
const AXES: [&str; 3] = ["x", "y", "z"];

/// What is asked of a launch besides its options.
pub(crate) struct Demands<'a> {
    pub kernel: &'a str,
    pub limits: &'a Limits,
    /// The kernel's static shared memory.
    pub shared: u32,
    /// The local memory of a thread before any call.
    pub local: u64,
    pub profile: &'a Profile,
}

/// Finds the first limit that a launch breaks.
pub(crate) fn broken(launch: &LaunchOptions, demands: &Demands<'_>) -> Option<Box<Finding>> {
    let message = shape(launch, demands.profile)
        .or_else(|| directives(launch, demands))
        .or_else(|| cluster::complaint(launch, demands))
        .or_else(|| shared(launch, demands))
        .or_else(|| local(demands))?;
    Some(Box::new(Finding {
        kind: Kind::Launch,
        message,
        notes: vec![format!("the grid is {}, a CTA {}", by(launch.grid.0), by(launch.block.0))],
        kernel: demands.kernel.to_owned(),
        place: None,
        thread: None,
        registers: Vec::new(),
        survived: false,
        related: Vec::new(),
    }))
}

fn by([x, y, z]: [u32; 3]) -> String {
    format!("{x} x {y} x {z}")
}

/// The threads of a CTA; three numbers of 32 bits fit.
fn threads(block: [u32; 3]) -> u128 {
    block.iter().map(|&n| u128::from(n)).product()
}

fn shape(launch: &LaunchOptions, profile: &Profile) -> Option<String> {
    for (what, size, most) in [("grid", launch.grid.0, GRID), ("CTA", launch.block.0, BLOCK)] {
        for axis in 0..3 {
            let (n, most, axis) = (size[axis], most[axis], AXES[axis]);
            if n == 0 {
                return Some(format!("the {what} has no extent in {axis}"));
            }
            if n > most {
                return Some(format!("the {what} has {n} in {axis}, {most} are allowed"));
            }
        }
    }
    let (threads, most) = (threads(launch.block.0), profile.threads_per_cta);
    (threads > u128::from(most)).then(|| format!("a CTA has {threads} threads, {most} are allowed"))
}

fn directives(launch: &LaunchOptions, demands: &Demands<'_>) -> Option<String> {
    let limits = demands.limits;
    if let Some(wanted) = limits.reqntid.filter(|&wanted| wanted != launch.block.0) {
        let block = by(launch.block.0);
        return Some(format!("the kernel's .reqntid asks for CTAs of {}, not of {block}", by(wanted)));
    }
    let threads = threads(launch.block.0);
    let most = limits.maxntid.filter(|&most| threads > u128::from(most))?;
    Some(format!("a CTA has {threads} threads, the kernel's .maxntid allows {most}"))
}

fn shared(launch: &LaunchOptions, demands: &Demands<'_>) -> Option<String> {
    let (fixed, dynamic, most) = (demands.shared, launch.shared, demands.profile.shared_per_cta);
    let all = u64::from(fixed) + u64::from(dynamic);
    (all > u64::from(most)).then(|| {
        let name = demands.profile.name;
        format!(
            "a CTA needs {all} bytes of shared memory ({fixed} static, {dynamic} dynamic), {name} has {most}"
        )
    })
}

fn local(demands: &Demands<'_>) -> Option<String> {
    let (bytes, most) = (demands.local, LOCAL);
    (bytes > most).then(|| format!("a thread needs {bytes} bytes of local memory, {most} are allowed"))
}
