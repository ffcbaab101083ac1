//! NVRTC's kernels of one matrix instruction or a few, whose threads store their own parts of the result.
//!
//! Where elements lie in the threads' registers and in shared memory is said here a second time, from the manual.

use super::matrix::dot;
use super::round::{E2M1, E2M3, E3M2, E4M3, F16, values};
use super::{Table, Verdict, same};
use crate::launches::Run;

pub const TABLE: Table = &[
    ("nvrtc/cpasync wmma_f16", wmma_f16),
    ("nvrtc/cpasync wmma_i8", wmma_i8),
    ("nvrtc/cpasync mma_ldmatrix", mma_ldmatrix),
    ("nvrtc/cpasync mma_ldmatrix visible", mma_ldmatrix),
    ("nvrtc/wgmma", wgmma),
    ("nvrtc/mxmma120 finite", block_scaled),
];

/// 24 or 25 bits are kept after the largest term's place.
const CUT: f64 = 2e-7;

fn plus(a: (f64, f64), b: (f64, f64)) -> (f64, f64) {
    (a.0 + b.0, a.1 + b.1)
}

fn within(what: &str, place: usize, have: f32, (want, magnitude): (f64, f64)) -> Verdict {
    let allowed = CUT * magnitude + f64::from(f32::EPSILON) * want.abs();
    if (f64::from(have) - want).abs() <= allowed {
        return Ok(());
    }
    Err(format!("{what}[{place}] is {have}, it should be {want} ± {allowed}"))
}

/// The second matrix is stored by columns.
fn wmma_f16(run: &Run) -> Verdict {
    let (a, b) = (values(F16, &run.before::<u16>(0)), values(F16, &run.before::<u16>(1)));
    let have = run.after::<f32>(2);
    (0..256).try_for_each(|at| {
        let (row, column) = (at / 16, at % 16);
        within("d", at, have[at], dot(16, |k| a[16 * row + k] * b[16 * column + k]))
    })
}

/// The second matrix and the result are stored by columns.
fn wmma_i8(run: &Run) -> Verdict {
    let (a, b) = (run.before::<i8>(0), run.before::<i8>(1));
    let element = |at: usize| {
        let (row, column) = (at % 16, at / 16);
        (0..16).map(|k| i32::from(a[16 * row + k]) * i32::from(b[16 * column + k])).sum()
    };
    same("d", &run.after::<i32>(2), &(0..256).map(element).collect::<Vec<i32>>())
}

/// A product with k = 16, then a sparse one with k = 32 of the same registers, whose metadata says that of each four
/// elements the first two are there; and to each element a word of the transposed lower left quarter of `a`.
fn mma_ldmatrix(run: &Run) -> Verdict {
    let bits = run.before::<u16>(0);
    let (a, b) = (values(F16, &bits), values(F16, &run.before::<u16>(1)));
    let have = run.after::<f32>(2);
    (0..128).try_for_each(|at| {
        let (group, thread, i) = (at / 16, at / 4 % 4, at % 4);
        let (row, column) = (group + 8 * (i / 2), 2 * thread + i % 2);
        let dense = dot(16, |k| a[16 * row + k] * b[8 * k + column]);
        let sparse = dot(16, |k| a[16 * row + k] * b[8 * ((k / 2 * 4 + k % 2) % 16) + column]);
        let half = |i: usize| u32::from(bits[16 * (8 + 2 * thread + i) + group]);
        let word = f64::from(half(1) << 16 | half(0));
        let (sum, magnitude) = plus(dense, sparse);
        within("d", at, have[at], (sum + word, magnitude + word))
    })
}

/// An element's place in matrices of 8 rows of 16 bytes, two of them side by side, the pairs one after the other.
fn core_matrices(row: usize, k: usize) -> usize {
    row / 8 * 128 + k / 8 * 64 + row % 8 * 8 + k % 8
}

/// A product of two matrices in shared memory, and one of registers that hold the thread's number: as an f16 it is the
/// thread's number of least subnormal ones, with a zero above it.
fn wgmma(run: &Run) -> Verdict {
    let (a, b) = (values(F16, &run.before::<u16>(0)), values(F16, &run.before::<u16>(1)));
    let have = run.after::<f32>(2);
    (0..1024).try_for_each(|at| {
        let (warp, group, thread, i) = (at / 256, at / 32 % 8, at / 8 % 4, at % 8);
        let (row, column) = (16 * warp + group + 8 * (i / 2 % 2), 2 * thread + i % 2 + 8 * (i / 4));
        let shared = dot(16, |k| a[core_matrices(row, k)] * b[core_matrices(column, k)]);
        let registers = dot(16, |k| {
            let number = 32 * warp + 4 * group + k % 8 / 2;
            if k % 2 == 1 { 0.0 } else { number as f64 * 2f64.powi(-24) * b[core_matrices(column, k)] }
        });
        within("d", at, have[at], plus(shared, registers))
    })
}

/// Three products of the same registers, read as e4m3 with a scale for each row, as e2m1 with four, and as 6-bit
/// numbers without; each thread adds up its four elements. All threads have the same scales.
fn block_scaled(run: &Run) -> Verdict {
    let bytes = run.before::<u8>(0);
    // Byte `at` of register `register` of a thread.
    let byte = |register: usize, group: usize, thread: usize, at: usize| {
        u64::from(bytes[128 * register + 4 * (4 * group + thread) + at])
    };
    let a8 = |row: usize, k: usize| byte(row / 8 + k / 16 * 2, row % 8, k % 16 / 4, k % 4);
    let b8 = |k: usize, column: usize| byte(4 + k / 16, column, k % 16 / 4, k % 4);
    let nibble = |byte: u64, k: usize| E2M1.value(byte >> (k % 2 * 4) & 15);
    let a4 = |row: usize, k: usize| nibble(byte(row / 8 + k / 32 * 2, row % 8, k % 32 / 8, k % 8 / 2), k);
    let b4 = |k: usize, column: usize| nibble(byte(4 + k / 32, column, k % 32 / 8, k % 8 / 2), k);
    let power = |at: usize| 2f64.powi(i32::from(bytes[at]) - 127);
    let scale = |at: usize| E4M3.value(u64::from(bytes[at]));
    let have = run.after::<f32>(1);
    (0..32).try_for_each(|lane| {
        let mut sum = (0.0, 0.0);
        for i in 0..4 {
            let (row, column) = (lane / 4 + 8 * (i / 2), 2 * (lane % 4) + i % 2);
            sum = plus(
                sum,
                dot(32, |k| E4M3.value(a8(row, k)) * E4M3.value(b8(k, column)) * power(0) * power(4)),
            );
            sum = plus(sum, dot(64, |k| a4(row, k) * b4(k, column) * scale(k / 16) * scale(4 + k / 16)));
            sum = plus(sum, dot(32, |k| E3M2.value(a8(row, k) & 63) * E2M3.value(b8(k, column) & 63)));
        }
        within("the sum", lane, have[lane], (sum.0, 4.0 * sum.1))
    })
}
