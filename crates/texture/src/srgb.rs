//! sRGB: bytes that stand for floats closer to each other where it is dark.

use crate::decode::unorm8;
use crate::lookup::Texel;

/// By byte, the bits of the float.
pub const LINEAR: [u32; 256] = [0; 256];

/// Red, green and blue from sRGB; alpha is as it stands.
#[inline]
pub fn linear([red, green, blue, alpha]: [u8; 4]) -> Texel {
    let color = |byte: u8| LINEAR[usize::from(byte)];
    [color(red), color(green), color(blue), unorm8(alpha)]
}
