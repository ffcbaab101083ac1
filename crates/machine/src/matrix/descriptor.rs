//! The matrix descriptors of `wgmma` and `tcgen05` (manual 9.7.15.5.1.2.2 and 9.7.16.4.1): where a matrix lies in shared
//! memory, and where each of its units of sixteen bytes does.
//!
//! A unit is sixteen bytes of neighbouring elements: along K in a K-major matrix, along M or N in an MN-major one. What
//! the manual calls core matrices and swizzle atoms is here one formula for each of the two and with or without swizzle.

use std::ops::Range;

use ptxvm_memory::access;
use ptxvm_memory::chunk::CHUNK;

use crate::tensor::Swizzle;
use crate::tensor::swizzle::{LINE, Pattern};

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
                    "the swizzling mode (bits 61 to 63) of the matrix descriptor {bits:#018x} is {other}, \
                     which must be 0, 1, 2, 4 or 6"
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

    /// The bytes of a swizzle's span; sixteen without one.
    fn span(&self) -> u32 {
        match self.swizzle {
            Swizzle::None => 16,
            Swizzle::Bytes32 => 32,
            Swizzle::Bytes64 => 64,
            _ => 128,
        }
    }

    /// Where a unit would lie without the swizzle: the unit `along` in the major direction, the row or column `across`.
    #[inline]
    fn plain(&self, major: Major, along: u32, across: u32) -> u32 {
        let span = self.span();
        // An absolute address may lie before the start; what ends up before all shared memory is far behind it here.
        let leading = match self.leading_is_address {
            true => self.leading.wrapping_sub(self.start),
            false => self.leading,
        };
        let offset = match (major, self.swizzle) {
            // What leaves its line goes on at the beginning of the line that the address names.
            (Major::K, _) if self.leading_is_address => {
                let within = self.start % LINE + along * 16;
                let line = across % 8 * span + across / 8 * self.stride;
                match within.checked_sub(LINE) {
                    Some(rest) => (line + rest).wrapping_add(leading),
                    None => line + along * 16,
                }
            }
            (Major::K, _) => (across % 8 * span + across / 8 * self.stride + along * 16 % span)
                .wrapping_add((along * 16 / span).wrapping_mul(leading)),
            (Major::Mn, Swizzle::None) => {
                (along * self.stride + across % 8 * 16).wrapping_add((across / 8).wrapping_mul(leading))
            }
            (Major::Mn, _) => {
                // An atom has eight rows or columns across, but four if it exchanges 32 bytes.
                let (units, high) = (span / 16, if self.swizzle == Swizzle::Bytes128Atom32 { 4 } else { 8 });
                (along % units * 16 + across % high * span + across / high * self.stride)
                    .wrapping_add((along / units).wrapping_mul(leading))
            }
        };
        self.start.wrapping_add(offset)
    }

    /// The offset in shared memory of a unit.
    #[must_use]
    pub fn unit(&self, major: Major, along: u32, across: u32) -> u32 {
        swizzled(self.swizzle.pattern(), self.base_offset, self.plain(major, along, across))
    }

    /// The first offset behind all units of a matrix, if it is behind `bytes`, where shared memory ends.
    #[must_use]
    pub fn beyond(&self, major: Major, along: u32, across: u32, bytes: u64) -> Option<u64> {
        // No distance is negative, so the last unit is the farthest, and a swizzle keeps it in its line.
        let last = self.plain(major, along.saturating_sub(1), across.saturating_sub(1));
        if !self.leading_is_address && u64::from(last | 127) < bytes {
            return None;
        }
        let ends = (0..across).flat_map(|across| {
            (0..along).map(move |along| u64::from(self.unit(major, along, across)) + CHUNK as u64)
        });
        ends.max().filter(|end| *end > bytes)
    }

    /// Copies units out of shared memory, those of one row or column `across` after the other, of each the first `along`.
    ///
    /// # Safety
    /// `shared` is where the CTA's shared memory lies on the host, at a multiple of sixteen, and [`Self::beyond`] has
    /// found that all of these units are inside.
    #[allow(unsafe_code)]
    pub unsafe fn gather(
        &self,
        shared: *const u8,
        major: Major,
        along: Range<u32>,
        across: Range<u32>,
        to: &mut [u8],
    ) {
        let pattern = self.swizzle.pattern();
        let mut to = to.as_chunks_mut::<CHUNK>().0.iter_mut();
        for across in across {
            for along in along.clone() {
                let Some(to) = to.next() else { return };
                let at = swizzled(pattern, self.base_offset, self.plain(major, along, across));
                // SAFETY: the caller's promise, passed on.
                *to = unsafe { access::load::<u128>(shared.wrapping_add(at as usize)) }.to_le_bytes();
            }
        }
    }
}

/// The place of a unit after the swizzle, whose pattern begins `base_offset` lines into its period.
fn swizzled(pattern: Pattern, base_offset: u32, address: u32) -> u32 {
    let shift = base_offset * LINE;
    // The number of the line counts from the pattern's beginning; the address itself does not move.
    address ^ (pattern.place(address.wrapping_sub(shift)) ^ address.wrapping_sub(shift))
}
