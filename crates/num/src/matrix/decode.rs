//! Many elements decoded at once.
//!
//! The same as [`Element::decode`] without branches, so that the loops vectorise.

use super::element::{Element, NOTHING};
use super::tile::level::{Level, Work, dispatch};
use super::tile::vector::Vector;

/// Integers that hold an element's bits in their low ones.
pub trait Raw: Copy {
    /// The bits.
    fn bits(self) -> u32;
}

macro_rules! raw {
    ($($ty:ty)*) => {$(
        impl Raw for $ty {
            #[inline(always)]
            fn bits(self) -> u32 {
                self.into()
            }
        }
    )*};
}

raw!(u8 u16 u32);

/// What is above the largest numbers of a format.
const IEEE: u8 = 0;
const ONE_NAN: u8 = 1;
const FINITE: u8 = 2;

/// Decodes as many elements as all three slices have.
pub(super) fn decode<T: Raw>(element: Element, bits: &[T], significands: &mut [f32], exponents: &mut [i16]) {
    dispatch(Level::V4, Decode { element, bits, significands, exponents });
}

struct Decode<'a, T> {
    element: Element,
    bits: &'a [T],
    significands: &'a mut [f32],
    exponents: &'a mut [i16],
}

impl<T: Raw> Work for Decode<'_, T> {
    #[inline(always)]
    fn run<V: Vector>(self) {
        match self.element {
            Element::F16 => self.all::<5, 10, 0, IEEE>(),
            Element::Bf16 => self.all::<8, 7, 0, IEEE>(),
            Element::Tf32 => self.all::<8, 10, 13, IEEE>(),
            Element::E4m3 => self.all::<4, 3, 0, ONE_NAN>(),
            Element::E5m2 => self.all::<5, 2, 0, IEEE>(),
            Element::E3m2 => self.all::<3, 2, 0, FINITE>(),
            Element::E2m3 => self.all::<2, 3, 0, FINITE>(),
            Element::E2m1 => self.all::<2, 1, 0, FINITE>(),
        }
    }
}

impl<T: Raw> Decode<'_, T> {
    /// All elements of a format with so many bits of exponent and mantissa, above so many that do not count.
    #[inline(always)]
    fn all<const EXPONENT: u32, const MANTISSA: u32, const BELOW: u32, const TOP: u8>(self) {
        let to = self.significands.iter_mut().zip(self.exponents);
        for (&bits, (significand, exponent)) in self.bits.iter().zip(to) {
            (*significand, *exponent) = one::<EXPONENT, MANTISSA, TOP>(bits.bits() >> BELOW);
        }
    }
}

#[inline(always)]
fn one<const EXPONENT: u32, const MANTISSA: u32, const TOP: u8>(bits: u32) -> (f32, i16) {
    let sign = (bits >> (EXPONENT + MANTISSA) & 1) << 31;
    let magnitude = bits & ((1 << (EXPONENT + MANTISSA)) - 1);
    let field = magnitude >> MANTISSA;
    let mantissa = magnitude & ((1 << MANTISSA) - 1);
    let top = (1 << EXPONENT) - 1;
    let bias = top as i16 / 2;
    let normal = 127 << 23 | mantissa << (23 - MANTISSA);
    let subnormal = (mantissa as f32 * (1.0 / (1u32 << MANTISSA) as f32)).to_bits();
    let number = if field == 0 { subnormal } else { normal };
    let (infinity, nan) = match TOP {
        IEEE => (magnitude == top << MANTISSA, magnitude > top << MANTISSA),
        ONE_NAN => (false, magnitude == (1 << (EXPONENT + MANTISSA)) - 1),
        _ => (false, false),
    };
    let number = if infinity { 0x7f80_0000 } else { number };
    let significand = if nan { f32::NAN.to_bits() } else { sign | number };
    let exponent = if infinity | nan | (magnitude == 0) { NOTHING } else { field.max(1) as i16 - bias };
    (f32::from_bits(significand), exponent)
}
