//! What conversions of integers and floats share: how a type is read, and loops by the widths of both.

use ptxvm_isa::Type;
use ptxvm_num::convert::{self, Format, Integer};

use crate::vector::lanes::{self, Op};

/// How an integer type is read.
pub fn integer(ty: Type) -> Option<Integer> {
    Some(match ty {
        Type::U8 => convert::U8,
        Type::U16 => convert::U16,
        Type::U32 => convert::U32,
        Type::U64 => convert::U64,
        Type::S8 => convert::S8,
        Type::S16 => convert::S16,
        Type::S32 => convert::S32,
        Type::S64 => convert::S64,
        _ => return None,
    })
}

/// How a floating point type is read that stands alone in a register.
pub fn float(ty: Type) -> Option<Format> {
    Some(match ty {
        Type::F16 => convert::F16,
        Type::Bf16 => convert::BF16,
        Type::F32 => convert::F32,
        Type::F64 => convert::F64,
        _ => return None,
    })
}

/// The operation of a function on bits of one width that gives bits of another.
pub fn by_width(from: u32, to: u32, f: impl Fn(u64) -> u64 + Copy + Send + Sync + 'static) -> Option<Op> {
    macro_rules! to {
        ($from:ident) => {
            match to {
                8 => lanes::map1(move |a: $from| f(a.into()) as u8),
                16 => lanes::map1(move |a: $from| f(a.into()) as u16),
                32 => lanes::map1(move |a: $from| f(a.into()) as u32),
                64 => lanes::map1(move |a: $from| f(a.into())),
                _ => return None,
            }
        };
    }
    Some(match from {
        8 => to!(u8),
        16 => to!(u16),
        32 => to!(u32),
        64 => to!(u64),
        _ => return None,
    })
}
