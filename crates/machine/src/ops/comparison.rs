//! Comparing and choosing: the manual's 9.7.6, and the comparisons of half precision in 9.7.7.
//!
//! `setp` with one destination and no predicate to join, `selp` and `slct` are loops that vectorise; `set` and the
//! rarer forms of `setp` ask for the relation lane by lane.

use ptxvm_ir::operation::compute::{Comparing, Set, Setp};
use ptxvm_isa::Type;
use ptxvm_num::float::compare::{self, Comparison, Junction};
use ptxvm_num::float::select::{Word, slct_f32, slct_s32};

use crate::vector::lanes::{self, Op};
use crate::vector::value::Value;

/// The operation of comparing and choosing.
pub fn executor(comparing: Comparing) -> Option<Op> {
    match comparing {
        Comparing::Setp(asked) => setp(asked),
        Comparing::Set(asked) => set(asked),
        Comparing::Selp(ty) => selp(ty),
        Comparing::Slct { ty, by, ftz } => slct(ty.bits(), by, ftz),
    }
}

/// A comparison as one lane does it.
trait Holds<T>: Fn(T, T) -> bool + Copy + Send + Sync + 'static {}
impl<T, F: Fn(T, T) -> bool + Copy + Send + Sync + 'static> Holds<T> for F {}

/// Calls a function with the comparison of the form's source type, which decides what kind of lanes it reads.
macro_rules! by_type {
    ($ty:expr, $relation:ident, $ftz:ident, $function:ident($($more:expr),*)) => {
        match $ty {
            Type::B16 | Type::U16 => $function($($more,)* move |a: u16, b: u16| $relation.holds(a, b)),
            Type::B32 | Type::U32 => $function($($more,)* move |a: u32, b: u32| $relation.holds(a, b)),
            Type::B64 | Type::U64 => $function($($more,)* move |a: u64, b: u64| $relation.holds(a, b)),
            Type::S16 => $function($($more,)* move |a: u16, b: u16| $relation.holds(a as i16, b as i16)),
            Type::S32 => $function($($more,)* move |a: u32, b: u32| $relation.holds(a as i32, b as i32)),
            Type::S64 => $function($($more,)* move |a: u64, b: u64| $relation.holds(a as i64, b as i64)),
            Type::F16 => $function($($more,)* move |a: u16, b: u16| compare::f16($relation, a, b, $ftz)),
            Type::Bf16 => $function($($more,)* move |a: u16, b: u16| compare::bf16($relation, a, b)),
            Type::F32 => $function($($more,)* move |a: u32, b: u32| compare::f32($relation, a, b, $ftz)),
            Type::F64 => $function($($more,)* move |a: u64, b: u64| compare::f64($relation, a, b)),
            _ => None,
        }
    };
}

/// Makes a relation known at run time a constant; relations that are not listed have no operation.
macro_rules! constant {
    ($relation:expr, $R:ident in [$($variant:ident)*] $(or $none:ident)? => $op:expr) => {
        match $relation {
            $(Comparison::$variant => { const $R: Comparison = Comparison::$variant; $op })*
            $(_ => return $none,)?
        }
    };
}

macro_rules! constant_integer {
    ($relation:expr, $R:ident => $op:expr) => { constant!($relation, $R in [Eq Ne Lt Le Gt Ge] or None => $op) };
}

macro_rules! constant_float {
    ($relation:expr, $R:ident => $op:expr) => {
        constant!($relation, $R in [Eq Ne Lt Le Gt Ge Equ Neu Ltu Leu Gtu Geu Num Nan] => $op)
    };
}

fn setp(Setp { relation, junction, ftz, ty, two }: Setp) -> Option<Op> {
    match ty {
        Type::F16x2 => {
            Some(setp_pair(two, junction, move |a: u16, b: u16| compare::f16(relation, a, b, ftz)))
        }
        Type::Bf16x2 => Some(setp_pair(two, junction, move |a: u16, b: u16| compare::bf16(relation, a, b))),
        _ if two || junction.is_some() => by_type!(ty, relation, ftz, setp_joined(two, junction)),
        _ => setp_plain(ty, relation, ftz),
    }
}

/// `setp` with one destination and nothing to join.
fn setp_plain(ty: Type, relation: Comparison, ftz: bool) -> Option<Op> {
    Some(match ty {
        Type::B32 | Type::U32 => {
            constant_integer!(relation, R => lanes::simd2(|a: u32, b: u32| R.holds(a, b)))
        }
        Type::S32 => {
            constant_integer!(relation, R => lanes::simd2(|a: u32, b: u32| R.holds(a as i32, b as i32)))
        }
        Type::B64 | Type::U64 => {
            constant_integer!(relation, R => lanes::simd2(|a: u64, b: u64| R.holds(a, b)))
        }
        Type::S64 => {
            constant_integer!(relation, R => lanes::simd2(|a: u64, b: u64| R.holds(a as i64, b as i64)))
        }
        Type::F32 if !ftz => {
            constant_float!(relation, R => lanes::simd2(|a: u32, b: u32| compare::f32(R, a, b, false)))
        }
        Type::F32 => {
            constant_float!(relation, R => lanes::simd2(|a: u32, b: u32| compare::f32(R, a, b, true)))
        }
        Type::F64 => constant_float!(relation, R => lanes::simd2(|a: u64, b: u64| compare::f64(R, a, b))),
        _ => return by_type!(ty, relation, ftz, setp_joined(false, None)),
    })
}

/// `setp` in general: the second destination gets what the opposite answer makes of the predicate.
fn setp_joined<T: Value + 'static>(
    two: bool,
    junction: Option<Junction>,
    holds: impl Holds<T>,
) -> Option<Op> {
    Some(match (two, junction) {
        (false, None) => lanes::map2(holds),
        (true, None) => lanes::map2(move |a: T, b: T| {
            let answer = holds(a, b);
            (answer, !answer)
        }),
        (false, Some(with)) => lanes::map3(move |a: T, b: T, c: bool| with.join(holds(a, b), c)),
        (true, Some(with)) => lanes::map3(move |a: T, b: T, c: bool| {
            let answer = holds(a, b);
            (with.join(answer, c), with.join(!answer, c))
        }),
    })
}

/// The answers of a comparison of packed values: for the low halves and for the high halves.
fn halves(a: u32, b: u32, holds: impl Holds<u16>) -> (bool, bool) {
    (holds(a as u16, b as u16), holds((a >> 16) as u16, (b >> 16) as u16))
}

/// `setp` of packed values: one destination for each half.
fn setp_pair(two: bool, junction: Option<Junction>, holds: impl Holds<u16>) -> Op {
    match (two, junction) {
        (false, None) => lanes::map2(move |a: u32, b: u32| holds(a as u16, b as u16)),
        (true, None) => lanes::map2(move |a: u32, b: u32| halves(a, b, holds)),
        (false, Some(with)) => {
            lanes::map3(move |a: u32, b: u32, c: bool| with.join(holds(a as u16, b as u16), c))
        }
        (true, Some(with)) => lanes::map3(move |a: u32, b: u32, c: bool| {
            let (low, high) = halves(a, b, holds);
            (with.join(low, c), with.join(high, c))
        }),
    }
}

fn set(Set { relation, junction, ftz, source, destination }: Set) -> Option<Op> {
    match source {
        Type::F16x2 => {
            set_pair(destination, junction, move |a: u16, b: u16| compare::f16(relation, a, b, ftz))
        }
        Type::Bf16x2 => set_pair(destination, junction, move |a: u16, b: u16| compare::bf16(relation, a, b)),
        _ => by_type!(source, relation, ftz, set_one(destination, junction)),
    }
}

/// What `set` writes where the answer is yes.
fn yes(destination: Type) -> Option<u32> {
    Some(match destination {
        Type::U32 | Type::S32 => 0xffff_ffff,
        Type::U16 | Type::S16 => 0xffff,
        Type::F32 => 0x3f80_0000,
        Type::F16 => 0x3c00,
        Type::Bf16 => 0x3f80,
        _ => return None,
    })
}

fn set_one<T: Value + 'static>(
    destination: Type,
    junction: Option<Junction>,
    holds: impl Holds<T>,
) -> Option<Op> {
    let yes = yes(destination)?;
    Some(match (destination.bits(), junction) {
        (16, None) => lanes::map2(move |a: T, b: T| if holds(a, b) { yes as u16 } else { 0 }),
        (16, Some(with)) => {
            lanes::map3(move |a: T, b: T, c: bool| if with.join(holds(a, b), c) { yes as u16 } else { 0 })
        }
        (_, None) => lanes::map2(move |a: T, b: T| if holds(a, b) { yes } else { 0 }),
        (_, Some(with)) => {
            lanes::map3(move |a: T, b: T, c: bool| if with.join(holds(a, b), c) { yes } else { 0 })
        }
    })
}

/// `set` of packed values: an integer destination gets ones in the half whose answer is yes, as does a packed one get
/// 1.0.
fn set_pair(destination: Type, junction: Option<Junction>, holds: impl Holds<u16>) -> Option<Op> {
    let yes = match destination {
        Type::U32 | Type::S32 => 0xffff,
        Type::F16x2 => yes(Type::F16)?,
        Type::Bf16x2 => yes(Type::Bf16)?,
        _ => return None,
    };
    let pack = move |low: bool, high: bool| (yes * u32::from(low)) | ((yes * u32::from(high)) << 16);
    Some(match junction {
        None => lanes::map2(move |a: u32, b: u32| {
            let (low, high) = halves(a, b, holds);
            pack(low, high)
        }),
        Some(with) => lanes::map3(move |a: u32, b: u32, c: bool| {
            let (low, high) = halves(a, b, holds);
            pack(with.join(low, c), with.join(high, c))
        }),
    })
}

fn selp(ty: Type) -> Option<Op> {
    match ty.bits() {
        16 => Some(lanes::simd3(<u16 as Word>::selp)),
        32 => Some(lanes::simd3(<u32 as Word>::selp)),
        64 => Some(lanes::simd3(<u64 as Word>::selp)),
        _ => None,
    }
}

fn slct(bits: u32, by: Type, ftz: bool) -> Option<Op> {
    Some(match (by, bits, ftz) {
        (Type::S32, 16, _) => lanes::simd3(slct_s32::<u16>),
        (Type::S32, 32, _) => lanes::simd3(slct_s32::<u32>),
        (Type::S32, 64, _) => lanes::simd3(slct_s32::<u64>),
        (Type::F32, 16, ftz) => lanes::simd3(move |a: u16, b: u16, c: u32| slct_f32(a, b, c, ftz)),
        (Type::F32, 32, ftz) => lanes::simd3(move |a: u32, b: u32, c: u32| slct_f32(a, b, c, ftz)),
        (Type::F32, 64, ftz) => lanes::simd3(move |a: u64, b: u64, c: u32| slct_f32(a, b, c, ftz)),
        _ => return None,
    })
}
