//! Integers: arithmetic, bit fields, carry chains, logic, byte permutes, dot products and video operations.
//!
//! A function that exists for several types takes the type as a parameter, `mul_hi::<i32>(a, b)` for
//! `mul.hi.s32`, and works on raw bits: registers have no sign, only operations do. Every function is total; what
//! the manual leaves to the machine (division by zero, shifts beyond the width) is what an H200 does.

pub mod arithmetic;
pub mod atomic;
pub mod bits;
pub mod division;
pub mod dot;
pub mod extended;
pub mod logic;
pub mod packed;
pub mod permute;
#[cfg(test)]
mod samples;
pub mod video;
pub mod video_simd;

use std::ops::{BitAnd, BitOr, Not};

mod sealed {
    pub trait Sealed {}
}

/// An integer type of PTX: a width and whether the top bit is a sign.
pub trait Int:
    sealed::Sealed + Copy + Ord + Not<Output = Self> + BitAnd<Output = Self> + BitOr<Output = Self>
{
    /// The raw bits of a register that holds one: the unsigned type of the same width.
    type Bits: Int<Bits = Self::Bits>;

    const BITS: u32;
    const SIGNED: bool;
    const ZERO: Self;
    const ONE: Self;

    fn of(bits: Self::Bits) -> Self;
    fn bits(self) -> Self::Bits;
    fn leading_zeros(self) -> u32;
    fn count_ones(self) -> u32;
    fn reverse_bits(self) -> Self;
    fn wrapping_add(self, other: Self) -> Self;
    fn wrapping_sub(self, other: Self) -> Self;
    fn wrapping_mul(self, other: Self) -> Self;
    fn saturating_add(self, other: Self) -> Self;
    fn saturating_sub(self, other: Self) -> Self;
    /// The upper half of the product.
    fn high_mul(self, other: Self) -> Self;
    /// The distance from zero.
    fn magnitude(self) -> u64;
    /// The low bits of a number, as many as the type has.
    fn low(value: u64) -> Self;
    /// A shift left by the low bits of `amount`, as many as count the type's bits.
    fn wrapping_shl(self, amount: u32) -> Self;
    /// A shift right likewise, filling with the sign if the type has one.
    fn wrapping_shr(self, amount: u32) -> Self;
}

/// An integer whose product with another fits a register of twice the width.
pub trait Widen: Int {
    /// The type of the same kind, twice as wide.
    type Wide: Int;

    fn widen(self) -> Self::Wide;
}

macro_rules! int {
    ($($type:ident $bits:ident $double:ident)*) => {$(
        impl sealed::Sealed for $type {}

        impl Int for $type {
            type Bits = $bits;

            const BITS: u32 = $type::BITS;
            #[allow(unused_comparisons)]
            const SIGNED: bool = $type::MIN < 0;
            const ZERO: Self = 0;
            const ONE: Self = 1;

            #[inline(always)]
            fn of(bits: $bits) -> Self {
                bits as $type
            }
            #[inline(always)]
            fn bits(self) -> $bits {
                self as $bits
            }
            #[inline(always)]
            fn leading_zeros(self) -> u32 {
                $type::leading_zeros(self)
            }
            #[inline(always)]
            fn count_ones(self) -> u32 {
                $type::count_ones(self)
            }
            #[inline(always)]
            fn reverse_bits(self) -> Self {
                $type::reverse_bits(self)
            }
            #[inline(always)]
            fn wrapping_add(self, other: Self) -> Self {
                $type::wrapping_add(self, other)
            }
            #[inline(always)]
            fn wrapping_sub(self, other: Self) -> Self {
                $type::wrapping_sub(self, other)
            }
            #[inline(always)]
            fn wrapping_mul(self, other: Self) -> Self {
                $type::wrapping_mul(self, other)
            }
            #[inline(always)]
            fn saturating_add(self, other: Self) -> Self {
                $type::saturating_add(self, other)
            }
            #[inline(always)]
            fn saturating_sub(self, other: Self) -> Self {
                $type::saturating_sub(self, other)
            }
            #[inline(always)]
            fn high_mul(self, other: Self) -> Self {
                (($double::from(self) * $double::from(other)) >> $type::BITS) as $type
            }
            #[inline(always)]
            fn magnitude(self) -> u64 {
                u64::from(self.abs_diff(0))
            }
            #[inline(always)]
            fn low(value: u64) -> Self {
                value as $type
            }
            #[inline(always)]
            fn wrapping_shl(self, amount: u32) -> Self {
                $type::wrapping_shl(self, amount)
            }
            #[inline(always)]
            fn wrapping_shr(self, amount: u32) -> Self {
                $type::wrapping_shr(self, amount)
            }
        }
    )*};
}

int! {
    u8 u8 u16    i8 u8 i16
    u16 u16 u32  i16 u16 i32
    u32 u32 u64  i32 u32 i64
    u64 u64 u128 i64 u64 i128
}

macro_rules! widen {
    ($($type:ident $wide:ident)*) => {$(
        impl Widen for $type {
            type Wide = $wide;

            #[inline(always)]
            fn widen(self) -> $wide {
                self.into()
            }
        }
    )*};
}

widen! { u16 u32 i16 i32 u32 u64 i32 i64 }
