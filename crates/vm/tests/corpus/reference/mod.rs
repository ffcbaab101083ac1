//! What the kernels must compute, said again in Rust.
//!
//! Floating-point results are compared bit for bit where the kernel's order of operations is known and each
//! operation rounds as IEEE 754 says; where it uses approximations, by a distance that the functions name.

mod basic;
mod blackwell;
mod devcalls;
mod fragments;
mod functions;
mod hopper;
mod matrix;
mod numba;
mod round;
mod texture;
mod triton;

use crate::launches::Run;

/// Whether a run gave what it must; why not.
pub type Verdict = Result<(), String>;

/// The reference of a case, by its name.
pub fn of(case: &str) -> Option<fn(&Run) -> Verdict> {
    all().find(|(name, _)| *name == case).map(|(_, check)| *check)
}

/// The names of the cases that have one.
pub fn names() -> impl Iterator<Item = &'static str> {
    all().map(|(name, _)| *name)
}

fn all() -> impl Iterator<Item = &'static (&'static str, fn(&Run) -> Verdict)> {
    [
        numba::TABLE,
        basic::TABLE,
        devcalls::TABLE,
        triton::TABLE,
        blackwell::TABLE,
        hopper::TABLE,
        fragments::TABLE,
        matrix::TABLE,
        texture::TABLE,
    ]
    .into_iter()
    .flatten()
}

/// References with the names of their cases.
type Table = &'static [(&'static str, fn(&Run) -> Verdict)];

/// Elements whose bits can be compared.
trait Bits: Copy + std::fmt::Debug {
    fn bits(self) -> u64;
}

macro_rules! bits {
    ($($ty:ty: $bits:expr;)*) => {$(
        impl Bits for $ty {
            fn bits(self) -> u64 {
                let bits: fn($ty) -> u64 = $bits;
                bits(self)
            }
        }
    )*};
}

bits! {
    u8: u64::from;
    i8: |x| x as u64;
    u16: u64::from;
    u32: u64::from;
    i32: |x| x as u64;
    u64: |x| x;
    i64: |x| x as u64;
    f32: |x| u64::from(x.to_bits());
    f64: f64::to_bits;
}

/// All elements are the same, bit for bit.
fn same<T: Bits>(what: &str, have: &[T], want: &[T]) -> Verdict {
    if have.len() < want.len() {
        return Err(format!("{what}: {} elements, {} are expected", have.len(), want.len()));
    }
    match have.iter().zip(want).position(|(h, w)| h.bits() != w.bits()) {
        None => Ok(()),
        Some(at) => Err(format!("{what}[{at}] is {:?}, it should be {:?}", have[at], want[at])),
    }
}

/// All elements are as near as `relative` times the expected one, or `absolute`.
fn near(what: &str, have: &[f64], want: &[f64], relative: f64, absolute: f64) -> Verdict {
    if have.len() < want.len() {
        return Err(format!("{what}: {} elements, {} are expected", have.len(), want.len()));
    }
    let close = |(h, w): (&f64, &f64)| (h - w).abs() <= (relative * w.abs()).max(absolute);
    match have.iter().zip(want).position(|pair| !close(pair)) {
        None => Ok(()),
        Some(at) => Err(format!("{what}[{at}] is {}, it should be about {}", have[at], want[at])),
    }
}

fn wide(elements: &[f32]) -> Vec<f64> {
    elements.iter().map(|x| f64::from(*x)).collect()
}

/// `text` has these lines, in any order.
fn lines(text: &str, mut want: Vec<String>) -> Verdict {
    let mut have: Vec<&str> = text.lines().collect();
    have.sort_unstable();
    want.sort_unstable();
    if have == want { Ok(()) } else { Err(format!("it printed\n{text}instead of\n{}", want.join("\n"))) }
}
