//! Single precision with half-precision sources: the manual's 9.7.5. A source is widened, which is exact, and the
//! rest is single precision.

use ptxvm_ir::operation::compute::{Mixed, MixedFunction};
use ptxvm_isa::Type;
use ptxvm_num::float::f32;
use ptxvm_num::float::half::{bf16, f16};

use crate::vector::lanes::{self, Op};

/// The operation of single precision with half-precision sources.
pub fn executor(mixed: Mixed) -> Option<Op> {
    let widen: fn(u16) -> u32 = match mixed.source {
        Type::F16 => |a| f16::to_f32(a).to_bits(),
        Type::Bf16 => |a| bf16::to_f32(a).to_bits(),
        _ => return None,
    };
    let (rnd, sat) = (mixed.rounding, mixed.sat);
    Some(match mixed.function {
        MixedFunction::Add => lanes::map2(move |a: u16, c: u32| f32::add(widen(a), c, rnd, false, sat)),
        MixedFunction::Sub => lanes::map2(move |a: u16, c: u32| f32::sub(widen(a), c, rnd, false, sat)),
        MixedFunction::Fma => {
            lanes::map3(move |a: u16, b: u16, c: u32| f32::fma(widen(a), widen(b), c, rnd, false, sat))
        }
    })
}
