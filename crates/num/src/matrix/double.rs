//! Matrix multiply-accumulate of f64: a chain of fused multiply-adds, in the order of k, as the manual promises.

use crate::Rounding;
use crate::float::f64::fma;

/// D = A * B + C. A is row after row, B column after column, both of `depth` numbers; `d` has C, row after row, and gets D.
pub fn multiply(a: &[u64], b: &[u64], depth: usize, rounding: Rounding, d: &mut [u64]) {
    let columns = b.len().checked_div(depth).unwrap_or(0);
    if columns == 0 {
        return;
    }
    for (row, results) in a.chunks_exact(depth).zip(d.chunks_mut(columns)) {
        for (column, result) in b.chunks_exact(depth).zip(results) {
            *result = row.iter().zip(column).fold(*result, |sum, (a, b)| fma(*a, *b, sum, rounding));
        }
    }
}
