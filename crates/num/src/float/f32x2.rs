//! The packed type `.f32x2`: two single-precision numbers in 64 bits, the first in the low half.

use super::f32;
use crate::Rounding;

macro_rules! packed {
    ($(fn $name:ident($($arg:ident),+);)*) => {
        $(
            #[doc = concat!("[`f32::", stringify!($name), "`] on both halves.")]
            #[inline(always)]
            #[must_use]
            pub fn $name($($arg: u64,)+ rnd: Rounding, ftz: bool) -> u64 {
                let low = f32::$name($($arg as u32,)+ rnd, ftz, false);
                let high = f32::$name($(($arg >> 32) as u32,)+ rnd, ftz, false);
                u64::from(low) | u64::from(high) << 32
            }
        )*
    };
}

packed! {
    fn add(a, b);
    fn sub(a, b);
    fn mul(a, b);
    fn fma(a, b, c);
}
