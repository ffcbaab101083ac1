//! Which declared registers fit an operand of which type, as ptxas 13.1 judges it.
//!
//! `docs/ptxas-operands.md` has the rules in words, and says how they were found. Each rule is a set of register types,
//! stored as a bit mask for each operand type, so that the common check costs one load and one shift.

use ptxvm_isa::table::{Operand, TypeOf};
use ptxvm_isa::{Kind, Type};

/// How strictly a place holds its registers to its type.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fit {
    /// The type is one of the instruction's own modifiers: widths must agree.
    Bound,
    /// The instruction itself fixes the type (`shl`'s count): as `Bound`, but a `.f16x2` register is no integer.
    Fixed,
    /// The place is marked `+` (ld, st, cvt): the register may be wider.
    Wider,
}

impl Fit {
    /// How strict a place is.
    pub fn of(place: &Operand) -> Self {
        match place.ty {
            _ if place.wider => Self::Wider,
            TypeOf::Fixed(_) => Self::Fixed,
            _ => Self::Bound,
        }
    }
}

const COUNT: usize = Type::ALL.len();
const _: () = assert!(COUNT <= 64);

/// A set of register types.
type Mask = u64;

static BOUND: [Mask; COUNT] = table(Fit::Bound);
static FIXED: [Mask; COUNT] = table(Fit::Fixed);
static WIDER: [Mask; COUNT] = table(Fit::Wider);

/// Whether a register declared with type `register` fits a place of type `place`.
#[inline]
pub fn takes(place: Type, register: Type, fit: Fit) -> bool {
    mask(place, fit) >> register as u32 & 1 != 0
}

/// The types a register may have for a place, in the order a person would try them.
pub fn choices(place: Type, fit: Fit) -> impl Iterator<Item = Type> {
    let mask = mask(place, fit);
    let kinds = [Kind::Bits, Kind::Unsigned, Kind::Signed, Kind::Float, Kind::Predicate];
    kinds.into_iter().flat_map(move |kind| {
        let fits = move |ty: &&Type| ty.kind() == kind && mask >> (**ty as u32) & 1 != 0;
        Type::ALL.iter().filter(fits).copied()
    })
}

fn mask(place: Type, fit: Fit) -> Mask {
    let table = match fit {
        Fit::Bound => &BOUND,
        Fit::Fixed => &FIXED,
        Fit::Wider => &WIDER,
    };
    table[place as usize]
}

const fn table(fit: Fit) -> [Mask; COUNT] {
    let mut masks = [0; COUNT];
    let mut place = 0;
    while place < COUNT {
        let mut register = 0;
        while register < COUNT {
            if rule(Type::ALL[place], Type::ALL[register], fit) {
                masks[place] |= 1 << register;
            }
            register += 1;
        }
        place += 1;
    }
    masks
}

/// Whether a register can be declared with this type.
const fn declarable(ty: Type) -> bool {
    !matches!(ty.kind(), Kind::Packed) && (ty.bits() >= 8 || matches!(ty, Type::Pred))
}

const fn rule(place: Type, register: Type, fit: Fit) -> bool {
    if !declarable(register) {
        return false;
    }
    // ptxas treats `.f16x2` registers as bits that also pass for 32-bit integers and even predicates, but only where
    // the type is a modifier.
    if matches!(register, Type::F16x2) && !matches!(fit, Fit::Fixed) {
        let passes = match place.kind() {
            Kind::Unsigned | Kind::Signed => {
                place.bits() == 32 || (matches!(fit, Fit::Wider) && place.bits() < 32)
            }
            Kind::Predicate => true,
            _ => matches!(place, Type::U16x2 | Type::S16x2 | Type::U8x4 | Type::S8x4),
        };
        if passes {
            return true;
        }
    }
    let same = place.bits() == register.bits();
    let wide = same || (matches!(fit, Fit::Wider) && place.bits() < register.bits());
    match (place.kind(), register.kind()) {
        (Kind::Predicate, _) => matches!(register, Type::Pred),
        (_, Kind::Predicate) => false,
        (Kind::Bits, _) => wide,
        (Kind::Unsigned | Kind::Signed, Kind::Bits | Kind::Unsigned | Kind::Signed) => wide,
        (Kind::Float, Kind::Bits) => wide,
        (Kind::Float, Kind::Float) => place as u8 == register as u8,
        (Kind::Packed, Kind::Bits) => same,
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(place: Type, fit: Fit, expected: &str) {
        let found: Vec<&str> = choices(place, fit).map(Type::name).collect();
        assert_eq!(found.join(" "), expected, "{place:?} {fit:?}");
    }

    #[test]
    fn as_ptxas_answers() {
        check(Type::S16, Fit::Bound, "b16 u16 s16");
        check(Type::S32, Fit::Bound, "b32 u32 s32 f16x2");
        check(Type::U32, Fit::Fixed, "b32 u32 s32");
        check(Type::B32, Fit::Bound, "b32 u32 s32 f32 f16x2");
        check(Type::F32, Fit::Bound, "b32 f32");
        check(Type::F64, Fit::Bound, "b64 f64");
        check(Type::F16x2, Fit::Bound, "b32 f16x2");
        check(Type::Bf16, Fit::Bound, "b16");
        check(Type::F32x2, Fit::Bound, "b64");
        check(Type::U16x2, Fit::Bound, "b32 f16x2");
        check(Type::S8x4, Fit::Bound, "b32 f16x2");
        check(Type::E2m1x2, Fit::Bound, "b8");
        check(Type::Pred, Fit::Bound, "f16x2 pred");
        check(Type::Pred, Fit::Fixed, "pred");
        check(Type::U32, Fit::Wider, "b32 b64 b128 u32 u64 s32 s64 f16x2");
        check(Type::F32, Fit::Wider, "b32 b64 b128 f32");
        check(Type::B64, Fit::Wider, "b64 b128 u64 s64 f64");
        check(Type::Bf16, Fit::Wider, "b16");
    }
}
