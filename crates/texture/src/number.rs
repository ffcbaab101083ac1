//! The numbers that channels hold, as floats.

use ptxvm_num::convert::quick::f16_to_f32;

use crate::texel::Texel;

/// A half float as a float. What a number that is none carries goes along, because nothing computes with it.
#[inline]
pub(crate) fn half_to_float(bits: u16) -> u32 {
    if bits & 0x7c00 == 0x7c00 {
        u32::from(bits & 0x8000) << 16 | 0x7f80_0000 | u32::from(bits & 0x3ff) << 13
    } else {
        f16_to_f32(bits)
    }
}

/// By byte, a float from 0 to 1, rounded once; and by signed byte, one from -1 to 1, of which the lowest two are both -1.
const NORMALIZED: [[u32; 256]; 2] = {
    let mut tables = [[0; 256]; 2];
    let mut byte = 0;
    while byte < 256 {
        tables[0][byte] = (byte as f32 / 255.0).to_bits();
        let signed = if byte < 128 { byte as i32 } else { byte as i32 - 256 };
        tables[1][byte] = (if signed < -127 { -127 } else { signed } as f32 / 127.0).to_bits();
        byte += 1;
    }
    tables
};

#[inline]
pub(crate) fn unorm8(byte: u8) -> u32 {
    NORMALIZED[0][usize::from(byte)]
}

#[inline]
pub(crate) fn snorm8(byte: i8) -> u32 {
    NORMALIZED[1][usize::from(byte as u8)]
}

/// Sixteen bits as a float from 0 to 1, rounded once.
#[inline]
pub(crate) fn unorm16(bits: u16) -> u32 {
    (f32::from(bits) / 65535.0).to_bits()
}

/// Sixteen bits with a sign as a float from -1 to 1; the lowest two are both -1.
#[inline]
pub(crate) fn snorm16(bits: i16) -> u32 {
    (f32::from(bits.max(-32767)) / 32767.0).to_bits()
}

/// Ten bits as a float from 0 to 1, rounded once.
#[inline]
pub(crate) fn unorm10(bits: u32) -> u32 {
    (bits as f32 / 1023.0).to_bits()
}

/// Red, green and blue in ten bits each, from the lowest on, and alpha in two.
#[inline]
pub(crate) fn unorm1010102(bits: u32) -> Texel {
    let color = |at: u32| unorm10(bits >> at & 1023);
    [color(0), color(10), color(20), ((bits >> 30) as f32 / 3.0).to_bits()]
}
