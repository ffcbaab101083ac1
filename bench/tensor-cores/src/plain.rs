//! The loop that anybody would write, over f32 and with the ordinary rounding, compiled for each level.

use std::hint::black_box;

use ptxvm_num::level::Level;

/// Seconds of one product of matrices of f32.
pub fn seconds(level: Level, rows: usize, columns: usize, depth: usize) -> f64 {
    let a: Vec<f32> = (0..rows * depth).map(|i| (i % 7) as f32).collect();
    let b: Vec<f32> = (0..depth * columns).map(|i| (i % 5) as f32).collect();
    let mut d = vec![0f32; rows * columns];
    super::fastest(|| {
        for _ in 0..8 {
            let (a, b) = (black_box(&a[..]), black_box(&b[..]));
            let d = black_box(&mut d[..]);
            match level {
                // SAFETY: only levels that the host has are measured.
                Level::V4 => unsafe { v4(a, b, d, columns, depth) },
                // SAFETY: as above.
                Level::V3 => unsafe { v3(a, b, d, columns, depth) },
                Level::Baseline => product(a, b, d, columns, depth),
            }
        }
    }) / 8.0
}

#[target_feature(enable = "avx2,fma")]
fn v3(a: &[f32], b: &[f32], d: &mut [f32], columns: usize, depth: usize) {
    product(a, b, d, columns, depth);
}

#[target_feature(enable = "avx2,fma,avx512f,avx512bw,avx512dq,avx512vl")]
fn v4(a: &[f32], b: &[f32], d: &mut [f32], columns: usize, depth: usize) {
    product(a, b, d, columns, depth);
}

#[inline(always)]
fn product(a: &[f32], b: &[f32], d: &mut [f32], columns: usize, depth: usize) {
    for (a, d) in a.chunks_exact(depth).zip(d.chunks_exact_mut(columns)) {
        for (&a, b) in a.iter().zip(b.chunks_exact(columns)) {
            for (d, &b) in d.iter_mut().zip(b) {
                *d += a * b;
            }
        }
    }
}
