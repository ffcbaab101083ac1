//! Products of matrices, by plain sums in double precision.
//!
//! A tensor core cuts every product to the place of the largest one before it adds them, so what it loses is a part of
//! the sum of the products' magnitudes; each reference says which part.

use super::round::{BF16, E2M1, E4M3, F16, Format};
use super::{Table, Verdict};
use crate::launches::Run;

pub const TABLE: Table = &[
    ("triton/mm_f16", |run| triton(run, Half(F16), Half(F16), [128, 128], CUT)),
    ("triton/mm_f16 whole", |run| triton(run, Half(F16), Half(F16), [128, 128], CUT)),
    ("triton/mm_f16_small", |run| triton(run, Half(F16), Half(F16), [32, 32], CUT)),
    ("triton/mm_f16_small whole", |run| triton(run, Half(F16), Half(F16), [32, 32], CUT)),
    ("triton/mm_f16_w8", |run| triton(run, Half(F16), Half(F16), [128, 256], CUT)),
    ("triton/mm_f16_w8 whole", |run| triton(run, Half(F16), Half(F16), [128, 256], CUT)),
    ("triton/mm_bf16", |run| triton(run, Half(BF16), Half(BF16), [128, 128], CUT)),
    ("triton/mm_bf16 whole", |run| triton(run, Half(BF16), Half(BF16), [128, 128], CUT)),
    ("triton/mm_tf32", |run| triton(run, Single, Single, [128, 128], TF32)),
    ("triton/mm_tf32 whole", |run| triton(run, Single, Single, [128, 128], TF32)),
    ("triton/mm_f32ieee", |run| triton(run, Single, Single, [64, 64], ROUNDED)),
    ("triton/mm_f32ieee whole", |run| triton(run, Single, Single, [64, 64], ROUNDED)),
    ("triton/mm_f64", |run| triton(run, Double, Double, [32, 32], 1e-14)),
    ("triton/mm_f64 whole", |run| triton(run, Double, Double, [32, 32], 1e-14)),
    ("triton/mm_fp8 whole", |run| triton(run, Byte(E4M3), Half(F16), [128, 128], FP8)),
    ("triton/mm_i8", |run| triton(run, Integer8, Integer32, [128, 128], 0.0)),
    ("triton/mm_i8 whole", |run| triton(run, Integer8, Integer32, [128, 128], 0.0)),
    ("triton/mm_persist", |run| described(run, true)),
    ("triton/mm_persist whole", |run| described(run, true)),
    ("triton/mm_tma_dev", |run| described(run, false)),
    ("triton/mm_tma_dev whole", |run| described(run, false)),
    ("triton/ds_mxfp8 finite", |run| scaled(run, Byte(E4M3), Byte(E4M3))),
    ("triton/ds_mxfp8_n256 finite", |run| scaled(run, Byte(E4M3), Byte(E4M3))),
    ("triton/ds_mix finite", |run| scaled(run, Byte(E4M3), Nibble(E2M1))),
    ("triton/ds_mxfp4", |run| scaled(run, Nibble(E2M1), Nibble(E2M1))),
    ("triton/flash_f16_d64", attention),
    ("triton/flash_f16_d64 odd", attention),
];

/// 24 or 25 bits are kept after the largest term's place, in each step.
const CUT: f64 = 2e-6;
/// Each operand loses what is after its first 11 bits.
const TF32: f64 = 2e-3;
/// An H200's wgmma keeps 13 bits after the largest term's place.
const FP8: f64 = 5e-4;
/// One rounding for each term.
const ROUNDED: f64 = 2e-5;

/// How numbers lie in memory.
#[derive(Clone, Copy)]
enum Element {
    Byte(Format),
    /// Two in a byte, the lower bits first.
    Nibble(Format),
    Half(Format),
    Single,
    Double,
    Integer8,
    Integer32,
}
use Element::{Byte, Double, Half, Integer8, Integer32, Nibble, Single};

impl Element {
    fn before(self, run: &Run, position: usize) -> Vec<f64> {
        self.numbers(&run.before::<u8>(position))
    }

    fn after(self, run: &Run, position: usize) -> Vec<f64> {
        self.numbers(&run.after::<u8>(position))
    }

    fn numbers(self, bytes: &[u8]) -> Vec<f64> {
        let words = |size: usize| {
            bytes.chunks_exact(size).map(|c| c.iter().rev().fold(0u64, |word, b| word << 8 | u64::from(*b)))
        };
        match self {
            Byte(format) => words(1).map(|w| format.value(w)).collect(),
            Nibble(format) => words(1).flat_map(|w| [format.value(w & 15), format.value(w >> 4)]).collect(),
            Half(format) => words(2).map(|w| format.value(w)).collect(),
            Single => words(4).map(|w| f64::from(f32::from_bits(w as u32))).collect(),
            Double => words(8).map(f64::from_bits).collect(),
            Integer8 => words(1).map(|w| f64::from(w as i8)).collect(),
            Integer32 => words(4).map(|w| f64::from(w as i32)).collect(),
        }
    }

    /// What rounding to it loses: a part of the number, and the distance of the least numbers.
    fn rounding(self) -> (f64, f64) {
        match self {
            Byte(format) | Nibble(format) | Half(format) => {
                let fraction = 2f64.powi(-format.fraction);
                (fraction, fraction * 2f64.powi(2 - (1 << (format.exponent - 1))))
            }
            Single => (2f64.powi(-23), 2f64.powi(-149)),
            Double => (2f64.powi(-52), 0.0),
            Integer8 | Integer32 => (0.0, 0.0),
        }
    }
}

/// A matrix of an argument: element (i, j) lies at `i * row + j`.
struct Matrix {
    numbers: Vec<f64>,
    row: usize,
}

impl Matrix {
    fn at(&self, i: usize, j: usize) -> f64 {
        self.numbers[i * self.row + j]
    }
}

/// The sum of some products, and of their magnitudes.
pub fn dot(k: usize, term: impl Fn(usize) -> f64) -> (f64, f64) {
    (0..k).map(term).fold((0.0, 0.0), |(sum, magnitude), x| (sum + x, magnitude + x.abs()))
}

fn within(
    what: &str,
    place: [usize; 2],
    have: f64,
    (want, magnitude): (f64, f64),
    lost: f64,
    out: Element,
) -> Verdict {
    let (relative, least) = out.rounding();
    let allowed = lost * magnitude + relative * want.abs() + least;
    if (have - want).abs() <= allowed {
        return Ok(());
    }
    Err(format!("{what} at {place:?} is {have}, it should be {want} ± {allowed}"))
}

/// Elements of the result that belong to tiles which no program had are as they were.
fn untouched(place: [usize; 2], have: f64) -> Verdict {
    if have == 0.0 {
        Ok(())
    } else {
        Err(format!("the element at {place:?}, which no program had, is {have}"))
    }
}

/// `c = a b` by a program for each tile, tiles of one column one after the other; the sizes are arguments 3 to 5, the
/// strides of the rows arguments 6 to 8.
fn triton(run: &Run, element: Element, out: Element, tile: [usize; 2], lost: f64) -> Verdict {
    let [m, n, k, lda, ldb, ldc] = [3, 4, 5, 6, 7, 8].map(|position| run.number(position) as usize);
    let a = Matrix { numbers: element.before(run, 0), row: lda };
    let b = Matrix { numbers: element.before(run, 1), row: ldb };
    let c = Matrix { numbers: out.after(run, 2), row: ldc };
    let rows = m.div_ceil(tile[0]);
    for i in 0..m {
        for j in 0..ldc.min(c.numbers.len() - i * ldc) {
            let program = j / tile[1] * rows + i / tile[0];
            if j >= n || program >= run.grid[0] as usize {
                untouched([i, j], c.at(i, j))?;
            } else {
                within("c", [i, j], c.at(i, j), dot(k, |l| a.at(i, l) * b.at(l, j)), lost, out)?;
            }
        }
    }
    Ok(())
}

/// `c = a bᵀ` through descriptors that the kernel makes, the matrices without gaps. The programs with tiles of 128 by 128
/// lie in the grid as in the matrix; persistent ones, of which each has one tile here, are counted along its rows.
fn described(run: &Run, persistent: bool) -> Verdict {
    let [m, n, k] = [3, 4, 5].map(|position| run.number(position) as usize);
    let half = Half(F16);
    let a = Matrix { numbers: half.before(run, 0), row: k };
    let b = Matrix { numbers: half.before(run, 1), row: k };
    let c = Matrix { numbers: half.after(run, 2), row: n };
    for i in 0..m {
        for j in 0..n {
            let [row, column] = [i / 128, j / 128].map(|tile| tile as u32);
            let there = if persistent {
                row * n.div_ceil(128) as u32 + column < run.grid[0]
            } else {
                row < run.grid[0] && column < run.grid[1]
            };
            if there {
                within("c", [i, j], c.at(i, j), dot(k, |l| a.at(i, l) * b.at(j, l)), CUT, half)?;
            } else {
                untouched([i, j], c.at(i, j))?;
            }
        }
    }
    Ok(())
}

/// `c = a bᵀ`, each 32 elements of a row with a power of two for them all.
fn scaled(run: &Run, a: Element, b: Element) -> Verdict {
    let [m, n, k] = [5, 6, 7].map(|position| run.number(position) as usize);
    let power = |position: usize| -> Vec<f64> {
        run.before::<u8>(position).iter().map(|s| 2f64.powi(i32::from(*s) - 127)).collect()
    };
    let (sa, sb) = (power(1), power(3));
    let a = Matrix { numbers: a.before(run, 0), row: k };
    let b = Matrix { numbers: b.before(run, 2), row: k };
    let c = Matrix { numbers: Single.after(run, 4), row: n };
    for i in 0..m {
        for j in 0..n {
            let term =
                |l: usize| a.at(i, l) * b.at(j, l) * sa[i * (k / 32) + l / 32] * sb[j * (k / 32) + l / 32];
            within("c", [i, j], c.at(i, j), dot(k, term), CUT, Single)?;
        }
    }
    Ok(())
}

/// Causal attention: row i sees rows 0 to i. The probabilities are halves and the power of two is approximate.
fn attention(run: &Run) -> Verdict {
    let (heads, rows, d) = (run.grid[1] as usize, run.number(9) as usize, 64);
    let [head, row] = [7, 8].map(|position| run.number(position) as usize);
    let read = |position: usize, head_at: usize| Matrix {
        numbers: Half(F16).before(run, position)[head_at..].to_vec(),
        row,
    };
    let (out, sums) = (Half(F16).after(run, 3), Single.after(run, 4));
    for h in 0..heads {
        let (q, k, v) = (read(0, h * head), read(1, h * head), read(2, h * head));
        for i in 0..rows {
            let score = |j: usize| dot(d, |l| q.at(i, l) * k.at(j, l)).0 * run.number(5);
            let scores: Vec<f64> = (0..=i).map(score).collect();
            let most = scores.iter().fold(f64::NEG_INFINITY, |most, s| most.max(*s));
            let powers: Vec<f64> = scores.iter().map(|s| (s - most).exp()).collect();
            let total: f64 = powers.iter().sum();
            for l in 0..d {
                let mean = dot(i + 1, |j| powers[j] / total * v.at(j, l));
                within("the mean", [i, l], out[h * head + i * row + l], mean, 2e-3, Half(F16))?;
            }
            let logarithm = (most + total.ln()) / std::f64::consts::LN_2;
            let magnitude = (logarithm, logarithm.abs().max(1.0));
            within("the logarithm", [h, i], sums[h * rows + i], magnitude, 1e-3, Single)?;
        }
    }
    Ok(())
}
