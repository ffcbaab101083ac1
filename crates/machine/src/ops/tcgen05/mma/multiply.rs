//! The arithmetic of a product: which of `num`'s multiplications its kind asks for, and what happens to A, B and D before.

use ptxvm_num::matrix::scaled::{self, Blocks};
use ptxvm_num::matrix::{Accumulator, Element, Family, Left, Packed, Right, integer};

use super::issued::Tcgen05Product;
use crate::matrix::instruction::{Factor, Sum};

/// What one part of a product multiplies.
pub struct PartMatrices<'a> {
    /// Which part of the columns.
    pub part: u32,
    /// The rows of A, as they are stored.
    pub a: &'a [u8],
    /// The columns of B.
    pub b: &'a [u8],
    /// Where each stored element of a sparse A belongs.
    pub belongs: Option<Vec<u16>>,
    /// The scale factors of A's rows and B's columns.
    pub scales: Option<[Vec<u8>; 2]>,
}

impl Tcgen05Product {
    /// D = A * B + D, with D row after row.
    pub fn multiply(&self, matrices: PartMatrices<'_>, d: &mut [u32]) {
        match (self.instruction.a, self.instruction.b) {
            (Factor::Float(_), Factor::Float(_)) if self.asked.kind.packed() => {
                self.multiply_blocks(&matrices, d);
            }
            (Factor::Float(a), Factor::Float(b)) => self.multiply_floats(matrices, (a, b), d),
            _ => self.multiply_integers(&matrices, d),
        }
    }

    fn multiply_floats(&self, matrices: PartMatrices<'_>, (a, b): (Element, Element), d: &mut [u32]) {
        let packed = |element| Packed { element, bits: self.asked.kind.container() as usize };
        let (mut left, mut right) = (Left::default(), Right::default());
        left.decode(packed(a), self.path.rows as usize, matrices.a);
        right.decode_columns(packed(b), self.path.columns as usize, matrices.b);
        left.belongs = matrices.belongs;
        if self.instruction.negate[0] {
            left.negate();
        }
        if self.instruction.negate[1] {
            right.negate();
        }
        self.zero(matrices.part, &mut right);
        if let Some([a, b]) = &matrices.scales {
            scale_left(&mut left, a, self.instruction.k as usize);
            scale_right(&mut right, b, self.instruction.k as usize);
        }
        let accumulator = if self.instruction.d == Sum::F16 { Accumulator::F16 } else { Accumulator::F32 };
        self.cores.multiply(Family::Tcgen05, a, accumulator, (&left, &right), d);
    }

    /// Sets the columns to zero that the mask says.
    fn zero(&self, part: u32, right: &mut Right) {
        let Some(mask) = &self.zero_columns else { return };
        let columns = right.columns.max(1);
        let rows = right.significands.chunks_mut(columns).zip(right.exponents.chunks_mut(columns));
        for (significands, exponents) in rows {
            for column in (0..columns).filter(|column| mask.is_zero(part, *column as u32)) {
                (significands[column], exponents[column]) = Element::F16.decode(0);
            }
        }
    }

    /// The product of e2m1 in blocks with scale factors.
    fn multiply_blocks(&self, matrices: &PartMatrices<'_>, d: &mut [u32]) {
        let Some([a_scales, b_scales]) = &matrices.scales else { return };
        let numbers = |bytes: &[u8], negate: bool| -> Vec<i8> {
            let sign = if negate { 8 } else { 0 };
            bytes
                .iter()
                .flat_map(|byte| [byte & 0xf, byte >> 4])
                .map(|code| scaled::double(code ^ sign))
                .collect()
        };
        let depth = self.instruction.k as usize;
        let left = self.expanded(matrices, numbers(matrices.a, self.instruction.negate[0]));
        let right = numbers(matrices.b, self.instruction.negate[1]);
        let a = Blocks { depth, numbers: &left, scales: a_scales };
        let b = Blocks { depth, numbers: &right, scales: b_scales };
        scaled::multiply(self.instruction.scale, GROUP << u32::from(self.asked.sparse), a, b, d);
    }

    /// A with the zeros that a sparse one leaves out: where they count for nothing, whatever B holds there.
    fn expanded<T>(&self, matrices: &PartMatrices<'_>, stored: Vec<T>) -> Vec<T>
    where
        T: Copy + Default + std::ops::AddAssign,
    {
        let Some(belongs) = &matrices.belongs else { return stored };
        let mut all = vec![T::default(); stored.len() * 2];
        integer::spread(&stored, belongs, self.instruction.k as usize, &mut all);
        all
    }

    /// The product of 8-bit integers.
    fn multiply_integers(&self, matrices: &PartMatrices<'_>, d: &mut [u32]) {
        let numbers = |factor: Factor, bytes: &[u8]| -> Vec<i16> {
            let signed = factor == Factor::Signed;
            bytes.iter().map(|byte| if signed { i16::from(*byte as i8) } else { i16::from(*byte) }).collect()
        };
        let left = self.expanded(matrices, numbers(self.instruction.a, matrices.a));
        let mut right = numbers(self.instruction.b, matrices.b);
        let depth = self.instruction.k as usize;
        if let Some(mask) = &self.zero_columns {
            for (column, numbers) in right.chunks_exact_mut(depth).enumerate() {
                if mask.is_zero(matrices.part, column as u32) {
                    numbers.fill(0);
                }
            }
        }
        integer::multiply(&left, &right, depth, self.instruction.saturate, d);
    }
}

/// The elements that count whose products are added before they are scaled.
const GROUP: usize = 16;

/// What a ue8m0 changes an exponent by; `None` is NaN.
fn exponent(factor: u8) -> Option<i16> {
    (factor != u8::MAX).then(|| i16::from(factor) - 127)
}

/// Applies the factors of A, as many for each row, to its exponents.
fn scale_left(left: &mut Left, factors: &[u8], k: usize) {
    let each = factors.len() / left.rows().max(1);
    for row in 0..left.rows() {
        for at in 0..left.depth {
            let factor = factors[row * each + left.row_of_b(row, at) * each / k];
            match exponent(factor) {
                Some(exponent) => left.scale(row, at, exponent),
                None => left.significands[row * left.depth + at] = f32::NAN,
            }
        }
    }
}

/// Applies the factors of B, as many for each column, to its exponents.
fn scale_right(right: &mut Right, factors: &[u8], k: usize) {
    let each = factors.len() / right.columns.max(1);
    for at in 0..k {
        for column in 0..right.columns {
            match exponent(factors[column * each + at * each / k]) {
                Some(exponent) => right.scale(at, column, exponent),
                None => right.significands[at * right.columns + column] = f32::NAN,
            }
        }
    }
}

/// A number divided by two to a power, towards zero where bits are lost.
pub fn divided(bits: u32, power: u32, f16: bool) -> u32 {
    let (mantissa, exponent) = if f16 { (10, 0x1f) } else { (23, 0xff) };
    let sign = bits & 1 << (if f16 { 15 } else { 31 });
    let magnitude = bits & !sign;
    let field = magnitude >> mantissa;
    let fraction = magnitude & ((1 << mantissa) - 1);
    match field {
        _ if field == exponent => bits,
        _ if field > power => bits - (power << mantissa),
        0 => sign | fraction.checked_shr(power).unwrap_or(0),
        // The result is subnormal: the hidden bit becomes one of the fraction.
        _ => sign | (fraction | 1 << mantissa).checked_shr(power + 1 - field).unwrap_or(0),
    }
}
