//! The packed types `.f16x2` and `.bf16x2`: two numbers in a word, the first in the low half.
//!
//! A macro writes the functions, because only a named function can be marked for inlining, not a closure. The loop over
//! lanes vectorises only if everything in it is inlined.

macro_rules! packed {
    ($(fn $name:ident = $($of:ident)::+($($arg:ident),+ $(; $more:ident: $ty:ty)*);)*) => {
        $(
            #[doc = concat!("[`", stringify!($($of)::+), "`] on both halves.")]
            #[inline(always)]
            #[must_use]
            pub fn $name($($arg: u32,)+ $($more: $ty),*) -> u32 {
                let low = $($of)::+($($arg as u16,)+ $($more),*);
                let high = $($of)::+($(($arg >> 16) as u16,)+ $($more),*);
                u32::from(low) | u32::from(high) << 16
            }
        )*
    };
}

/// Two numbers in half precision.
pub mod f16x2 {
    use crate::float::half::{Finish, f16};
    use crate::float::minmax::{self, Extreme, Modifiers};

    packed! {
        fn add = f16::add(a, b; then: Finish);
        fn sub = f16::sub(a, b; then: Finish);
        fn mul = f16::mul(a, b; then: Finish);
        fn fma = f16::fma(a, b, c; then: Finish);
        fn abs = f16::abs(a; ftz: bool);
        fn neg = f16::neg(a; ftz: bool);
        fn extreme = minmax::f16(a, b; which: Extreme; modifiers: Modifiers);
    }
}

/// Two bfloat16 numbers.
pub mod bf16x2 {
    use crate::float::half::{Finish, bf16};
    use crate::float::minmax::{self, Extreme, Modifiers};

    packed! {
        fn add = bf16::add(a, b);
        fn sub = bf16::sub(a, b);
        fn mul = bf16::mul(a, b);
        fn fma = bf16::fma(a, b, c; then: Finish);
        fn abs = bf16::abs(a);
        fn neg = bf16::neg(a);
        fn extreme = minmax::bf16(a, b; which: Extreme; modifiers: Modifiers);
    }
}
