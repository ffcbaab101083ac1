//! Decoding whole matrices from the bytes in which registers and memory hold them, element beside element.

use super::element::Element;
use super::operand::{Left, Right};

/// A format and the bits that each element takes: formats of 4 and 6 bits may have a byte each.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Packed {
    /// The format.
    pub element: Element,
    /// 4, 8, 16 or 32.
    pub bits: usize,
}

impl Packed {
    /// Elements that lie side by side without padding; those of 6 bits have a byte each.
    #[must_use]
    pub const fn tight(element: Element) -> Self {
        let bits = match element {
            Element::Tf32 => 32,
            Element::F16 | Element::Bf16 => 16,
            Element::E2m1 => 4,
            _ => 8,
        };
        Self { element, bits }
    }

    /// Elements of at most 8 bits, each in a byte of its own.
    #[must_use]
    pub const fn bytes(element: Element) -> Self {
        Self { element, bits: 8 }
    }

    /// One element of a row of them.
    #[must_use]
    pub fn bits_at(self, row: &[u8], index: usize) -> u32 {
        match self.bits {
            4 => u32::from(row[index / 2] >> (index % 2 * 4) & 0xf),
            // A format of 4 bits stands above two bits of padding in its byte.
            8 if self.element == Element::E2m1 => u32::from(row[index] >> 2 & 0xf),
            8 => row[index].into(),
            16 => u16::from_le_bytes([row[2 * index], row[2 * index + 1]]).into(),
            _ => {
                let at = 4 * index;
                u32::from_le_bytes([row[at], row[at + 1], row[at + 2], row[at + 3]])
            }
        }
    }
}

impl Left {
    /// Makes it the matrix of these bytes, so many rows one after the other.
    pub fn decode(&mut self, packed: Packed, rows: usize, bytes: &[u8]) {
        let row_bytes = bytes.len() / rows.max(1);
        self.depth = row_bytes * 8 / packed.bits;
        self.belongs = None;
        self.significands.clear();
        self.exponents.clear();
        for row in bytes.chunks_exact(row_bytes.max(1)).take(rows) {
            for k in 0..self.depth {
                let (significand, exponent) = packed.element.decode(packed.bits_at(row, k));
                self.significands.push(significand);
                self.exponents.push(exponent);
            }
        }
    }

    /// Changes the sign of every factor.
    pub fn negate(&mut self) {
        self.significands.iter_mut().for_each(|significand| *significand = -*significand);
    }
}

impl Right {
    /// Makes it the matrix of these bytes, so many columns one after the other.
    pub fn decode_columns(&mut self, packed: Packed, columns: usize, bytes: &[u8]) {
        let column_bytes = bytes.len() / columns.max(1);
        let depth = column_bytes * 8 / packed.bits;
        self.columns = columns;
        self.significands.resize(depth * columns, 0.0);
        self.exponents.resize(depth * columns, 0);
        for (index, column) in bytes.chunks_exact(column_bytes.max(1)).take(columns).enumerate() {
            for k in 0..depth {
                self.set(k, index, packed.element, packed.bits_at(column, k));
            }
        }
    }

    /// Makes it the matrix of these bytes, row after row.
    pub fn decode_rows(&mut self, packed: Packed, columns: usize, bytes: &[u8]) {
        self.columns = columns;
        self.significands.clear();
        self.exponents.clear();
        for row in bytes.chunks_exact((columns * packed.bits / 8).max(1)) {
            for column in 0..columns {
                let (significand, exponent) = packed.element.decode(packed.bits_at(row, column));
                self.significands.push(significand);
                self.exponents.push(exponent);
            }
        }
    }

    /// Changes the sign of every factor.
    pub fn negate(&mut self) {
        self.significands.iter_mut().for_each(|significand| *significand = -*significand);
    }
}
