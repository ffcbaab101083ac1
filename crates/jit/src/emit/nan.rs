//! The one NaN that arithmetic of single precision gives.

use super::writer::{Name, Writer};

/// Its bits.
pub const NAN: u64 = 0x7fff_ffff;

/// The bits of a result of single precision, with the one NaN.
pub fn one_nan(writer: &mut Writer, a: &str) -> Name {
    one_nan_of(writer, a, a)
}

/// What is made of a number, which is the one NaN where that is one.
pub fn one_nan_of(writer: &mut Writer, number: &str, made: &str) -> Name {
    let float = writer.as_float(32, number);
    let ty = writer.float_ty(32);
    let is = writer.value(format!("fcmp uno {ty} {float}, {float}"));
    let nan = writer.constant(32, NAN);
    writer.select(&is, 32, &nan, made)
}
