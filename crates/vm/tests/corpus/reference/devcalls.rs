//! NVRTC's kernels that call: the device's own functions, themselves, and through pointers.

use super::round::{BF16, F16, Format};
use super::{Table, Verdict, lines, near, same};
use crate::launches::Run;

pub const TABLE: Table = &[
    ("nvrtc/devcalls k_printf", printf),
    ("nvrtc/devcalls k_recurse", recurse),
    ("nvrtc/devcalls k_fptr", pointer),
    ("nvrtc/devcalls k_virtual", method),
    ("nvrtc/devcalls k_trap", survive),
    ("nvrtc/devcalls k_trap exits", exit),
    ("nvrtc/devcalls k_half alone", half),
];

fn printf(run: &Run) -> Verdict {
    let x = run.before::<i32>(0);
    let line = |t: usize| format!("t {t} v {} 1.500000 str", x[t]);
    lines(&run.text, (0..6).map(|t| line(t % 3)).collect())
}

fn recurse(run: &Run) -> Verdict {
    fn fibonacci(n: i32) -> i32 {
        if n < 2 { n } else { fibonacci(n - 1) + fibonacci(n - 2) }
    }
    let want: Vec<i32> = (0..64).map(|t| fibonacci(run.number(1) as i32 + t % 3)).collect();
    same("the number", &run.after::<i32>(0), &want)
}

fn pointer(run: &Run) -> Verdict {
    let want: Vec<i32> = (0..64).map(|t| if t % 2 == 0 { t + 1 } else { 2 * t }).collect();
    same("the result", &run.after::<i32>(0), &want)
}

fn method(run: &Run) -> Verdict {
    let want: Vec<i32> = (0..64).map(|t| if t % 2 == 1 { t + 3 } else { t * t }).collect();
    same("the result", &run.after::<i32>(0), &want)
}

fn survive(run: &Run) -> Verdict {
    same("the word", &run.after::<i32>(0), &[0, 1])
}

fn exit(run: &Run) -> Verdict {
    same("the word", &run.after::<i32>(0), &[3, 3])
}

/// One thread's arithmetic on pairs of halves. The exponential, the hyperbolic tangent, the root and the quotient
/// are good to a unit in the last place of a half, 2^-10 or so.
fn half(run: &Run) -> Verdict {
    let pair = |position: usize, format: Format| {
        run.before::<u16>(position)[..2].iter().map(|x| format.value(u64::from(*x))).collect::<Vec<f64>>()
    };
    let (a, b, x) = (pair(0, F16), pair(1, F16), pair(3, BF16));
    let round = |format: Format, x: f64| format.value(format.round(x));
    let (mut sums, mut rest, mut relu) = (Vec::new(), Vec::new(), Vec::new());
    for i in 0..2 {
        let sum = round(F16, a[i] + b[i]);
        let fused = round(F16, a[i] * b[i] + sum);
        let product = round(F16, round(F16, a[i].tanh()) * fused.max(round(F16, a[i].exp2())));
        sums.push(product + a[i]);
        rest.push(a[i].sqrt());
        relu.push(round(BF16, round(BF16, (x[i] * x[i] + x[i]).max(0.0)) + x[i]));
    }
    rest.extend([a[0] / b[0], a[1] / b[1]]);
    let have = |position: usize, format: Format| {
        run.after::<u16>(position).iter().map(|x| format.value(u64::from(*x))).collect::<Vec<f64>>()
    };
    let out = have(2, F16);
    near("the sum", &out, &sums, 0.004, 0.002)?;
    let finite: Vec<(f64, f64)> =
        out[2..6].iter().zip(&rest).filter(|(_, w)| w.is_finite()).map(|(h, w)| (*h, *w)).collect();
    let (roots, want): (Vec<f64>, Vec<f64>) = finite.into_iter().unzip();
    near("the root or quotient", &roots, &want, 0.001, 0.0)?;
    near("the bf16", &have(4, BF16), &relu, 0.0, 0.0)?;
    let sum = (a[0] + x[0]) as f32 + round(F16, a[0] - b[1]) as f32;
    let less = f32::from(u8::from(a[0] < b[0]));
    same("the f32", &run.after::<f32>(5), &[sum, less])
}
