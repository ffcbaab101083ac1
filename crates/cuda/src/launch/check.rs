//! Checks a launch before it goes to a stream, so that the call itself returns the error of a wrong shape.

use ptxvm_vm::Dimensions;

use super::occupancy::resident_ctas;
use crate::abi::{Answer, CUresult};
use crate::work::KernelLaunch;

/// The largest grid in each dimension.
const GRID: [u32; 3] = [0x7fff_ffff, 65535, 65535];
/// The largest CTA in each dimension.
const BLOCK: [u32; 3] = [1024, 1024, 64];

/// Checks the shape of a launch against the device's limits and the kernel's own.
///
/// # Errors
/// It breaks one.
pub fn check_shape(launch: &KernelLaunch) -> Answer {
    let kernel = &launch.function.kernel;
    let profile = kernel.module().device().profile();
    let (limits, threads) = (kernel.limits(), Dimensions(launch.block).product());
    let within = |size: [u32; 3], most: [u32; 3]| (0..3).all(|axis| (1..=most[axis]).contains(&size[axis]));
    let shape = within(launch.grid, GRID)
        && within(launch.block, BLOCK)
        && threads <= u64::from(profile.threads_per_cta);
    let directives = limits.maxntid.is_none_or(|most| threads <= most)
        && limits.reqntid.is_none_or(|wanted| wanted == launch.block);
    if shape && directives { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
}

/// Checks a launch's shared memory against the device's and what the program has allowed. A cluster that cannot be is the
/// first mistake of the two.
///
/// # Errors
/// It is too much.
pub fn check_shared(launch: &KernelLaunch) -> Answer {
    let kernel = &launch.function.kernel;
    let most = u64::from(kernel.module().device().profile().shared_per_cta);
    let shared = u64::from(kernel.shared_bytes()) + u64::from(launch.shared);
    let allowed = launch.shared <= launch.function.dynamic_shared_limit();
    if allowed && shared <= most { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
}

/// Checks that the CTAs of a cooperative launch fit on the device together: as many as the occupancy calls say, to the
/// CTA (measured on an H200, with and without clusters).
///
/// # Errors
/// They do not.
pub fn check_cooperative(launch: &KernelLaunch) -> Answer {
    if launch.cooperative && Dimensions(launch.grid).product() > resident_ctas(launch)? {
        return Err(CUresult::COOPERATIVE_LAUNCH_TOO_LARGE);
    }
    Ok(())
}
