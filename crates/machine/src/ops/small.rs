//! Sums and products of four numbers of eight bits or fewer at once (manual 9.7.6 since PTX 9.4).

use ptxvm_ir::operation::compute::Small;
use ptxvm_isa::Type;
use ptxvm_num::convert::{E2M1, E2M3, E3M2, E4M3, E5M2, Quad, SmallFunction, small_quad};

use crate::vector::lanes::{self, Op};

/// The operation of arithmetic on four small numbers.
pub fn executor(small: Small) -> Option<Op> {
    let to = if small.to == Type::E4m3x4 { E4M3 } else { E5M2 };
    let quads = (quad(small.a)?, quad(small.b)?);
    let (function, satfinite) = (small.function, small.satfinite);
    let of = move |x: u32, y: u32, z: u32| small_quad(function, quads, to, satfinite, [x, y, z]);
    // Four FP4 numbers without gaps come in a register of 16 bits.
    let narrow = |ty: Type| ty.bits() == 16;
    Some(match (function, narrow(small.a), narrow(small.b)) {
        (SmallFunction::Add | SmallFunction::Sub, false, _) => lanes::map2(move |x: u32, z: u32| of(x, 0, z)),
        (SmallFunction::Add | SmallFunction::Sub, true, _) => {
            lanes::map2(move |x: u16, z: u32| of(x.into(), 0, z))
        }
        (SmallFunction::Mul, false, false) => lanes::map2(move |x: u32, y: u32| of(x, y, 0)),
        (SmallFunction::Mul, false, true) => lanes::map2(move |x: u32, y: u16| of(x, y.into(), 0)),
        (SmallFunction::Mul, true, false) => lanes::map2(move |x: u16, y: u32| of(x.into(), y, 0)),
        (SmallFunction::Mul, true, true) => lanes::map2(move |x: u16, y: u16| of(x.into(), y.into(), 0)),
        (SmallFunction::Fma, false, false) => lanes::map3(of),
        (SmallFunction::Fma, false, true) => lanes::map3(move |x: u32, y: u16, z: u32| of(x, y.into(), z)),
        (SmallFunction::Fma, true, false) => lanes::map3(move |x: u16, y: u32, z: u32| of(x.into(), y, z)),
        (SmallFunction::Fma, true, true) => {
            lanes::map3(move |x: u16, y: u16, z: u32| of(x.into(), y.into(), z))
        }
    })
}

/// How the numbers of a type lie.
fn quad(ty: Type) -> Option<Quad> {
    Some(match ty {
        Type::E4m3x4 => Quad::Bytes(E4M3),
        Type::E5m2x4 => Quad::Bytes(E5M2),
        Type::E2m3x4 => Quad::Bytes(E2M3),
        Type::E3m2x4 => Quad::Bytes(E3M2),
        Type::E2m1p4x4 => Quad::Bytes(E2M1),
        Type::E2m1x4 => Quad::Nibbles(E2M1),
        Type::Ue8m0x4 => Quad::Scales,
        _ => return None,
    })
}
