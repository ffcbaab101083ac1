//! Triton's kernels.

use super::round::{BF16, E4M3, E5M2, F16, values};
use super::{Table, Verdict, lines, near, same, wide};
use crate::launches::Run;

pub const TABLE: Table = &[
    ("triton/vadd_f32", vadd32),
    ("triton/vadd_f64", vadd64),
    ("triton/histo", histogram),
    ("triton/dprint", print),
    ("triton/atomics", atomics),
    ("triton/atomics alike", atomics),
    ("triton/casts", casts),
    ("triton/layernorm_f16", layernorm),
    ("triton/scan", scan),
    ("triton/softmax_f32", softmax32),
    ("triton/softmax_f16", softmax16),
    ("triton/sort_f32", flip),
];

fn vadd32(run: &Run) -> Verdict {
    let want = run.before::<f32>(0).into_iter().zip(run.before::<f32>(1)).map(|(a, b)| a + b);
    same("the sum", &run.after::<f32>(2), &want.collect::<Vec<f32>>())
}

fn vadd64(run: &Run) -> Verdict {
    let want = run.before::<f64>(0).into_iter().zip(run.before::<f64>(1)).map(|(a, b)| a + b);
    same("the sum", &run.after::<f64>(2), &want.collect::<Vec<f64>>())
}

/// The last block's elements past the end are counted as zeros.
fn histogram(run: &Run) -> Verdict {
    let mut want = run.before::<i32>(1);
    let x = run.before::<i32>(0);
    x.iter().filter(|x| (0..256).contains(*x)).for_each(|x| want[*x as usize] += 1);
    want[0] += (x.len().next_multiple_of(1024) - x.len()) as i32;
    same("the count", &run.after::<i32>(1), &want)
}

fn print(run: &Run) -> Verdict {
    let x = run.before::<i32>(0);
    let line = |i: usize| format!("pid ({}, 0, 0) idx ({:3}) v: {}", i / 128, i % 128, x[i]);
    lines(&run.text, (0..256).map(line).collect())
}

/// Seven operations on integers, three on floats, and a sum under a lock.
fn atomics(run: &Run) -> Verdict {
    let (x, mut c, have) = (run.before::<i32>(0), run.before::<i32>(1), run.after::<i32>(1));
    let (mut f, mut h) = (run.before::<f32>(2), values(F16, &run.before::<u16>(3)));
    for x in &x {
        let i = (x % 64) as usize;
        c[i] += 1;
        c[64 + i] = c[64 + i].max(*x);
        c[128 + i] = c[128 + i].min(*x);
        c[192 + i] &= x;
        c[256 + i] |= x;
        c[320 + i] ^= x;
        // The last of them: any that belongs to the word.
        c[384 + i] = if have[384 + i] % 64 == i as i32 { have[384 + i] } else { *x };
        f[i] += *x as f32;
        h[i] += f64::from(*x);
        f[64 + i] = f[64 + i].max(*x as f32);
    }
    c[448] += x.iter().sum::<i32>();
    same("the integer", &have, &c)?;
    same("the f32", &run.after::<f32>(2), &f)?;
    same("the f16", &values(F16, &run.after::<u16>(3)), &h)?;
    same("the lock", &run.after::<i32>(4), &[0])
}

fn casts(run: &Run) -> Verdict {
    let x = run.before::<f32>(0);
    let codes =
        |round: &dyn Fn(f64) -> u64| x.iter().map(|x| round(f64::from(*x)) as u16).collect::<Vec<u16>>();
    let narrow = |codes: &[u16]| codes.iter().map(|c| *c as u8).collect::<Vec<u8>>();
    let (e4m3, e5m2) = (codes(&|x| E4M3.round(x)), codes(&|x| E5M2.round(x)));
    let bf16 = codes(&|x| BF16.round(x));
    same("the e4m3", &run.after::<u8>(1), &narrow(&e4m3))?;
    same("the e5m2", &run.after::<u8>(2), &narrow(&e5m2))?;
    same("the bf16", &run.after::<u16>(3), &bf16)?;
    same("the f16", &run.after::<u16>(4), &codes(&|x| F16.round(x)))?;
    // Through 16 bits, which saturate, to their lower half.
    same("the s8", &run.after::<i8>(5), &x.iter().map(|x| *x as i16 as i8).collect::<Vec<i8>>())?;
    let sum = |i: usize| {
        let (a, b) = (E4M3.value(u64::from(e4m3[i])) as f32, E5M2.value(u64::from(e5m2[i])) as f32);
        (BF16.value(u64::from(bf16[i])) as f32).mul_add(2.0, a + b)
    };
    same("the f32", &run.after::<f32>(6), &(0..x.len()).map(sum).collect::<Vec<f32>>())
}

/// The kernel sums in f32 and takes a reciprocal root; the results are halves.
fn layernorm(run: &Run) -> Verdict {
    let (x, w, b) =
        (values(F16, &run.before::<u16>(0)), wide(&run.before::<f32>(2)), wide(&run.before::<f32>(3)));
    let (stride, n, small) = (run.number(6) as usize, run.number(7) as usize, run.number(8));
    let y = values(F16, &run.after::<u16>(1));
    for row in 0..3 {
        let x = &x[row * stride..row * stride + n];
        let mean = x.iter().sum::<f64>() / n as f64;
        let variance = x.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
        let scale = 1.0 / (variance + small).sqrt();
        near("the mean", &[f64::from(run.after::<f32>(4)[row])], &[mean], 1e-5, 1e-6)?;
        near("the scale", &[f64::from(run.after::<f32>(5)[row])], &[scale], 1e-5, 0.0)?;
        let want: Vec<f64> = (0..n).map(|i| (x[i] - mean) * scale * w[i] + b[i]).collect();
        near("y", &y[row * stride..], &want, 0.001, 0.0001)?;
    }
    Ok(())
}

/// On tiles of 32 rows of 128: the sums of a from the right plus its products from above; and the recurrence
/// s = x s + a from above.
fn scan(run: &Run) -> Verdict {
    let (a, x) = (wide(&run.before::<f32>(0)), wide(&run.before::<f32>(1)));
    let (mut sums, mut states) = (a.clone(), a.clone());
    for i in 0..a.len() {
        let right = a.len() - 1 - i;
        if right % 128 < 127 {
            sums[right] += sums[right + 1];
        }
    }
    let mut products = a.clone();
    for i in (0..a.len()).filter(|i| i % 4096 >= 128) {
        products[i] *= products[i - 128];
        states[i] += x[i] * states[i - 128];
    }
    let want: Vec<f64> = sums.iter().zip(&products).map(|(s, p)| s + p).collect();
    near("the sum", &wide(&run.after::<f32>(2)), &want, 1e-5, 1e-5)?;
    near("the state", &wide(&run.after::<f32>(3)), &states, 1e-4, 1e-4)
}

fn softmax(run: &Run, x: &[f64], y: &[f64], relative: f64, absolute: f64) -> Verdict {
    let (stride, n) = (run.number(2) as usize, run.number(3) as usize);
    for row in 0..3 {
        let x = &x[row * stride..row * stride + n];
        let most = x.iter().fold(f64::NEG_INFINITY, |m, x| m.max(*x));
        let powers: Vec<f64> = x.iter().map(|x| (x - most).exp()).collect();
        let sum: f64 = powers.iter().sum();
        let want: Vec<f64> = powers.iter().map(|p| p / sum).collect();
        near("y", &y[row * stride..], &want, relative, absolute)?;
    }
    Ok(())
}

/// The exponential is 2 to an approximate power.
fn softmax32(run: &Run) -> Verdict {
    softmax(run, &wide(&run.before::<f32>(0)), &wide(&run.after::<f32>(1)), 1e-5, 1e-30)
}

/// Half a unit in the last place of a half; small ones are subnormal.
fn softmax16(run: &Run) -> Verdict {
    let (x, y) = (values(F16, &run.before::<u16>(0)), values(F16, &run.after::<u16>(1)));
    softmax(run, &x, &y, 0.0006, 4e-8)
}

/// The kernel sorts, then overwrites the result with the reversed input; the place of the largest stays.
fn flip(run: &Run) -> Verdict {
    let x = run.before::<f32>(0);
    let reversed: Vec<f32> = x.chunks(256).flat_map(|row| row.iter().rev().copied()).collect();
    same("y", &run.after::<f32>(1), &reversed)?;
    let largest =
        |row: &[f32]| (0..row.len()).fold(0, |best, i| if row[i] > row[best] { i } else { best }) as i32;
    same("the place", &run.after::<i32>(2), &x.chunks(256).map(largest).collect::<Vec<i32>>())
}
