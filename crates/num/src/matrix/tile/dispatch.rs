//! Loops over tiles, compiled for each level of vector instructions.
//!
//! This is the only place where code of a level is entered.
#![allow(unsafe_code)]

use super::quads::Quads;
use super::vector::Plain;
#[cfg(target_arch = "x86_64")]
use super::vector::{V3, V4};
use crate::level::Level;
#[cfg(target_arch = "x86_64")]
use crate::level::level;

/// Loops that are compiled for each level. `run` and all that loops in it must be `#[inline(always)]`: only what is
/// inlined into the function of a level uses its instructions.
pub(in crate::matrix) trait Work {
    /// Does the work with the vectors of a level.
    fn run<V: Quads>(self);
}

/// Does the work at the best level that is no higher than `most`.
pub(in crate::matrix) fn dispatch(most: Level, work: impl Work) {
    #[cfg(target_arch = "x86_64")]
    match level().min(most) {
        // SAFETY: `level` has found the features of these levels in the host.
        Level::V4 => return unsafe { v4(work) },
        // SAFETY: as above.
        Level::V3 => return unsafe { v3(work) },
        Level::Baseline => {}
    }
    let _ = most;
    work.run::<Plain>();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c")]
fn v3(work: impl Work) {
    work.run::<V3>();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,f16c,avx512f,avx512bw,avx512dq,avx512vl")]
fn v4(work: impl Work) {
    work.run::<V4>();
}
