//! Matrix multiply-accumulate of integers: exact products, added to 32 bits.

use super::tile::dispatch::{Work, dispatch};
use super::tile::vector::Vector;
use crate::level::Level;

/// The integer formats of A and B.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IntegerElement {
    /// `.s8`
    S8,
    /// `.u8`
    U8,
    /// `.s4`
    S4,
    /// `.u4`
    U4,
}

/// What stands for the product of two bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum BitOp {
    /// `.xor`
    Xor,
    /// `.and`
    And,
}

impl IntegerElement {
    /// The format of this name in PTX, without the dot.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "s8" => Self::S8,
            "u8" => Self::U8,
            "s4" => Self::S4,
            "u4" => Self::U4,
            _ => return None,
        })
    }

    /// The bits of a number.
    #[must_use]
    pub const fn bits(self) -> usize {
        match self {
            Self::S8 | Self::U8 => 8,
            Self::S4 | Self::U4 => 4,
        }
    }

    /// The numbers that lie packed in words, the first in the low bits.
    pub fn unpack(self, words: &[u32], to: &mut [i16]) {
        match self {
            Self::S8 => unpack::<4>(words, to, |word, bit| (word >> bit) as i8 as i16),
            Self::U8 => unpack::<4>(words, to, |word, bit| (word >> bit) as u8 as i16),
            Self::S4 => unpack::<8>(words, to, |word, bit| ((word >> bit << 4) as i8 >> 4) as i16),
            Self::U4 => unpack::<8>(words, to, |word, bit| (word >> bit & 0xf) as i16),
        }
    }
}

#[inline(always)]
fn unpack<const PER: usize>(words: &[u32], to: &mut [i16], number: impl Fn(u32, usize) -> i16) {
    for (word, numbers) in words.iter().zip(to.as_chunks_mut::<PER>().0) {
        for (index, to) in numbers.iter_mut().enumerate() {
            *to = number(*word, 32 / PER * index);
        }
    }
}

/// Puts the stored numbers of a sparse A, half of `depth` in each row, where they belong in whole rows that are zero
/// elsewhere, which adds nothing. Numbers that belong to the same place are added, as if each were multiplied there.
pub fn spread<T: Copy + std::ops::AddAssign>(stored: &[T], belongs: &[u16], depth: usize, whole: &mut [T]) {
    let rows = stored.chunks(depth / 2).zip(belongs.chunks(depth / 2)).zip(whole.chunks_mut(depth));
    for ((stored, belongs), row) in rows {
        for (number, column) in stored.iter().zip(belongs) {
            row[usize::from(*column)] += *number;
        }
    }
}

/// D = A * B + C. A is row after row, B column after column, both of `depth` numbers below 256 in magnitude; `d` has C,
/// row after row, and gets D. A sum that 32 bits cannot hold wraps around, or becomes the nearest that they can hold.
pub fn multiply(a: &[i16], b: &[i16], depth: usize, satfinite: bool, d: &mut [u32]) {
    let columns = b.len().checked_div(depth).unwrap_or(0);
    if columns > 0 {
        dispatch(Level::V3, Multiply { a, b, depth, columns, satfinite, d });
    }
}

struct Multiply<'a> {
    a: &'a [i16],
    b: &'a [i16],
    depth: usize,
    columns: usize,
    satfinite: bool,
    d: &'a mut [u32],
}

impl Work for Multiply<'_> {
    #[inline(always)]
    fn run<V: Vector>(self) {
        for (row, results) in self.a.chunks_exact(self.depth).zip(self.d.chunks_mut(self.columns)) {
            for (column, result) in self.b.chunks_exact(self.depth).zip(results) {
                let mut sum = 0i32;
                for (a, b) in row.iter().zip(column) {
                    // No depth of any instruction comes near to overflowing this.
                    sum = sum.wrapping_add(i32::from(*a).wrapping_mul(i32::from(*b)));
                }
                let c = *result as i32;
                *result = if self.satfinite { c.saturating_add(sum) } else { c.wrapping_add(sum) } as u32;
            }
        }
    }
}

/// The same for single bits: as many as two bits come to 1, which is added to C. A and B have `depth` words of 32 bits.
pub fn count(operation: BitOp, a: &[u32], b: &[u32], depth: usize, d: &mut [u32]) {
    let columns = b.len().checked_div(depth).unwrap_or(0);
    if columns == 0 {
        return;
    }
    for (row, results) in a.chunks_exact(depth).zip(d.chunks_mut(columns)) {
        for (column, result) in b.chunks_exact(depth).zip(results) {
            let ones = row.iter().zip(column).map(|(a, b)| match operation {
                BitOp::Xor => (a ^ b).count_ones(),
                BitOp::And => (a & b).count_ones(),
            });
            *result = result.wrapping_add(ones.sum());
        }
    }
}
