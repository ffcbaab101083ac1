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
    let (one, infinity) = (writer.constant(32, 0x3f80_0000), writer.constant(32, 0x7f80_0000));
    let zero = writer.constant(32, 0);
    let least = writer.intrinsic("umin", 32, &[a, &one]);
    // All that is negative or NaN lies above plus infinity when the bits are read as an integer.
    let outside = writer.compare("ugt", 32, a, &infinity);
    writer.select(&outside, 32, &zero, &least)
}
