//! Single precision with half-precision sources: the manual's 9.7.5. A source is widened, which is exact, and the
//! rest is single precision.

use ptxvm_isa::Type;
use ptxvm_num::float::f32;
use ptxvm_num::float::half::{bf16, f16};

use crate::form::Form;
use crate::lanes::{self, Op};

/// The operation of a form of this section.
pub fn select(form: &Form<'_>) -> Option<Op> {
    if !form.section().starts_with("9.7.5.") {
        return None;
    }
    let widen: fn(u16) -> u32 = match form.ty("atype").or_else(|| form.ty("abtype"))? {
        Type::F16 => |a| f16::to_f32(a).to_bits(),
        Type::Bf16 => |a| bf16::to_f32(a).to_bits(),
        _ => return None,
    };
    let (rnd, sat) = (form.rounding("rnd"), form.has("sat"));
    match form.name() {
        "add" => Some(lanes::map2(move |a: u16, c: u32| f32::add(widen(a), c, rnd, false, sat))),
        "sub" => Some(lanes::map2(move |a: u16, c: u32| f32::sub(widen(a), c, rnd, false, sat))),
        "fma" => {
            Some(lanes::map3(move |a: u16, b: u16, c: u32| f32::fma(widen(a), widen(b), c, rnd, false, sat)))
        }
        _ => None,
    }
}
