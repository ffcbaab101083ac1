//! How code is made. Whatever is chosen here, it does the same; tests choose what is not best.

/// How code is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tuning {
    /// A stretch of code that is compiled by itself has so many instructions at least, if it is one of several.
    pub least: usize,
    /// It is not cut if it has no more than so many.
    pub most: usize,
    /// Where lanes go alone, one after the other.
    pub alone: GoAlone,
    /// Whether words that lie close together are moved at once where that is told by the bits of `%tid.x`, or found when the
    /// code runs.
    pub close: bool,
    /// Where stretches are written once more, for warps of which all lanes go one way.
    pub one_way: OneWay,
    /// Whether instructions of AVX-512 are named, which the host must have ([`Tuning::has_avx512`]): permutes that look tables
    /// up, arithmetic with a rounding of its own; and parts of words are moved under masks.
    pub avx512: bool,
}

impl Tuning {
    /// Whether the host has AVX-512.
    #[must_use]
    pub fn has_avx512() -> bool {
        #[cfg(target_arch = "x86_64")]
        return std::arch::is_x86_feature_detected!("avx512f")
            && std::arch::is_x86_feature_detected!("avx512bw")
            && std::arch::is_x86_feature_detected!("avx512dq");
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    /// Whether the host has the instructions of AVX-512 that look bytes up.
    #[must_use]
    pub fn has_vbmi() -> bool {
        #[cfg(target_arch = "x86_64")]
        return std::arch::is_x86_feature_detected!("avx512vbmi");
        #[cfg(not(target_arch = "x86_64"))]
        false
    }

    /// Whether the host has AVX-512 for half precision.
    #[must_use]
    pub fn has_fp16() -> bool {
        #[cfg(target_arch = "x86_64")]
        return std::arch::is_x86_feature_detected!("avx512fp16");
        #[cfg(not(target_arch = "x86_64"))]
        false
    }
}

/// Where stretches are written once more, for warps of which all lanes go one way.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OneWay {
    /// Where addresses in loops that lanes may leave at different rounds have a shape then.
    WhereItPays,
    /// Wherever they can be.
    Always,
    /// Nowhere.
    Never,
}

/// Where lanes go through a stretch alone.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GoAlone {
    /// Where it may pay, as long as it does.
    WhereItPays,
    /// Wherever they can, always.
    Always,
    /// Nowhere.
    Never,
}

impl Default for Tuning {
    /// LLVM takes a tenth of a second for the longest stretch. What a cut costs, some stores and loads, is little beside it.
    fn default() -> Self {
        Self {
            least: 256,
            most: 768,
            alone: GoAlone::WhereItPays,
            close: true,
            one_way: OneWay::WhereItPays,
            avx512: Self::has_avx512(),
        }
    }
}
