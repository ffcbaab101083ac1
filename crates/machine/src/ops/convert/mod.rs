//! Conversions: `cvt` and `cvt.pack` (manual 9.7.9.21 and 9.7.9.22).
//!
//! The last two modifiers of every form are the type converted to and the type converted from; each file here
//! knows some kinds of pairs.

mod floats;
mod integers;
mod narrow;
mod pack;

use ptxvm_num::Rounding;
use ptxvm_num::convert::{self, Format, Integer, Modifiers};

use crate::lanes::{self, Op};
use ptxvm_ir::operation::Form;

/// The operation of a form of `cvt`.
pub fn select(form: &Form<'_>) -> Option<Op> {
    match form.name() {
        // The operand `c` that ptxas takes after some packed forms has no meaning that one could know: the manual
        // does not have it, and ptxas breaks down when it is to make code of it.
        "cvt" if !form.given("c") => {
            let (to, from) = form.modifiers().fold(("", ""), |(_, last), word| (last, word));
            let cvt = Cvt { form, to, from };
            integers::select(&cvt).or_else(|| floats::select(&cvt)).or_else(|| narrow::select(&cvt))
        }
        "cvt.pack" => pack::select(form),
        _ => None,
    }
}

/// A form of `cvt` between two types.
struct Cvt<'a> {
    form: &'a Form<'a>,
    to: &'static str,
    from: &'static str,
}

impl Cvt<'_> {
    fn has(&self, word: &str) -> bool {
        self.form.has(word)
    }

    fn rounding(&self) -> Option<Rounding> {
        self.form.modifiers().find_map(Rounding::from_name)
    }

    fn modifiers(&self) -> Modifiers {
        Modifiers {
            ftz: self.has("ftz"),
            sat: self.has("sat"),
            relu: self.has("relu"),
            satfinite: self.has("satfinite"),
        }
    }
}

/// The integer type of this name.
fn integer(name: &str) -> Option<Integer> {
    Some(match name {
        "u8" => convert::U8,
        "u16" => convert::U16,
        "u32" => convert::U32,
        "u64" => convert::U64,
        "s8" => convert::S8,
        "s16" => convert::S16,
        "s32" => convert::S32,
        "s64" => convert::S64,
        _ => return None,
    })
}

/// The floating point type of this name that stands alone in a register.
fn float(name: &str) -> Option<Format> {
    Some(match name {
        "f16" => convert::F16,
        "bf16" => convert::BF16,
        "f32" => convert::F32,
        "f64" => convert::F64,
        _ => return None,
    })
}

/// The operation of a function on bits of one width that gives bits of another.
fn by_width(from: u32, to: u32, f: impl Fn(u64) -> u64 + Copy + Send + Sync + 'static) -> Option<Op> {
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
