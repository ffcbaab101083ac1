//! The bits of a constant as an operand or an initial value of some type, as ptxas 13.1 makes them.
//!
//! What is not obvious was read off its machine code: a `0f…` literal for an `.f64` is not converted, its 32 bits are
//! the low half; a double for a `.bN` loses its upper bits, except that as the initial value of a `.b32` it is rounded
//! like one of an `.f32`, to nearest even; any integer but 0 is a true predicate.

use ptxvm_isa::{Kind, Type};
use ptxvm_syntax::Value;

/// The bits of a constant for this type; `None` if ptxas itself makes nothing of it.
pub fn bits(value: Value, ty: Option<Type>) -> Option<u64> {
    let raw = match value {
        Value::Integer { bits, .. } => bits,
        Value::Single(bits) => u64::from(bits),
        Value::Double(double) => double.to_bits(),
    };
    let Some(ty) = ty else { return Some(raw) };
    Some(match (ty.kind(), value) {
        (Kind::Predicate, _) => u64::from(raw != 0),
        (Kind::Float, Value::Double(double)) if ty == Type::F32 => u64::from(single(double)),
        (Kind::Float, Value::Single(_) | Value::Double(_)) if matches!(ty, Type::F32 | Type::F64) => raw,
        (Kind::Float, Value::Integer { .. }) if matches!(ty, Type::F16 | Type::F16x2) => cut(raw, ty),
        (Kind::Float, _) => return None,
        (Kind::Packed, Value::Single(_)) if ty == Type::Tf32 => raw,
        _ => cut(raw, ty),
    })
}

/// The bits of a constant as the initial value of an element of this type.
pub fn initial(value: Value, ty: Type) -> Option<u64> {
    match value {
        Value::Double(double) if ty == Type::B32 => Some(u64::from(single(double))),
        _ => bits(value, Some(ty)),
    }
}

/// An integer cut to the width of a type, and extended again as the type has it.
pub fn cut(raw: u64, ty: Type) -> u64 {
    let unused = 64 - ty.bits().clamp(1, 64);
    match ty.kind() {
        Kind::Signed => ((raw << unused).cast_signed() >> unused).cast_unsigned(),
        _ => raw << unused >> unused,
    }
}

/// A double rounded to a single. A NaN keeps the upper bits of its payload and becomes a quiet one.
fn single(double: f64) -> u32 {
    if double.is_nan() {
        let bits = double.to_bits();
        let sign = (bits >> 32) as u32 & 1 << 31;
        return sign | 0x7fc0_0000 | (bits >> 29) as u32 & 0x3f_ffff;
    }
    (double as f32).to_bits()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(value: Value, ty: Option<Type>, expected: u64) {
        assert_eq!(bits(value, ty), Some(expected), "{value:?} as {ty:?}");
    }

    fn integer(bits: i64) -> Value {
        Value::Integer { bits: bits.cast_unsigned(), unsigned: false }
    }

    fn double(bits: u64) -> Value {
        Value::Double(f64::from_bits(bits))
    }

    /// Each line is what ptxas 13.1 -arch sm_90a put into its code.
    #[test]
    fn as_ptxas_has_them() {
        check(integer(0x12345), Some(Type::B16), 0x2345);
        check(integer(-1), Some(Type::U32), 0xffff_ffff);
        check(integer(-1), Some(Type::S16), u64::MAX);
        check(integer(-1), Some(Type::B128), u64::MAX);
        check(integer(2), Some(Type::Pred), 1);
        check(integer(1 << 32), Some(Type::Pred), 1);
        check(integer(0x1_0000_0001), Some(Type::U32), 1);
        check(double(0x3ff1_2345_6789_abcd), Some(Type::F32), 0x3f89_1a2b);
        check(double(0x3ff0_0000_1000_0000), Some(Type::F32), 0x3f80_0000);
        check(double(0x7ff0_0000_0000_0001), Some(Type::F32), 0x7fc0_0000);
        check(double(0x7ff8_1234_5678_9abc), Some(Type::F32), 0x7fc0_91a2);
        check(double(0x3690_0000_0000_0001), Some(Type::F32), 1);
        check(double(0x7e00_0000_0000_0000), Some(Type::F32), 0x7f80_0000);
        check(double(0x3ff1_2345_6789_abcd), Some(Type::B32), 0x6789_abcd);
        check(double(0x3ff8_0000_0000_0000), Some(Type::B64), 0x3ff8_0000_0000_0000);
        check(Value::Single(0x3f8c_cccd), Some(Type::F64), 0x3f8c_cccd);
        check(Value::Single(0x7f81_2345), Some(Type::B32), 0x7f81_2345);
        assert_eq!(initial(double(0x3ff1_2345_6789_abcd), Type::B32), Some(0x3f89_1a2b));
        assert_eq!(initial(double(0x3ff1_2345_6789_abcd), Type::B16), Some(0xabcd));
        assert_eq!(initial(double(0x3ff1_2345_6789_abcd), Type::B8), Some(0xcd));
        assert_eq!(initial(Value::Single(0x3f8c_cccd), Type::B64), Some(0x3f8c_cccd));
        assert_eq!(bits(integer(1), Some(Type::F32)), None);
    }
}
