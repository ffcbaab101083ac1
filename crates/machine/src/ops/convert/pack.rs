//! `cvt.pack`.

use ptxvm_ir::operation::compute::ConvertPack;
use ptxvm_num::convert::{pack_integers, pack_integers_over};

use crate::vector::lanes::{self, Op};

/// The operation of `cvt.pack`.
pub fn executor(ConvertPack { bits, signed }: ConvertPack) -> Op {
    match bits {
        16 => lanes::map2(move |a: u32, b: u32| pack_integers(a, b, signed)),
        _ => lanes::map3(move |a: u32, b: u32, c: u32| pack_integers_over(a, b, c, bits, signed)),
    }
}
