//! Byte permutes: the manual's 9.7.9.7.

use ptxvm_num::int::permute::{Permute, prmt, prmt_mode};

use crate::vector::lanes::{self, Op};

/// `prmt` in one of its modes.
pub fn with_mode(mode: Permute) -> Op {
    lanes::map3(move |a: u32, b: u32, c: u32| prmt_mode(a, b, c, mode))
}

/// The selector is nearly always a constant, and often one of a few: known when this is compiled, what is left of
/// the permute is a shift or two.
pub fn bytes(selector: Option<u32>) -> Op {
    macro_rules! known {
        ($($constant:literal)*) => {
            match selector {
                $(Some($constant) => lanes::simd2(|a: u32, b: u32| prmt(a, b, $constant)),)*
                Some(other) => lanes::simd2(move |a: u32, b: u32| prmt(a, b, other)),
                None => lanes::simd3(prmt),
            }
        };
    }
    known!(0x3340 0x5410 0x7632 0x1032 0x5140 0x7362 0x7770 0x7771 0x7772 0x7773)
}
