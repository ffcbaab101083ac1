//! Whole tiles of a matrix product.

use super::fused::dot;
use super::operand::{Left, Right};
use super::scheme::Scheme;

/// How exact a product is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Precision {
    /// To the last bit of the silicon's.
    #[default]
    Exact,
    /// By ordinary fused multiply-adds, which differ in the last bits and are several times faster.
    Fast,
}

/// D = A * B + C. `d` has C's bits, row after row as wide as B has columns, and gets D's.
pub fn multiply(scheme: &Scheme, _precision: Precision, a: &Left, b: &Right, d: &mut [u32]) {
    if b.columns == 0 {
        return;
    }
    for (row, elements) in d.chunks_mut(b.columns).enumerate() {
        for (column, element) in elements.iter_mut().enumerate() {
            *element = dot(scheme, a, row, b, column, *element);
        }
    }
}
