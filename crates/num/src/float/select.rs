//! Choosing between two values: `selp` and `slct` of 9.7.6.

use super::compare::{self, Comparison};

/// A word that can be chosen.
pub trait Word: Copy {
    /// `selp`: `a` where the predicate holds, else `b`.
    ///
    /// Written with bits, not with `if`: the compiler would choose between the addresses of the two and load once,
    /// which no loop over lanes can do as a vector.
    #[must_use]
    fn selp(a: Self, b: Self, predicate: bool) -> Self;
}

macro_rules! word {
    ($($ty:ident)*) => {
        $(
            impl Word for $ty {
                #[inline(always)]
                fn selp(a: Self, b: Self, predicate: bool) -> Self {
                    b ^ (a ^ b) & $ty::from(predicate).wrapping_neg()
                }
            }
        )*
    };
}

word!(u16 u32 u64);

/// `slct` by a signed integer: `a` where `c` is zero or more, else `b`.
#[inline(always)]
#[must_use]
pub fn slct_s32<T: Word>(a: T, b: T, c: u32) -> T {
    T::selp(a, b, c as i32 >= 0)
}

/// `slct` by a single-precision number: `a` where `c` is zero of either sign or more, else, and for NaN, `b`.
#[inline(always)]
#[must_use]
pub fn slct_f32<T: Word>(a: T, b: T, c: u32, ftz: bool) -> T {
    T::selp(a, b, compare::f32(Comparison::Ge, c, 0, ftz))
}
