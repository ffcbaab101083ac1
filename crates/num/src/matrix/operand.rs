//! The matrices A and B, decoded once so that every dot product can use them.

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
    /// Zeros in so many rows and columns.
    #[must_use]
    pub fn new(depth: usize, columns: usize) -> Self {
        let count = depth * columns;
        Self { columns, significands: vec![0.0; count], exponents: vec![NOTHING; count] }
    }

    /// Sets the factor of a column.
    pub fn set(&mut self, k: usize, column: usize, element: Element, bits: u32) {
        let at = k * self.columns + column;
        (self.significands[at], self.exponents[at]) = element.decode(bits);
    }

    /// Multiplies a factor by a power of two.
    pub fn scale(&mut self, k: usize, column: usize, exponent: i16) {
        let at = k * self.columns + column;
        scale(&mut self.exponents[at], exponent);
    }
}

fn scale(exponent: &mut i16, by: i16) {
    if *exponent != NOTHING {
        *exponent += by;
    }
}
