//! What NVRTC makes for Blackwell and needs no tensor core.

use super::round::{E2M1, E4M3, E5M2, F16};
use super::{Table, Verdict, same};
use crate::launches::Run;

pub const TABLE: Table = &[("nvrtc/tcgen05 bw_misc", conversions), ("nvrtc/tcgen05 mxmma", number)];

/// The codes of a pair of numbers in several formats, summed. The numbers are such that all formats have them, so
/// that stochastic rounding does not change them either.
fn conversions(run: &Run) -> Verdict {
    let (x, words) = (run.before::<f32>(0), run.before::<u32>(2));
    let mut sums = Vec::new();
    let mut pairs = Vec::new();
    let largest = x.chunks(2).map(|pair| pair[0].abs()).fold(0f32, f32::max);
    for (thread, pair) in x.chunks(2).enumerate() {
        let [first, second] = [f64::from(pair[0]), f64::from(pair[1])];
        // The first source is the upper half.
        let both = |code: fn(f64) -> u64| (code(first) << 8 | code(second)) as u32;
        let e4m3 = both(|x| E4M3.round(x));
        let e5m2 = both(|x| E5M2.round(x));
        let e2m1 = (E2M1.round(first) << 4 | E2M1.round(second)) as u32 * 0x101;
        let scale = both(|x| (x.log2().floor() + 127.0) as u64);
        // The scales read as e4m3: that of 1 is its NaN.
        let half = |code: u32| match code & 0xff {
            0x7f | 0xff => 0x7fff,
            code => F16.round(E4M3.value(u64::from(code))) as u32,
        };
        let parts = [
            e4m3,
            e5m2,
            e2m1,
            scale,
            half(scale >> 8) << 16 | half(scale),
            e4m3 << 16 | e4m3,
            words[8 * thread..8 * thread + 8].iter().fold(0, |sum, word| sum.wrapping_add(*word)),
            first.max(second) as u32,
        ];
        sums.push(parts.into_iter().fold(0, u32::wrapping_add));
        let fused = pair[0].mul_add(pair[0], pair[0]);
        pairs.extend([largest, fused * fused]);
    }
    same("the sum", &run.after::<u32>(1), &sums)?;
    same("the pair", &run.after::<f32>(0), &pairs)
}

fn number(run: &Run) -> Verdict {
    let x = run.before::<u32>(0)[0];
    same("the number", &run.after::<f32>(1), &[x as f32; 32])
}
