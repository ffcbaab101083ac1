//! NVRTC's classic kernels.

use super::numba::product;
use super::{Table, Verdict, functions, near, same, wide};
use crate::launches::Run;

pub const TABLE: Table = &[
    ("nvrtc/basic sgemm_tiled", sgemm),
    ("nvrtc/basic dgemm_naive", dgemm),
    ("nvrtc/basic reduce_shfl", sum),
    ("nvrtc/basic reduce_shfl one-cta", tree),
    ("nvrtc/basic warp_ops", warp),
    ("nvrtc/basic histogram", histogram),
    ("nvrtc/basic atomics_all", atomics),
    ("nvrtc/basic atomics_all alone", atomics_alone),
    ("nvrtc/basic nbody", nbody),
    ("nvrtc/basic mandel64", mandelbrot),
    ("nvrtc/basic mathf", math),
    ("nvrtc/basic matrixtrans", rows),
    ("nvrtc/basic globals", globals),
    ("nvrtc/basic bigswitch", switch),
    ("nvrtc/basic structarg", structure),
];

/// Whether the compiler fused multiplications and additions; for debugging it does not.
fn fused(run: &Run) -> bool {
    !run.file.variant.starts_with("G.")
}

fn sgemm(run: &Run) -> Verdict {
    let [m, n, k] = [3, 4, 5].map(|i| run.number(i) as usize);
    let (a, b) = (run.before::<f32>(0), run.before::<f32>(1));
    let want = if fused(run) {
        product(m, n, k, |i, k0| a[k * i + k0], |k0, j| b[n * k0 + j])
    } else {
        let element = |i: usize| (0..k).fold(0f32, |sum, k0| sum + a[k * (i / n) + k0] * b[n * k0 + i % n]);
        (0..m * n).map(element).collect()
    };
    same("the product", &run.after::<f32>(2), &want)
}

fn dgemm(run: &Run) -> Verdict {
    let n = run.number(3) as usize;
    let (a, b) = (run.before::<f64>(0), run.before::<f64>(1));
    let element = |i: usize| (0..n).fold(0f64, |sum, k| a[n * (i / n) + k].mul_add(b[n * k + i % n], sum));
    same("the product", &run.after::<f64>(2), &(0..n * n).map(element).collect::<Vec<f64>>())
}

fn sum(run: &Run) -> Verdict {
    same("the sum", &run.after::<f32>(1), &[run.before::<f32>(0).iter().sum::<f32>()])
}

/// The sum in the order of the kernel: each thread its share, each warp a tree, then a tree of the warps.
fn tree(run: &Run) -> Verdict {
    let x = run.before::<f32>(0);
    let mut lanes: Vec<f32> =
        (0..128).map(|t| x.iter().skip(t).step_by(128).fold(0.0, |sum, x| sum + x)).collect();
    let down = |lanes: &[f32]| {
        let mut lanes = lanes.to_vec();
        for distance in [16, 8, 4, 2, 1] {
            lanes =
                (0..32).map(|l| lanes[l] + lanes[if l + distance < 32 { l + distance } else { l }]).collect();
        }
        lanes[0]
    };
    lanes = lanes.chunks(32).map(down).collect();
    lanes.resize(32, 0.0);
    same("the sum", &run.after::<f32>(1), &[down(&lanes)])
}

fn warp(run: &Run) -> Verdict {
    let x = run.before::<i32>(0);
    let (mut sums, mut masks) = (Vec::new(), Vec::new());
    let set = x.iter().filter(|x| **x != 0).count();
    let barriers = set + usize::from(set > 0) + usize::from(set == x.len());
    for lanes in x.chunks(32) {
        let all =
            |which: &dyn Fn(i32) -> bool| (0..32).filter(|l| which(lanes[*l])).fold(0u32, |m, l| m | 1 << l);
        let whole = |how: fn(u32, u32) -> u32, from: u32| lanes.iter().fold(from, |a, x| how(a, *x as u32));
        let common = [
            whole(u32::wrapping_add, 0),
            *lanes.iter().max().expect("lanes") as u32,
            whole(u32::min, u32::MAX),
            whole(|a, b| a & b, u32::MAX),
            whole(|a, b| a | b, 0),
            whole(|a, b| a ^ b, 0),
            u32::from(lanes.iter().any(|x| *x > 3)),
            u32::from(lanes.iter().all(|x| *x > 3)),
            lanes[3] as u32,
            barriers as u32,
        ];
        let common = common.into_iter().fold(0, u32::wrapping_add);
        for (lane, x) in lanes.iter().enumerate() {
            let (up, across) = (lanes[lane.saturating_sub(1)], lanes[lane ^ 5]);
            sums.push(common.wrapping_add(up as u32).wrapping_add(across as u32));
            let votes = all(&|x| x & 1 == 1) ^ u32::MAX ^ all(&|y| y & 7 == x & 7);
            // All that are equal: no lane, for these inputs.
            masks.push(votes);
        }
    }
    same("the sum", &run.after::<u32>(1), &sums)?;
    same("the mask", &run.after::<u32>(2), &masks)
}

fn histogram(run: &Run) -> Verdict {
    let mut want = run.before::<u32>(1);
    run.before::<u8>(0).iter().for_each(|byte| want[usize::from(*byte)] += 1);
    same("the count", &run.after::<u32>(1), &want)
}

/// The words of the first six buffers that no order changes.
fn atomics(run: &Run) -> Verdict {
    let (before, u) = (run.before::<i32>(0), run.before::<u32>(1));
    let sum: i32 = (0..64).sum();
    let want = [before[0] + sum, before[1] - sum, before[2].min(0), before[3].max(63), 0, before[5] | 63];
    same("the integer", &run.after::<i32>(0), &want)?;
    let raised = (0..64).fold(u[0], |u, _| if u >= 100 { 0 } else { u + 1 });
    let lowered = (0..64).fold(u[1], |u, _| if u == 0 || u > 100 { 100 } else { u - 1 });
    same("the counter", &run.after::<u32>(1), &[raised, lowered])?;
    same("the long", &run.after::<u64>(2), &[64, 63, 0])?;
    same("the f32", &run.after::<f32>(3), &[64.0, 2.0])?;
    same("the f64", &run.after::<f64>(4), &[64.0])?;
    same("the short", &run.after::<u16>(5), &[2])
}

fn atomics_alone(run: &Run) -> Verdict {
    let mut a = run.before::<i32>(0);
    (a[2], a[3], a[4]) = (a[2].min(0), a[3].max(0), 0);
    (a[7], a[6]) = (a[6], 0);
    a[8] = a[9];
    if a[9] == 0 {
        a[9] = 1;
    }
    (a[10], a[11], a[12], a[13], a[14]) = (a[10] + 1, a[11] + 1, 3, 3, a[14] + 1);
    same("the integer", &run.after::<i32>(0), &a)?;
    let u = run.before::<u32>(1);
    let raised = if u[0] >= 100 { 0 } else { u[0] + 1 };
    let lowered = if u[1] == 0 || u[1] > 100 { 100 } else { u[1] - 1 };
    same("the counter", &run.after::<u32>(1), &[raised, lowered])?;
    let l = run.before::<u64>(2);
    same("the long", &run.after::<u64>(2), &[l[0] + 1, l[1], if l[2] == 1 { 2 } else { l[2] }])?;
    same("the f32", &run.after::<f32>(3), &[run.before::<f32>(3)[0] + 1.0, 2.0])?;
    same("the f64", &run.after::<f64>(4), &[run.before::<f64>(4)[0] + 1.0])?;
    same("the short", &run.after::<u16>(5), &[2])
}

/// The kernel's reciprocal root is good to 2^-22.
fn nbody(run: &Run) -> Verdict {
    let (mut bodies, mut speeds) = (wide(&run.before::<f32>(0)), wide(&run.before::<f32>(1)));
    let (count, step) = (run.number(2) as usize, run.number(3));
    let start = bodies.clone();
    for i in 0..64 {
        let mut force = [0f64; 3];
        for j in 0..count {
            let d: [f64; 3] = std::array::from_fn(|axis| start[4 * j + axis] - start[4 * i + axis]);
            let distance = (d.iter().map(|d| d * d).sum::<f64>() + 1e-9).sqrt();
            (0..3).for_each(|axis| force[axis] += d[axis] * start[4 * j + 3] / distance.powi(3));
        }
        for axis in 0..3 {
            speeds[4 * i + axis] += step * force[axis];
            bodies[4 * i + axis] += step * speeds[4 * i + axis];
        }
    }
    near("the speed", &wide(&run.after::<f32>(1)), &speeds, 1e-5, 1e-4)?;
    near("the place", &wide(&run.after::<f32>(0)), &bodies, 1e-5, 1e-5)
}

fn mandelbrot(run: &Run) -> Verdict {
    let [w, h, most] = [1, 2, 7].map(|i| run.number(i) as usize);
    let fused = fused(run);
    let fma = |a: f64, b: f64, c: f64| if fused { a.mul_add(b, c) } else { a * b + c };
    let point = |i: usize| {
        let cx = fma(run.number(5), (i % w) as f64, run.number(3));
        let cy = fma(run.number(6), (i / w) as f64, run.number(4));
        let (mut x, mut y, mut n) = (0f64, 0f64, 0);
        while n < most && x * x + y * y < 4.0 {
            (x, y) = (cx + (x * x - y * y), fma(x + x, y, cy));
            n += 1;
        }
        n as u32
    };
    same("the count", &run.after::<u32>(0), &(0..w * h).map(point).collect::<Vec<u32>>())
}

/// Thirty-odd functions of the library, summed: each is good to a few units in the last place, `__sinf` to 2^-20 or
/// so in all.
fn math(run: &Run) -> Verdict {
    let single = |x: f64| {
        let terms = [
            x.sin() + x.cos() + x.tan() + x.exp() + x.ln() + x.powf(f64::from(1.7f32)) + functions::erf(x),
            x.tanh() + x.sqrt() + x.cbrt() + x.atan2(2.0) + x % 3.0 + x.sin() + x.exp() + x / 3.0,
            1.0 / x.sqrt()
                + x.round_ties_even()
                + x.trunc()
                + functions::ln_gamma(x)
                + (x * x + x)
                + (x + 1.0),
            3.0 * x + 8.0 * x + (x - 2.0 * (x / 2.0).round_ties_even()) + functions::j0(x),
            0.5 * (1.0 + functions::erf(x / 2f64.sqrt())) + x / (x + 1.0) - x + x.clamp(0.0, 1.0),
            x.min(1.0) + x.max(2.0),
        ];
        terms.iter().sum::<f64>()
    };
    let want: Vec<f64> = wide(&run.before::<f32>(0)).into_iter().map(single).collect();
    near("the f32", &wide(&run.after::<f32>(1)), &want, 2e-6, 1e-5)?;
    let double = |x: f64| {
        let terms = [
            x.sin() + x.exp() + x.ln() + x.sqrt() + x.powf(0.3) + functions::erf(x) + 1.0 / x,
            functions::ln_gamma(x).exp() + (x + 1.0) + x.round_ties_even() + x % 2.0 + x.round_ties_even(),
            x.trunc() + x.hypot(1.0) + f64::from(x as f32) + f64::from((x.to_bits() >> 32) as i32),
        ];
        terms.iter().sum::<f64>()
    };
    let want: Vec<f64> = run.before::<f64>(2).into_iter().map(double).collect();
    near("the f64", &run.after::<f64>(3), &want, 1e-15, 0.0)
}

/// Loads and stores of four words, arithmetic of 8, 64 and 128 bits. The warp runs in step: all read before one
/// writes, and of two writes to a row the later instruction's stays.
fn rows(run: &Run) -> Verdict {
    let v = run.before::<u32>(0);
    let row = |t: usize| v[4 * t..4 * t + 4].to_vec();
    let mut first = row(0);
    first.reverse();
    let mut want = first;
    (1..35).for_each(|r: usize| want.extend(row(r.saturating_sub(3))));
    same("the row", &run.after::<u32>(1), &want)?;
    let bytes = run.before::<u8>(2);
    let shorts: Vec<u16> = bytes.iter().map(|c| u16::from(*c)).map(|c| 3 * c + c / 7 + c % 5).collect();
    same("the short", &run.after::<u16>(3), &shorts)?;
    let l = run.before::<i64>(4);
    let long = |t: usize| {
        let quotient = l[t].wrapping_mul(l[t + 1]).wrapping_div(l[t + 2] | 1);
        quotient.wrapping_add(l[t] % 13).wrapping_add((l[t] as u64 >> 3) as i64)
    };
    same("the long", &run.after::<i64>(4), &(0..32).map(long).collect::<Vec<i64>>())?;
    let q = run.before::<u128>(5);
    let longest = |t: usize| q[t].wrapping_mul(q[t + 1]).wrapping_add(q[t + 2]);
    let want: Vec<u64> = (0..32).map(longest).flat_map(|q| [q as u64, (q >> 64) as u64]).collect();
    same("the half of a long long", &run.after::<u64>(5), &want)
}

fn globals(run: &Run) -> Verdict {
    let constant = [1.0f32, 2.0, 3.0];
    let array = [1.5f32, 2.5, 3.5, 4.5];
    let want = |t: usize| constant.get(t).unwrap_or(&0.0) + 5.0 + 7.0 + array[t % 4] + 104.0 + 5.0;
    same("the sum", &run.after::<f32>(0), &(0..32).map(want).collect::<Vec<f32>>())
}

fn switch(run: &Run) -> Verdict {
    let x = run.before::<i32>(1);
    let want = (0..128).map(|t| {
        let v = x[t];
        let chosen = match v & 15 {
            0 => v + 3,
            1 => v * 5,
            2 => v - 7,
            3 => v ^ 9,
            4 => v << 2,
            5 => v >> 1,
            6 => !v,
            7 => -v,
            8 => v / 3,
            9 => v % 7,
            10 => v | 5,
            11 => v & 3,
            _ => 0,
        };
        chosen + (v ^ (x[t + 1] & 31))
    });
    same("the result", &run.after::<i32>(0), &want.collect::<Vec<i32>>())
}

fn structure(run: &Run) -> Verdict {
    let array = run.before::<i32>(0);
    let want: Vec<i32> = (0..100).map(|t| array[t % 64] - 3 + 123_456 - 5 - 300 + 7).collect();
    same("the sum", &run.after::<i32>(1), &want)
}
