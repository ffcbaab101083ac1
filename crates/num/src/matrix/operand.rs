//! The matrices A and B, decoded once so that every dot product can use them.

use std::sync::atomic::{AtomicU64, Ordering};

use super::element::{Element, NOTHING};

/// A: row after row of the products' left factors. Of a sparse matrix only what is stored, with where it belongs.
#[derive(Clone, Debug, Default)]
pub struct Left {
    /// Factors of a row.
    pub depth: usize,
    /// The numbers, each divided by two to its exponent: below two.
    pub significands: Vec<f32>,
    /// Their exponents.
    pub exponents: Vec<i16>,
    /// For a sparse matrix, the row of B that each factor belongs to.
    pub belongs: Option<Vec<u16>>,
}

/// B: for each k its row of right factors, so that neighbouring columns lie side by side.
#[derive(Clone, Debug, Default)]
pub struct Right {
    /// Columns.
    pub columns: usize,
    /// The numbers, each divided by two to its exponent: below two.
    pub significands: Vec<f32>,
    /// Their exponents.
    pub exponents: Vec<i16>,
    /// Names this matrix among those that are kept; 0 for one that may change between products.
    stamp: u64,
}

impl Left {
    /// Zeros in so many rows of so many factors.
    #[must_use]
    pub fn new(rows: usize, depth: usize) -> Self {
        let count = rows * depth;
        Self { depth, significands: vec![0.0; count], exponents: vec![NOTHING; count], belongs: None }
    }

    /// Sets the factor of a row.
    pub fn set(&mut self, row: usize, k: usize, element: Element, bits: u32) {
        let at = row * self.depth + k;
        (self.significands[at], self.exponents[at]) = element.decode(bits);
    }

    /// How many rows there are.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.significands.len().checked_div(self.depth).unwrap_or(0)
    }

    /// The row of B that a factor belongs to.
    #[must_use]
    pub fn row_of_b(&self, row: usize, k: usize) -> usize {
        self.belongs.as_ref().map_or(k, |belongs| usize::from(belongs[row * self.depth + k]))
    }

    /// Multiplies a factor by a power of two.
    pub fn scale(&mut self, row: usize, k: usize, exponent: i16) {
        let at = row * self.depth + k;
        scale(&mut self.exponents[at], exponent);
    }
}

impl Right {
    /// Promises that it stays as it is until it is decoded again: products that follow one another with the same matrix
    /// prepare it once.
    pub fn keep(&mut self) {
        static STAMPS: AtomicU64 = AtomicU64::new(1);
        self.stamp = STAMPS.fetch_add(1, Ordering::Relaxed);
    }

    /// Whether it has stayed as it was since it was kept.
    #[must_use]
    pub const fn is_kept(&self) -> bool {
        self.stamp != 0
    }

    /// What it was kept as; 0 if it was not.
    pub(super) const fn stamp(&self) -> u64 {
        self.stamp
    }

    /// It is about to change.
    pub(super) const fn change(&mut self) {
        self.stamp = 0;
    }

    /// Zeros in so many rows and columns.
    #[must_use]
    pub fn new(depth: usize, columns: usize) -> Self {
        let count = depth * columns;
        Self { columns, significands: vec![0.0; count], exponents: vec![NOTHING; count], stamp: 0 }
    }

    /// Sets the factor of a column.
    pub fn set(&mut self, k: usize, column: usize, element: Element, bits: u32) {
        self.change();
        let at = k * self.columns + column;
        (self.significands[at], self.exponents[at]) = element.decode(bits);
    }

    /// Multiplies a factor by a power of two.
    pub fn scale(&mut self, k: usize, column: usize, exponent: i16) {
        self.change();
        let at = k * self.columns + column;
        scale(&mut self.exponents[at], exponent);
    }
}

fn scale(exponent: &mut i16, by: i16) {
    if *exponent != NOTHING {
        *exponent += by;
    }
}
