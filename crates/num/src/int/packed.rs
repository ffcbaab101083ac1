//! Arithmetic on the parts of a word, 9.7.1: `.u16x2`, `.s16x2` and, from PTX ISA 9.2 on, `.u8x4` and `.s8x4`.

use super::Int;

/// An integer type of which a word holds several.
pub trait PackedPart: Int {
    /// What `f` makes of each pair of parts.
    fn each(a: u32, b: u32, f: impl Fn(Self::Bits, Self::Bits) -> Self::Bits) -> u32;

    /// What `f` makes of each part.
    #[inline(always)]
    fn each_alone(a: u32, f: impl Fn(Self::Bits) -> Self::Bits) -> u32 {
        Self::each(a, 0, |a, _| f(a))
    }
}

macro_rules! part {
    ($($type:ident $bits:ident)*) => {$(
        impl PackedPart for $type {
            #[inline(always)]
            fn each(a: u32, b: u32, f: impl Fn($bits, $bits) -> $bits) -> u32 {
                let mut d = 0;
                for at in (0..32).step_by($bits::BITS as usize) {
                    d |= u32::from(f((a >> at) as $bits, (b >> at) as $bits)) << at;
                }
                d
            }
        }
    )*};
}

part! { u8 u8 i8 u8 u16 u16 i16 u16 }

#[cfg(test)]
mod tests {
    use super::super::arithmetic::{add, add_sat, max_relu, min, neg};
    use super::*;

    #[test]
    fn parts_do_not_touch_each_other() {
        assert_eq!(u16::each(0xffff_0001, 0x0001_ffff, add::<u16>), 0);
        assert_eq!(i16::each(0x7fff_8000, 0x0001_ffff, add_sat::<i16>), 0x7fff_8000);
        assert_eq!(i16::each(0x8000_0005, 0xffff_fff0, max_relu::<i16>), 0x0000_0005);
        assert_eq!(u8::each(0xff01_80fe, 0x01ff_80ff, add_sat::<u8>), 0xffff_ffff);
        assert_eq!(u8::each(0xff01_80fe, 0x01ff_80ff, add::<u8>), 0x0000_00fd);
        assert_eq!(i8::each(0xff01_80fe, 0x01ff_807f, min::<i8>), 0xffff_80fe);
        assert_eq!(i8::each_alone(0xff01_8000, neg::<i8>), 0x01ff_8000);
    }
}
