//! Matrix multiply-accumulate of e2m1 with a scale for each block of elements (`kind::mxf4`, `kind::mxf4nvf4`).
//!
//! The products of sixteen elements are added exactly and multiplied by the two scales' significands; these sums and the
//! accumulator are then aligned to the largest exponent, which is that of the scales: the sums are not normalised. The
//! model is MMA-Sim's (arXiv 2511.10909), measured on a B200; nobody here has confirmed it.

use super::element::{Accumulator, NOTHING};
use super::fused::round;
use super::scheme::Rounded;

/// The formats of scales.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Scale {
    /// `.ue8m0`: a power of two.
    Ue8m0,
    /// `.ue4m3`: its highest bit does not count.
    Ue4m3,
}

impl Scale {
    /// The format of this name in PTX, without the dot.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        match name {
            "ue8m0" => Some(Self::Ue8m0),
            "ue4m3" => Some(Self::Ue4m3),
            _ => None,
        }
    }

    /// The significand, in eighths, and the exponent; `None` is NaN.
    #[must_use]
    pub const fn decode(self, bits: u8) -> Option<(i64, i32)> {
        match (self, bits) {
            (Self::Ue8m0, 0xff) => None,
            (Self::Ue8m0, _) => Some((8, bits as i32 - 127)),
            (Self::Ue4m3, _) => match bits & 0x7f {
                0x7f => None,
                subnormal @ ..=7 => Some((subnormal as i64, -6)),
                normal => Some(((normal & 7 | 8) as i64, (normal >> 3) as i32 - 7)),
            },
        }
    }
}

/// One of the factors: the rows of A or the columns of B.
#[derive(Clone, Copy, Debug)]
pub struct Blocks<'a> {
    /// Elements of a line.
    pub depth: usize,
    /// Line after line, each element as [`double`] gives it.
    pub numbers: &'a [i8],
    /// As many for each line as it has blocks.
    pub scales: &'a [u8],
}

/// Twice an e2m1, which is a whole number.
#[must_use]
pub const fn double(bits: u8) -> i8 {
    const MAGNITUDES: [i8; 8] = [0, 1, 2, 3, 4, 6, 8, 12];
    let magnitude = MAGNITUDES[(bits & 7) as usize];
    if bits & 8 != 0 { -magnitude } else { magnitude }
}

/// Bits after the point of the largest exponent that terms keep.
const FRACTION: i32 = 35;
/// The exponent of a sum is not below this.
const FLOOR: i32 = -133;

/// D = A * B + C, where `group` elements are added before they are scaled: 16 that count, so 32 if half of them are the
/// zeros of a sparse matrix. `d` has C's f32 bits, row after row, and gets D's.
pub fn multiply(scale: Scale, group: usize, a: Blocks<'_>, b: Blocks<'_>, d: &mut [u32]) {
    let columns = b.numbers.len().checked_div(b.depth).unwrap_or(0);
    if columns == 0 || group == 0 {
        return;
    }
    for (index, element) in d.iter_mut().enumerate() {
        let (left, right) = (line(a, index / columns), line(b, index % columns));
        *element = dot(scale, group, left, right, *element);
    }
}

/// The elements and scales of a line.
fn line(blocks: Blocks<'_>, index: usize) -> (&[i8], &[u8]) {
    let lines = blocks.numbers.len() / blocks.depth;
    let scales = blocks.scales.len() / lines;
    (&blocks.numbers[index * blocks.depth..][..blocks.depth], &blocks.scales[index * scales..][..scales])
}

fn dot(scale: Scale, group: usize, a: (&[i8], &[u8]), b: (&[i8], &[u8]), c: u32) -> u32 {
    const NAN: u32 = 0x7fff_ffff;
    let groups = a.0.len() / group;
    // Eight groups are more than any instruction has; after them stands C.
    let mut terms = [(0, i32::from(NOTHING)); 9];
    for (index, term) in terms[..8].iter_mut().take(groups).enumerate() {
        let of =
            |scales: &[u8]| scales.get(index * scales.len() / groups).and_then(|bits| scale.decode(*bits));
        let (Some((left, left_exponent)), Some((right, right_exponent))) = (of(a.1), of(b.1)) else {
            return NAN;
        };
        let range = index * group..(index + 1) * group;
        let sum: i32 =
            a.0[range.clone()].iter().zip(&b.0[range]).map(|(a, b)| i32::from(*a) * i32::from(*b)).sum();
        // Quarters, times eighths, times eighths: eight bits after the point.
        *term = ((i64::from(sum) * left * right) << (FRACTION - 8), left_exponent + right_exponent);
    }
    let (significand, exponent) = Accumulator::F32.decode(c);
    if significand.is_nan() {
        return NAN;
    }
    if significand.is_infinite() {
        return c;
    }
    terms[8] = (((significand * (1u32 << 23) as f32) as i64) << (FRACTION - 23), exponent.into());
    let counts = |term: &&(i64, i32)| term.0 != 0;
    let largest = terms.iter().filter(counts).map(|term| term.1).fold(FLOOR, i32::max);
    let cut = |term: &(i64, i32)| {
        let kept = term.0.unsigned_abs().checked_shr((largest - term.1) as u32).unwrap_or(0) as i64;
        if term.0 < 0 { -kept } else { kept }
    };
    round(Rounded::F32, terms.iter().filter(counts).map(cut).sum(), largest - FRACTION)
}
