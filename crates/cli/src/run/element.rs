//! The element types of buffers and scalars on the command line: their names, how numbers are written in them,
//! and how their bits are read back for the table.

use ptxvm_isa::{Kind, Type};
use ptxvm_num::Rounding;
use ptxvm_num::convert::{self, Modifiers, float_to_float};

/// A type that an element of a buffer may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    U8,
    U16,
    U32,
    U64,
    S8,
    S16,
    S32,
    S64,
    F16,
    Bf16,
    F32,
    F64,
    E4m3,
    E5m2,
    Bool,
}

/// A number read from memory.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Integer(i128),
    Float(f64),
}

/// Names on the command line; those of one type stand together, the one that we print first.
const NAMES: &[(&str, Element)] = &[
    ("u8", Element::U8),
    ("b8", Element::U8),
    ("u16", Element::U16),
    ("b16", Element::U16),
    ("u32", Element::U32),
    ("b32", Element::U32),
    ("u64", Element::U64),
    ("b64", Element::U64),
    ("s8", Element::S8),
    ("i8", Element::S8),
    ("s16", Element::S16),
    ("i16", Element::S16),
    ("s32", Element::S32),
    ("i32", Element::S32),
    ("s64", Element::S64),
    ("i64", Element::S64),
    ("f16", Element::F16),
    ("bf16", Element::Bf16),
    ("f32", Element::F32),
    ("f64", Element::F64),
    ("e4m3", Element::E4m3),
    ("e5m2", Element::E5m2),
    ("bool", Element::Bool),
];

/// What a message says when a type is not among them.
pub const EXPECTED: &str = "u8 u16 u32 u64 s8 s16 s32 s64 f16 bf16 f32 f64 e4m3 e5m2 bool";

impl Element {
    /// The type of this name.
    pub fn from_name(name: &str) -> Option<Element> {
        NAMES.iter().find(|(n, _)| *n == name).map(|&(_, element)| element)
    }

    /// The name that we print.
    pub fn name(self) -> &'static str {
        NAMES.iter().find(|(_, e)| *e == self).map_or("?", |&(name, _)| name)
    }

    /// The type that a kernel's parameter has; bits count as unsigned.
    pub fn of_parameter(ty: Type) -> Option<Element> {
        match (ty.kind(), ty.bits()) {
            (Kind::Bits | Kind::Unsigned, 8) => Some(Element::U8),
            (Kind::Bits | Kind::Unsigned, 16) => Some(Element::U16),
            (Kind::Bits | Kind::Unsigned, 32) => Some(Element::U32),
            (Kind::Bits | Kind::Unsigned, 64) => Some(Element::U64),
            (Kind::Signed, 8) => Some(Element::S8),
            (Kind::Signed, 16) => Some(Element::S16),
            (Kind::Signed, 32) => Some(Element::S32),
            (Kind::Signed, 64) => Some(Element::S64),
            _ => match ty {
                Type::F16 => Some(Element::F16),
                Type::F32 => Some(Element::F32),
                Type::F64 => Some(Element::F64),
                _ => None,
            },
        }
    }

    /// The size of an element in bytes.
    pub fn bytes(self) -> usize {
        match self {
            Element::U8 | Element::S8 | Element::E4m3 | Element::E5m2 | Element::Bool => 1,
            Element::U16 | Element::S16 | Element::F16 | Element::Bf16 => 2,
            Element::U32 | Element::S32 | Element::F32 => 4,
            Element::U64 | Element::S64 | Element::F64 => 8,
        }
    }

    /// Whether it is a floating point type.
    pub fn is_float(self) -> bool {
        let small = matches!(self, Element::E4m3 | Element::E5m2 | Element::F16 | Element::Bf16);
        small || matches!(self, Element::F32 | Element::F64)
    }

    /// Whether it is a signed integer type.
    pub fn is_signed(self) -> bool {
        matches!(self, Element::S8 | Element::S16 | Element::S32 | Element::S64)
    }

    /// The bits of a number as people write it; the error is a sentence.
    pub fn parse(self, text: &str) -> Result<u64, String> {
        let bits = match (self, text) {
            (Element::Bool, "true" | "True" | "1") => Ok(1),
            (Element::Bool, "false" | "False" | "0") => Ok(0),
            (Element::Bool, _) => Err("is neither true nor false".to_owned()),
            _ if self.is_float() => self.parse_float(text),
            _ => self.parse_integer(text),
        };
        bits.map_err(|why| format!("`{text}` {why}"))
    }

    fn parse_float(self, text: &str) -> Result<u64, String> {
        let digits = |prefix: &str| text.strip_prefix(prefix).or(text.strip_prefix(&prefix.to_uppercase()));
        if let Some(hex) = digits("0f").filter(|h| h.len() == 8) {
            let bits = u32::from_str_radix(hex, 16).map_err(|_| "has digits that are not hexadecimal")?;
            return Ok(self.nearest(f64::from(f32::from_bits(bits))));
        }
        if let Some(hex) = digits("0d").filter(|h| h.len() == 16) {
            let bits = u64::from_str_radix(hex, 16).map_err(|_| "has digits that are not hexadecimal")?;
            return Ok(self.nearest(f64::from_bits(bits)));
        }
        if digits("0x").is_some() {
            return Err(format!(
                "is not a valid {}: bits are written 0f3F800000 or 0d3FF0000000000000",
                self.name()
            ));
        }
        let no_number = |_| format!("is not a number for {}", self.name());
        // Text to f32 at once: by way of f64 it would be rounded twice.
        match self {
            Element::F32 => text.parse::<f32>().map(|v| u64::from(v.to_bits())).map_err(no_number),
            _ => text.parse::<f64>().map(|v| self.nearest(v)).map_err(no_number),
        }
    }

    /// Integers wrap where C lets them: -1 is a good u32, since compilers declare an `int` parameter `.u32`.
    fn parse_integer(self, text: &str) -> Result<u64, String> {
        let (negative, rest) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (radix, digits) = match rest.get(..2) {
            Some("0x" | "0X") => (16, &rest[2..]),
            Some("0b" | "0B") => (2, &rest[2..]),
            _ => (10, rest),
        };
        let digits = digits.replace('_', "");
        if digits.starts_with(['+', '-']) {
            return Err(format!("is not a number for {}", self.name()));
        }
        let magnitude = u128::from_str_radix(&digits, radix).map_err(|_| {
            let hint = if text.parse::<f64>().is_ok() { "; a float is written f32:1.5, say" } else { "" };
            format!("is not an integer for {}{hint}", self.name())
        })?;
        let width = 8 * self.bytes() as u32;
        let largest = match (negative, self.is_signed() && radix == 10) {
            (true, _) => 1u128 << (width - 1),
            (false, true) => (1u128 << (width - 1)) - 1,
            (false, false) => (1u128 << width) - 1,
        };
        if magnitude > largest {
            return Err(format!("does not fit into {}", self.name()));
        }
        let value = if negative { (magnitude as u64).wrapping_neg() } else { magnitude as u64 };
        Ok(self.truncate(value))
    }

    fn truncate(self, bits: u64) -> u64 {
        match self.bytes() {
            _ if self == Element::Bool => bits & 1,
            8 => bits,
            n => bits & ((1 << (8 * n)) - 1),
        }
    }

    /// The number of this type nearest to `value`.
    pub fn nearest(self, value: f64) -> u64 {
        let to = |format| {
            float_to_float(value.to_bits(), convert::F64, format, Rounding::Rn, Modifiers::default())
        };
        match self {
            Element::F16 => to(convert::F16),
            Element::Bf16 => to(convert::BF16),
            // No instruction makes them of f64, so that nobody has said what becomes of a NaN.
            Element::E4m3 if value.is_nan() => convert::E4M3.nan(),
            Element::E5m2 if value.is_nan() => convert::E5M2.nan(),
            Element::E4m3 => to(convert::E4M3),
            Element::E5m2 => to(convert::E5M2),
            Element::Bool => u64::from(value != 0.0),
            Element::F32 => u64::from((value as f32).to_bits()),
            Element::F64 => value.to_bits(),
            _ if self.is_signed() => self.truncate(value as i64 as u64),
            _ => self.truncate(value as u64),
        }
    }

    /// The number `n`, wrapped into the type if it is an integer type, rounded if it is not.
    pub fn counted(self, n: u64) -> u64 {
        if self.is_float() { self.nearest(n as f64) } else { self.truncate(n) }
    }

    /// What the bits of an element say.
    pub fn number(self, bits: u64) -> Number {
        let from = |format| float_to_float(bits, format, convert::F64, Rounding::Rn, Modifiers::default());
        match self {
            Element::U8 | Element::U16 | Element::U32 | Element::U64 | Element::Bool => {
                Number::Integer(i128::from(bits))
            }
            Element::S8 => Number::Integer(i128::from(bits as i8)),
            Element::S16 => Number::Integer(i128::from(bits as i16)),
            Element::S32 => Number::Integer(i128::from(bits as i32)),
            Element::S64 => Number::Integer(i128::from(bits as i64)),
            Element::F16 => Number::Float(f64::from_bits(from(convert::F16))),
            Element::Bf16 => Number::Float(f64::from_bits(from(convert::BF16))),
            Element::E4m3 if convert::E4M3.is_nan(bits) => Number::Float(f64::NAN),
            Element::E5m2 if convert::E5M2.is_nan(bits) => Number::Float(f64::NAN),
            Element::E4m3 => Number::Float(f64::from_bits(from(convert::E4M3))),
            Element::E5m2 => Number::Float(f64::from_bits(from(convert::E5M2))),
            Element::F32 => Number::Float(f64::from(f32::from_bits(bits as u32))),
            Element::F64 => Number::Float(f64::from_bits(bits)),
        }
    }

    /// The bits of the element at the beginning of `bytes`, which has at least its size.
    pub fn load(self, bytes: &[u8]) -> u64 {
        bytes[..self.bytes()].iter().rev().fold(0, |bits, &b| bits << 8 | u64::from(b))
    }

    /// Appends an element's bits.
    pub fn store(self, bits: u64, to: &mut Vec<u8>) {
        to.extend_from_slice(&bits.to_le_bytes()[..self.bytes()]);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_taken_as_c_would() {
        assert_eq!(Element::U32.parse("42"), Ok(42));
        assert_eq!(Element::U32.parse("-1"), Ok(0xffff_ffff));
        assert_eq!(Element::S8.parse("-128"), Ok(0x80));
        assert_eq!(Element::S8.parse("0xff"), Ok(0xff));
        assert_eq!(Element::U64.parse("0xffff_ffff_ffff_ffff"), Ok(u64::MAX));
        assert_eq!(Element::U16.parse("0b101"), Ok(5));
        for (element, text) in [
            (Element::U8, "256"),
            (Element::U8, "-129"),
            (Element::S8, "128"),
            (Element::U32, "1.5"),
            (Element::U32, ""),
            (Element::U32, "0x"),
            (Element::U32, "--1"),
            (Element::U64, "99999999999999999999999999999999999999999"),
        ] {
            assert!(element.parse(text).is_err(), "{text} as {}", element.name());
        }
    }

    #[test]
    fn floats_are_rounded_once_or_given_as_bits() {
        assert_eq!(Element::F32.parse("1.5"), Ok(0x3fc0_0000));
        assert_eq!(Element::F32.parse("0f3F800001"), Ok(0x3f80_0001));
        assert_eq!(Element::F64.parse("0d3FF0000000000001"), Ok(0x3ff0_0000_0000_0001));
        assert_eq!(Element::F16.parse("65504"), Ok(0x7bff));
        assert_eq!(Element::Bf16.parse("1"), Ok(0x3f80));
        assert_eq!(Element::F32.parse("-inf"), Ok(0xff80_0000));
        // Between two floats, a hair above the middle: by way of f64 it would be rounded down.
        assert_eq!(Element::F32.parse("1.00000005960464477540"), Ok(0x3f80_0001));
        assert!(Element::F32.parse("0x10").is_err());
        assert!(Element::F32.parse("one").is_err());
    }

    #[test]
    fn bits_come_back_as_numbers() {
        assert_eq!(Element::S16.number(0xffff), Number::Integer(-1));
        assert_eq!(Element::U16.number(0xffff), Number::Integer(65535));
        assert_eq!(Element::F16.number(0x3c00), Number::Float(1.0));
        assert_eq!(Element::Bf16.number(0xc000), Number::Float(-2.0));
        assert_eq!(Element::F16.counted(3), 0x4200);
        assert_eq!(Element::U8.counted(300), 44);
    }

    /// The bits are those of ml_dtypes 0.6.
    #[test]
    fn small_types_are_what_others_make_of_them() {
        for (text, e4m3, e5m2) in
            [("1", 0x38, 0x3c), ("-0.3", 0xaa, 0xb5), ("448", 0x7e, 0x5f), ("0.001", 0x01, 0x14)]
        {
            assert_eq!(Element::E4m3.parse(text).map(|bits| bits & 0xff), Ok(e4m3), "{text}");
            assert_eq!(Element::E5m2.parse(text).map(|bits| bits & 0xff), Ok(e5m2), "{text}");
        }
        let nan = |element: Element| element.number(element.parse("nan").expect("a number"));
        assert!(
            matches!((nan(Element::E4m3), nan(Element::E5m2)), (Number::Float(a), Number::Float(b)) if a.is_nan() && b.is_nan())
        );
        assert_eq!(Element::E4m3.number(0xaa), Number::Float(-0.3125));
        assert_eq!(Element::E5m2.number(0x7c), Number::Float(f64::INFINITY));
        assert_eq!((Element::Bool.parse("true"), Element::Bool.parse("0")), (Ok(1), Ok(0)));
        assert!(Element::Bool.parse("2").is_err() && Element::Bool.parse("yes").is_err());
        assert_eq!((Element::Bool.counted(5), Element::Bool.nearest(0.5)), (1, 1));
    }
}
