//! The kernels of numba and of CuTe.

use super::round::F16;
use super::{Table, Verdict, functions, lines, near, same};
use crate::launches::Run;

pub const TABLE: Table = &[
    ("cute/add", add),
    ("cute/sgemm", sgemm),
    ("numba/atom", atom),
    ("numba/atom alone", atom),
    ("numba/coop", coop),
    ("numba/f16", half),
    ("numba/intdiv", intdiv),
    ("numba/intdiv wide", intdiv),
    ("numba/localarr", localarr),
    ("numba/mandel", mandel),
    ("numba/mathk", math),
    ("numba/matmul_sm", matmul),
    ("numba/pr", print),
    ("numba/vadd", vadd),
    ("numba/warp", warp),
];

fn sums(run: &Run, count: usize) -> Verdict {
    let (a, b) = (run.before::<f32>(0), run.before::<f32>(1));
    let want: Vec<f32> = (0..a.len()).map(|i| if i < count { a[i] + b[i] } else { 0.0 }).collect();
    same("the sum", &run.after::<f32>(2), &want)
}

fn add(run: &Run) -> Verdict {
    sums(run, run.number(3) as usize)
}

fn vadd(run: &Run) -> Verdict {
    sums(run, usize::MAX)
}

/// Row-major, rounding after each fused multiplication and addition, k upwards.
pub fn product(
    m: usize,
    n: usize,
    k: usize,
    a: impl Fn(usize, usize) -> f32,
    b: impl Fn(usize, usize) -> f32,
) -> Vec<f32> {
    let element = |i: usize| (0..k).fold(0f32, |sum, k| a(i / n, k).mul_add(b(k, i % n), sum));
    (0..m * n).map(element).collect()
}

/// C[m][n] = sum over k of A[k][n] B[m][k]; what the kernel adds for the shuffles' sake is a zero.
fn sgemm(run: &Run) -> Verdict {
    let (a, b) = (run.before::<f32>(0), run.before::<f32>(1));
    let want = product(64, 64, 64, |m, k| b[64 * m + k], |k, n| a[64 * k + n]);
    same("the product", &run.after::<f32>(2), &want)
}

fn matmul(run: &Run) -> Verdict {
    let (a, b) = (run.before::<f32>(0), run.before::<f32>(1));
    let want = product(40, 45, 37, |m, k| a[37 * m + k], |k, n| b[45 * k + n]);
    same("the product", &run.after::<f32>(2), &want)
}

/// A histogram of the low bytes, then the maximum, the minimum, a compare-and-swap with 0, an exchange, an xor.
fn atom(run: &Run) -> Verdict {
    let (x, mut want, have) = (run.before::<i32>(0), run.before::<i32>(1), run.after::<i32>(1));
    let start = want[258];
    for x in &x {
        want[usize::from(*x as u8)] += 1;
        want[256] = want[256].max(*x);
        want[257] = want[257].min(*x);
        want[260] ^= x;
    }
    // Anybody may have been the first to swap, and the last to exchange.
    let swapped = if start == 0 { x.contains(&have[258]) } else { have[258] == start };
    if !swapped || !x.contains(&have[259]) {
        return Err(format!("{} was swapped in, {} exchanged", have[258], have[259]));
    }
    want[258..260].copy_from_slice(&have[258..260]);
    same("the word", &have, &want)
}

fn coop(run: &Run) -> Verdict {
    let raised: Vec<f32> = run.before::<f32>(0).iter().map(|x| x + 1.0).collect();
    same("x", &run.after::<f32>(0), &raised)?;
    same("y", &run.after::<f32>(1), &vec![raised[0]; raised.len()])
}

/// x * x + x, rounded twice. A product of two numbers of 11 bits and a sum of such are exact in f64.
fn half(run: &Run) -> Verdict {
    let round = |x: f64| F16.value(F16.round(x));
    let want = run.before::<u16>(0).into_iter().map(|x| {
        let x = F16.value(u64::from(x));
        F16.round(round(x * x) + x) as u16
    });
    same("y", &run.after::<u16>(1), &want.collect::<Vec<u16>>())
}

/// Python's `//` and `%`, which round down; a division by zero leaves the element alone.
fn intdiv(run: &Run) -> Verdict {
    let want = run.before::<i64>(0).into_iter().zip(run.before::<i64>(1)).map(|(x, y)| {
        if y == 0 {
            return y;
        }
        let (mut quotient, mut rest) = (x.wrapping_div(y), x.wrapping_rem(y));
        if rest != 0 && (rest < 0) != (y < 0) {
            quotient -= 1;
            rest += y;
        }
        quotient.wrapping_add(rest).wrapping_add(x << 3).wrapping_add(x >> 2)
    });
    same("y", &run.after::<i64>(1), &want.collect::<Vec<i64>>())
}

/// The sum of sixteen elements of a local array, which holds multiples of x, and one of a constant array.
fn localarr(run: &Run) -> Verdict {
    let want = run.before::<f32>(0).into_iter().enumerate().map(|(i, x)| {
        let sum = (0..16).fold(0f32, |sum, j| sum + x * (j * i % 16) as f32);
        sum + (i % 8) as f32
    });
    same("y", &run.after::<f32>(1), &want.collect::<Vec<f32>>())
}

fn mandel(run: &Run) -> Verdict {
    let most = run.number(1) as usize;
    let point = |i: usize| {
        let x0 = ((i / 50) as f64).mul_add(0.01, -2.0);
        let y0 = ((i % 50) as f64).mul_add(0.01, -1.0);
        let (mut x, mut y) = (0f64, 0f64);
        for n in 1..=most {
            (x, y) = (x0 + (x * x - y * y), y0 + y.mul_add(x, y * x));
            if n == most || x.mul_add(x, y * y) >= 4.0 {
                return n as f64;
            }
        }
        0.0
    };
    same("the count", &run.after::<f64>(0), &(0..70 * 50).map(point).collect::<Vec<f64>>())
}

/// The library's functions are good to two units in the last place or so.
fn math(run: &Run) -> Verdict {
    let want = run
        .before::<f64>(0)
        .into_iter()
        .map(|x| x.sin() + x.exp() + x.sqrt() + x.ln() + x.powf(0.5) + functions::erf(x) + x.floor());
    near("y", &run.after::<f64>(1), &want.collect::<Vec<f64>>(), 1e-14, 1e-14)
}

fn print(run: &Run) -> Verdict {
    let x = run.before::<i32>(0)[0];
    lines(&run.text, (0..8).map(|t| format!("{} {x}", t % 4)).collect())
}

/// Sums over the lanes above by shuffling 64 bits in halves, then what the warp's votes and matches say of them.
fn warp(run: &Run) -> Verdict {
    let x = run.before::<i32>(0);
    let mut want = vec![0u32; x.len()];
    for (index, lanes) in x.chunks(32).enumerate() {
        let mut sums: Vec<i64> = lanes.iter().map(|x| i64::from(*x)).collect();
        for distance in [16, 8, 4, 2, 1] {
            sums =
                (0..32).map(|l| sums[l] + sums[if l + distance < 32 { l + distance } else { l }]).collect();
        }
        let ballot = (0..32).filter(|l| sums[*l] > 0).fold(0u32, |mask, l| mask | 1 << l);
        for (lane, sum) in sums.iter().enumerate() {
            let alike = (0..32).filter(|l| sums[*l] == *sum).fold(0u32, |mask, l| mask | 1 << l);
            let parts = [
                *sum as u32,
                sum.count_ones(),
                sum.leading_zeros(),
                ballot,
                (*sum as u32).reverse_bits(),
                lane as u32,
                alike,
            ];
            want[32 * index + lane] = parts.into_iter().fold(0, u32::wrapping_add);
        }
    }
    same("y", &run.after::<u32>(1), &want)
}
