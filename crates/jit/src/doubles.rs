//! Arithmetic of double precision as the interpreter does it, for compiled code that has found a NaN among its results.
#![allow(unsafe_code)]

use ptxvm_ir::operation::compute::FloatFunction as F;
use ptxvm_num::Rounding;
use ptxvm_num::float::f64;

/// The functions that a step may have; the place in the list is its number.
const FUNCTIONS: [F; 7] = [F::Add, F::Sub, F::Mul, F::Fma, F::Div, F::Rcp, F::Sqrt];

/// A vector: a number for each lane.
type Vector = [u64; 32];

/// A function and where the vectors lie that it is a function of, packed into a word of code's.
#[derive(Clone, Copy)]
#[repr(transparent)]
pub struct Step(u32);

impl Step {
    /// A step for one of the functions that have one.
    pub fn new(function: F, sources: impl Iterator<Item = u8>) -> Self {
        let number = FUNCTIONS.iter().position(|known| *known == function).unwrap_or_default() as u32;
        Self(sources.zip(1..).fold(number, |word, (source, byte)| word | u32::from(source) << (8 * byte)))
    }

    /// The word of code's.
    pub fn number(self) -> u32 {
        self.0
    }

    fn result(self, values: &[Vector]) -> Vector {
        let [function, sources @ ..] = self.0.to_le_bytes();
        let [a, b, c] = sources.map(|at| values.get(usize::from(at)).unwrap_or(&[0; 32]));
        let each = |make: &dyn Fn(u64, u64, u64) -> u64| std::array::from_fn(|at| make(a[at], b[at], c[at]));
        let nearest = Rounding::Rn;
        match FUNCTIONS.get(usize::from(function)) {
            Some(F::Add) => each(&|a, b, _| f64::add(a, b, nearest)),
            Some(F::Sub) => each(&|a, b, _| f64::sub(a, b, nearest)),
            Some(F::Mul) => each(&|a, b, _| f64::mul(a, b, nearest)),
            Some(F::Fma) => each(&|a, b, c| f64::fma(a, b, c, nearest)),
            Some(F::Div) => each(&|a, b, _| f64::div(a, b, nearest)),
            Some(F::Rcp) => each(&|a, _, _| f64::rcp(a, nearest)),
            _ => each(&|a, _, _| f64::sqrt(a, nearest)),
        }
    }
}

/// Takes some steps one after the other: the result of the first is the vector with that number, and so on.
///
/// # Safety
/// There are so many steps, and as many vectors from the first result on.
pub unsafe extern "C" fn take_steps(values: *mut Vector, steps: *const Step, count: u32, first: u32) {
    let (count, first) = (count as usize, first as usize);
    // SAFETY: the caller says so.
    let (values, steps) = unsafe {
        (std::slice::from_raw_parts_mut(values, first + count), std::slice::from_raw_parts(steps, count))
    };
    for (at, step) in (first..).zip(steps) {
        values[at] = step.result(values);
    }
}
