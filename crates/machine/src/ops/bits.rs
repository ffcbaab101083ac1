//! Bits, fields of bits, and dot products of bytes: the manual's 9.7.1.14 to 9.7.1.24.

use ptxvm_ir::operation::compute::{Bits, Overflow};
use ptxvm_isa::Type;
use ptxvm_num::int::bits::{
    bfe, bfi, bfind, bfind_shiftamt, bmsk_clamp, bmsk_wrap, brev, clz, fns, popc, szext_clamp, szext_wrap,
};
use ptxvm_num::int::dot::{dp2a_hi, dp2a_lo, dp4a};

use crate::vector::lanes::{self, Op};

/// A dot product, for the signs of its sources.
macro_rules! by_signs {
    ($a:ident, $b:ident, $function:ident) => {
        match ($a, $b) {
            (false, false) => lanes::simd3($function::<false, false>),
            (false, true) => lanes::simd3($function::<false, true>),
            (true, false) => lanes::simd3($function::<true, false>),
            (true, true) => lanes::simd3($function::<true, true>),
        }
    };
}

/// The operation of a function of bits.
pub fn executor(bits: Bits) -> Option<Op> {
    Some(match bits {
        Bits::Popc(Type::B32) => lanes::simd1(popc::<u32>),
        Bits::Popc(Type::B64) => lanes::simd1(popc::<u64>),
        Bits::Clz(Type::B32) => lanes::simd1(clz::<u32>),
        Bits::Clz(Type::B64) => lanes::simd1(clz::<u64>),
        Bits::Brev(Type::B32) => lanes::simd1(brev::<u32>),
        Bits::Brev(Type::B64) => lanes::simd1(brev::<u64>),
        Bits::Fns => lanes::map3(fns),
        Bits::Bfe(Type::U32) => lanes::simd3(bfe::<u32>),
        Bits::Bfe(Type::S32) => lanes::simd3(bfe::<i32>),
        Bits::Bfe(Type::U64) => lanes::simd3(bfe::<u64>),
        Bits::Bfe(Type::S64) => lanes::simd3(bfe::<i64>),
        Bits::Bfi(Type::B32) => lanes::map4(bfi::<u32>),
        Bits::Bfi(Type::B64) => lanes::map4(bfi::<u64>),
        Bits::Bfind { ty, shiftamt } => return find(ty, shiftamt),
        Bits::Szext { ty: Type::U32, overflow: Overflow::Clamp } => lanes::simd2(szext_clamp::<u32>),
        Bits::Szext { ty: Type::S32, overflow: Overflow::Clamp } => lanes::simd2(szext_clamp::<i32>),
        Bits::Szext { ty: Type::U32, overflow: Overflow::Wrap } => lanes::simd2(szext_wrap::<u32>),
        Bits::Szext { ty: Type::S32, overflow: Overflow::Wrap } => lanes::simd2(szext_wrap::<i32>),
        Bits::Bmsk(Overflow::Clamp) => lanes::simd2(bmsk_clamp),
        Bits::Bmsk(Overflow::Wrap) => lanes::simd2(bmsk_wrap),
        Bits::Dp4a { a_signed, b_signed } => by_signs!(a_signed, b_signed, dp4a),
        Bits::Dp2a { high: false, a_signed, b_signed } => by_signs!(a_signed, b_signed, dp2a_lo),
        Bits::Dp2a { high: true, a_signed, b_signed } => by_signs!(a_signed, b_signed, dp2a_hi),
        _ => return None,
    })
}

fn find(ty: Type, shiftamt: bool) -> Option<Op> {
    Some(match (ty, shiftamt) {
        (Type::U32, false) => lanes::simd1(bfind::<u32>),
        (Type::S32, false) => lanes::simd1(bfind::<i32>),
        (Type::U64, false) => lanes::simd1(bfind::<u64>),
        (Type::S64, false) => lanes::simd1(bfind::<i64>),
        (Type::U32, true) => lanes::simd1(bfind_shiftamt::<u32>),
        (Type::S32, true) => lanes::simd1(bfind_shiftamt::<i32>),
        (Type::U64, true) => lanes::simd1(bfind_shiftamt::<u64>),
        (Type::S64, true) => lanes::simd1(bfind_shiftamt::<i64>),
        _ => return None,
    })
}
