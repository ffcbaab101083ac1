//! The instruction sets that loops are compiled for, and the choice of one at run time.
//!
//! All levels give the same bits.

use std::cell::Cell;
use std::sync::OnceLock;

use crate::meanwhile::meanwhile;

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

    /// What people call it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Baseline => "none beyond what every host of this kind has",
            Self::V3 => "AVX2",
            Self::V4 => "AVX-512",
        }
    }
}

thread_local! {
    static CEILING: Cell<Level> = const { Cell::new(Level::V4) };
}

/// Runs `work` so that the operations that it makes, and the matrix products in it, are of no higher level than this one.
///
/// Only tests that compare the levels and benchmarks have a reason to ask.
pub fn at_most<T>(level: Level, work: impl FnOnce() -> T) -> T {
    meanwhile(&CEILING, level, work)
}

/// The level that operations are made for: the best of this host, or a lower one that [`at_most`] asks for.
#[must_use]
pub fn level() -> Level {
    static HOST: OnceLock<Level> = OnceLock::new();
    (*HOST.get_or_init(host)).min(CEILING.get())
}

/// The best level of this host.
fn host() -> Level {
    #[cfg(target_arch = "x86_64")]
    {
        let v3 = is_x86_feature_detected!("avx2")
            && is_x86_feature_detected!("fma")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("lzcnt")
            && is_x86_feature_detected!("popcnt")
            && is_x86_feature_detected!("f16c");
        let v4 = v3
            && cfg!(not(no_avx512))
            && is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512cd")
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
