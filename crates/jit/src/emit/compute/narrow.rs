//! Conversions of single precision to formats with less exponent, and the formats of 8 bits.
//!
//! Each has the same steps as the function of its name in `ptxvm_num::convert::quick`.

use super::super::{Name, Writer};

/// A narrow format of floats.
pub struct Narrow {
    /// The bits of its mantissa.
    pub mantissa: u64,
    /// What its exponent counts from.
    pub bias: u64,
    /// The magnitude that larger ones become: infinity, or the largest number.
    pub most: u64,
    /// Its NaN.
    pub nan: u64,
    /// Its bits.
    pub bits: u32,
}

/// A number of single precision in a narrow format, to the nearest.
pub fn narrowed(writer: &mut Writer, a: &Name, format: &Narrow) -> Name {
    let Narrow { mantissa, bias, most, nan, bits } = *format;
    let dropped = 23 - mantissa;
    // Beside this number, the last place of single precision is worth that of the narrow format.
    let beside = (127 - bias + dropped + 1) << 23;
    let magnitude = writer.with("and", 32, a, 0x7fff_ffff);
    let odd = writer.with("lshr", 32, &magnitude, dropped);
    let odd = writer.with("and", 32, &odd, 1);
    let normal = writer.with("sub", 32, &magnitude, (127 - bias) << 23);
    let normal = writer.with("add", 32, &normal, (1 << (dropped - 1)) - 1);
    let normal = writer.two("add", 32, &normal, &odd);
    let normal = writer.with("lshr", 32, &normal, dropped);
    let ty = writer.float_ty(32);
    let (number, float) = (writer.as_float(32, &magnitude), writer.constant(32, beside));
    let float = writer.as_float(32, &float);
    let small = writer.value(format!("fadd {ty} {number}, {float}"));
    let small = writer.as_bits(32, &small);
    let small = writer.with("sub", 32, &small, beside);
    let narrow = writer.choose(("ult", &magnitude, (127 - bias + 1) << 23), &small, &normal);
    let most = writer.constant(32, most);
    let narrow = writer.intrinsic("umin", 32, &[&narrow, &most]);
    let sign = writer.with("lshr", 32, a, u64::from(32 - bits));
    let sign = writer.with("and", 32, &sign, 1 << (bits - 1));
    let narrow = writer.two("or", 32, &narrow, &sign);
    let nan = writer.constant(32, nan);
    let narrow = writer.choose(("ugt", &magnitude, 0x7f80_0000), &nan, &narrow);
    writer.cast("trunc", 32, &narrow, bits)
}

pub fn f32_to_e4m3(writer: &mut Writer, a: &Name) -> Name {
    narrowed(writer, a, &Narrow { mantissa: 3, bias: 7, most: 0x7e, nan: 0x7f, bits: 8 })
}

pub fn f32_to_e5m2(writer: &mut Writer, a: &Name) -> Name {
    narrowed(writer, a, &Narrow { mantissa: 2, bias: 15, most: 0x7b, nan: 0x7f, bits: 8 })
}

pub fn e4m3_to_f16(writer: &mut Writer, a: &Name) -> Name {
    let bits = writer.cast("zext", 8, a, 32);
    let magnitude = writer.with("and", 32, &bits, 0x7f);
    let moved = writer.with("shl", 32, &magnitude, 20);
    // Shifted into place the exponent is so much too small.
    let number = writer.scaled(&moved, 120);
    let number = writer.with("sub", 32, &number, (127 - 15) << 23);
    let number = writer.with("lshr", 32, &number, 13);
    let zero = writer.constant(32, 0);
    let number = writer.choose(("eq", &magnitude, 0), &zero, &number);
    let sign = writer.with("and", 32, &bits, 0x80);
    let sign = writer.with("shl", 32, &sign, 8);
    let number = writer.two("or", 32, &number, &sign);
    let nan = writer.constant(32, 0x7fff);
    let number = writer.choose(("eq", &magnitude, 0x7f), &nan, &number);
    writer.cast("trunc", 32, &number, 16)
}

/// It is the upper half of a number of half precision.
pub fn e5m2_to_f16(writer: &mut Writer, a: &Name) -> Name {
    let bits = writer.cast("zext", 8, a, 32);
    let magnitude = writer.with("and", 32, &bits, 0x7f);
    let moved = writer.with("shl", 32, &bits, 8);
    let nan = writer.constant(32, 0x7fff);
    let number = writer.choose(("ugt", &magnitude, 0x7c), &nan, &moved);
    writer.cast("trunc", 32, &number, 16)
}
