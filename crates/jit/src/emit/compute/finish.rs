//! What `.ftz` and `.sat` do to numbers of single precision.

use super::super::{Name, Writer};

/// A subnormal number becomes the zero of its sign, if that is asked for.
pub fn flush(writer: &mut Writer, a: &str, ftz: bool) -> Name {
    if !ftz {
        return a.into();
    }
    let exponent = writer.constant(32, 0x7f80_0000);
    let (zero, sign) = (writer.constant(32, 0), writer.constant(32, 0x8000_0000));
    let kept = writer.two("and", 32, a, &exponent);
    let small = writer.compare("eq", 32, &kept, &zero);
    let signed = writer.two("and", 32, a, &sign);
    writer.select(&small, 32, &signed, a)
}

/// `.sat`: into the range from plus zero to one, NaN to plus zero.
pub fn saturate(writer: &mut Writer, a: &str) -> Name {
    let (float, truth) = (writer.float_ty(32), writer.ty(1));
    let mut number = writer.as_float(32, a);
    // What is not above zero is minus zero or NaN too.
    for (relation, bound) in [("ogt", 0), ("olt", 0x3f80_0000)] {
        let bound = writer.constant(32, bound);
        let bound = writer.as_float(32, &bound);
        let within = writer.value(format!("fcmp {relation} {float} {number}, {bound}"));
        number = writer.value(format!("select {truth} {within}, {float} {number}, {float} {bound}"));
    }
    writer.as_bits(32, &number)
}
