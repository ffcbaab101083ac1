//! The matrix descriptors of `wgmma` and `tcgen05` (manual 9.7.15.5.1.2.2 and 9.7.16.4.1): where a matrix lies in shared
//! memory, and where each of its units of sixteen bytes does.
//!
//! A unit is sixteen bytes of neighbouring elements: along K in a K-major matrix, along M or N in an MN-major one. What
//! the manual calls core matrices and swizzle atoms is here one formula for each of the two and with or without swizzle.

use std::ops::Range;

use ptxvm_memory::chunk::CHUNK;
use ptxvm_tensor::Swizzle;
use ptxvm_tensor::swizzle::{LINE, Pattern};

/// Which index runs through neighbouring elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Major {
    /// K: rows of A, columns of B.
    K,
    /// M of A, N of B.
    Mn,
}

/// A matrix descriptor, its fields decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Descriptor {
    /// The first byte in the CTA's shared memory.
    pub start: u32,
    /// The leading dimension byte offset (or address).
    pub leading: u32,
    /// Whether the leading dimension is given by an absolute address.
    pub leading_is_address: bool,
    /// The stride dimension byte offset.
    pub stride: u32,
    /// Where in the swizzle's pattern the matrix begins, in lines.
    pub base_offset: u32,
    /// The swizzle.
    pub swizzle: Swizzle,
}

/// The bytes of a unit.
const UNIT: u64 = CHUNK as u64;

/// Where units lie without a swizzle: the start, what the index along the major direction adds, and what the other adds.
#[derive(Clone, Copy)]
struct Places {
    start: u64,
    /// The logarithms of the units in a span, and of the rows or columns in an atom.
    span_log: u32,
    high_log: u32,
    /// From one span to the next, from one row or column to the next, from one atom to the next.
    span: u64,
    line: u64,
    atom: u64,
}

impl Places {
    #[inline(always)]
    fn along(&self, along: u32) -> u64 {
        let (span, rest) = (along >> self.span_log, along & ((1 << self.span_log) - 1));
        u64::from(rest) * UNIT + u64::from(span) * self.span
    }

    #[inline(always)]
    fn across(&self, across: u32) -> u64 {
        let (atom, rest) = (across >> self.high_log, across & ((1 << self.high_log) - 1));
        u64::from(rest) * self.line + u64::from(atom) * self.atom
    }
}

/// Where a unit lies whose place without the swizzle is known.
///
/// The number of the line counts from the pattern's beginning, `base` bytes into its period; the address itself does not
/// move. The pattern looks at the lowest bits of the number, so that it may wrap.
#[inline(always)]
fn swizzled(address: u64, pattern: Pattern, base: u32) -> u64 {
    let counted = (address as u32).wrapping_sub(base);
    address ^ u64::from(pattern.place(counted) ^ counted)
}

/// The units of one index in the major direction.
#[derive(Clone, Copy)]
pub(super) struct UnitLine {
    places: Places,
    pattern: Pattern,
    base: u32,
}

impl UnitLine {
    /// The offset in shared memory of the unit in a row or column.
    #[inline(always)]
    pub(super) fn unit(&self, across: u32) -> u64 {
        swizzled(self.places.start + self.places.across(across), self.pattern, self.base)
    }
}

/// Bits of the descriptor that are a field of fourteen bits in units of sixteen bytes.
const fn encoded(bits: u64, at: u32) -> u32 {
    ((bits >> at & 0x3fff) as u32) << 4
}

/// Names the first bits of `reserved` ranges that are set.
fn reserved(bits: u64, ranges: &[Range<u32>]) -> Result<(), String> {
    for range in ranges {
        let field = bits >> range.start & ((1u64 << (range.end - range.start)) - 1);
        if field != 0 {
            return Err(format!(
                "bits {} to {} of the matrix descriptor {bits:#018x} are reserved and must be 0, not {field:#x}",
                range.start,
                range.end - 1
            ));
        }
    }
    Ok(())
}

impl Descriptor {
    /// Decodes the descriptor of `wgmma`. Bits that are no field are ignored, as the H200 ignores them, and so is the
    /// base offset where there is no swizzle.
    #[must_use]
    pub fn wgmma(bits: u64) -> Self {
        let swizzle = match bits >> 62 {
            0 => Swizzle::None,
            1 => Swizzle::Bytes128,
            2 => Swizzle::Bytes64,
            _ => Swizzle::Bytes32,
        };
        Self::common(bits, swizzle)
    }

    /// Decodes the descriptor of `tcgen05`; otherwise says what is wrong with it. A base offset where there is no swizzle
    /// has nothing to move, and Triton writes one.
    pub fn tcgen05(bits: u64) -> Result<Self, String> {
        reserved(bits, &[14..16, 30..32, 53..61])?;
        let constant = bits >> 46 & 7;
        if constant != 1 {
            return Err(format!(
                "bits 46 to 48 of the matrix descriptor {bits:#018x} must be 0b001, not {constant:#05b}"
            ));
        }
        let swizzle = match bits >> 61 {
            0 => Swizzle::None,
            1 => Swizzle::Bytes128Atom32,
            2 => Swizzle::Bytes128,
            4 => Swizzle::Bytes64,
            6 => Swizzle::Bytes32,
            other => {
                return Err(format!(
                    "the swizzling mode (bits 61 to 63) of the matrix descriptor {bits:#018x} is {other}; \
                     it must be 0, 1, 2, 4 or 6"
                ));
            }
        };
        Ok(Self { leading_is_address: bits >> 52 & 1 != 0, ..Self::common(bits, swizzle) })
    }

    const fn common(bits: u64, swizzle: Swizzle) -> Self {
        Self {
            start: encoded(bits, 0),
            leading: encoded(bits, 16),
            leading_is_address: false,
            stride: encoded(bits, 32),
            base_offset: (bits >> 49 & 7) as u32,
            swizzle,
        }
    }

    /// The swizzle, for reports.
    #[must_use]
    pub const fn swizzle_name(&self) -> &'static str {
        match self.swizzle {
            Swizzle::None => "no swizzle",
            Swizzle::Bytes32 => "32-byte swizzle",
            Swizzle::Bytes64 => "64-byte swizzle",
            Swizzle::Bytes128Atom32 => "128-byte swizzle of 32-byte atoms",
            _ => "128-byte swizzle",
        }
    }

    /// The logarithm of the units in a swizzle's span; of one unit without a swizzle.
    const fn span_log(&self) -> u32 {
        match self.swizzle {
            Swizzle::None => 0,
            Swizzle::Bytes32 => 1,
            Swizzle::Bytes64 => 2,
            _ => 3,
        }
    }

    /// The logarithm of how many rows or columns an atom has across: eight, but four if an MN-major one exchanges 32
    /// bytes.
    const fn high_log(&self, major: Major) -> u32 {
        if matches!((major, self.swizzle), (Major::Mn, Swizzle::Bytes128Atom32)) { 2 } else { 3 }
    }

    /// Where units would lie without the swizzle, unless the leading dimension is an address.
    ///
    /// No number here can be too large: fields have 18 bits, and 64 are counted with.
    fn places(&self, major: Major) -> Places {
        let [start, leading, stride] = [self.start, self.leading, self.stride].map(u64::from);
        let (span_log, high_log) = (self.span_log(), self.high_log(major));
        let (span, atom) = match (major, self.swizzle) {
            (Major::Mn, Swizzle::None) => (stride, leading),
            _ => (leading, stride),
        };
        Places { start, span_log, high_log, span, line: UNIT << span_log, atom }
    }

    /// Where a unit would lie without the swizzle: the unit `along` in the major direction, the row or column `across`.
    #[inline]
    fn plain(&self, major: Major, along: u32, across: u32) -> u64 {
        let places = self.places(major);
        if major == Major::K && self.leading_is_address {
            // What leaves its line goes on at the beginning of the line that the address names.
            let within = u64::from(self.start) % u64::from(LINE) + u64::from(along) * UNIT;
            return match within.checked_sub(LINE.into()) {
                Some(rest) => u64::from(self.leading) + places.across(across) + rest,
                None => places.start + places.across(across) + u64::from(along) * UNIT,
            };
        }
        places.start + places.along(along) + places.across(across)
    }

    /// The units of one index `along`: what it adds, and how the swizzle exchanges, is found once for all of them. Nothing
    /// if the leading dimension is an address.
    #[inline]
    pub(super) fn line(&self, major: Major, along: u32) -> Option<UnitLine> {
        let mut places = self.places(major);
        places.start += places.along(along);
        let line = UnitLine { places, pattern: self.swizzle.pattern(), base: self.base_offset * LINE };
        (!self.leading_is_address).then_some(line)
    }

    /// The offset in shared memory of a unit.
    #[inline]
    #[must_use]
    pub fn unit(&self, major: Major, along: u32, across: u32) -> u64 {
        swizzled(self.plain(major, along, across), self.swizzle.pattern(), self.base_offset * LINE)
    }

    /// Where the last line ends that has a unit of a matrix without an absolute address.
    ///
    /// The place of a unit is the start, and what `along` adds, and what `across` adds. Each of the two is of the form
    /// `index % period * a + index / period * b`, where neither `a` nor `b` is negative. Of the indices of one quotient the
    /// last is the farthest; of those that are the last of a whole period, again the last. So the farthest index is the
    /// last of all or the last of the last whole period, and the farthest unit is one of four. A swizzle leaves it in its
    /// line.
    pub(super) fn last_line_ends(&self, major: Major, along: u32, across: u32) -> u64 {
        let last = |count: u32, period_log: u32| {
            [count.saturating_sub(1), (count >> period_log << period_log).saturating_sub(1)]
        };
        let mut farthest = 0;
        for across in last(across, self.high_log(major)) {
            for along in last(along, self.span_log()) {
                farthest = farthest.max(self.plain(major, along, across));
            }
        }
        (farthest | u64::from(LINE - 1)) + 1
    }
}
