//! The instruction sets that the loops over tiles are compiled for, and the choice of one while a program runs.
//!
//! All levels give the same bits. This is the only place where code of a level is entered, so that the test for the
//! host's features stands next to it.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::sync::OnceLock;

use super::vector::{Plain, Vector};
#[cfg(target_arch = "x86_64")]
use super::vector::{V3, V4};

/// A level of vector instructions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Level {
    /// What every x86-64 or other host has.
    Baseline,
    /// AVX2, FMA and their company.
    V3,
    /// AVX-512.
    V4,
}

impl Level {
    /// Every level, the plainest first.
    pub const ALL: [Self; 3] = [Self::Baseline, Self::V3, Self::V4];
}

thread_local! {
    static CEILING: Cell<Level> = const { Cell::new(Level::V4) };
}

/// Runs `work` so that products in it use no higher level than this one, which tests and benchmarks ask for.
pub fn at_most<T>(level: Level, work: impl FnOnce() -> T) -> T {
    struct Restore(Level);
    impl Drop for Restore {
        fn drop(&mut self) {
            CEILING.set(self.0);
        }
    }
    let _restore = Restore(CEILING.replace(level));
    work()
}

/// The level that products use: the best of this host, or a lower one that [`at_most`] asks for.
#[must_use]
pub fn level() -> Level {
    static HOST: OnceLock<Level> = OnceLock::new();
    (*HOST.get_or_init(host)).min(CEILING.get())
}

fn host() -> Level {
    #[cfg(target_arch = "x86_64")]
    {
        let v3 = is_x86_feature_detected!("avx2") && is_x86_feature_detected!("fma");
        let v4 = v3
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl");
        if v4 {
            return Level::V4;
        }
        if v3 {
            return Level::V3;
        }
    }
    Level::Baseline
}

/// Loops that are compiled for each level. `run` and all that loops in it must be `#[inline(always)]`: only what is
/// inlined into the function of a level uses its instructions.
pub(in crate::matrix) trait Work {
    /// Does the work with the vectors of a level.
    fn run<V: Vector>(self);
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
#[target_feature(enable = "avx2,fma")]
fn v3(work: impl Work) {
    work.run::<V3>();
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")]
fn v4(work: impl Work) {
    work.run::<V4>();
}
