//! `cvt.pack`.

use ptxvm_num::convert::{pack_integers, pack_integers_over};

use crate::lanes::{self, Op};
use ptxvm_ir::operation::Form;

pub fn select(form: &Form<'_>) -> Option<Op> {
    let over =
        |size, signed| lanes::map3(move |a: u32, b: u32, c: u32| pack_integers_over(a, b, c, size, signed));
    Some(match form.slot("convertType")? {
        "u16" => lanes::map2(|a: u32, b: u32| pack_integers(a, b, false)),
        "s16" => lanes::map2(|a: u32, b: u32| pack_integers(a, b, true)),
        "u8" => over(8, false),
        "s8" => over(8, true),
        "u4" => over(4, false),
        "s4" => over(4, true),
        "u2" => over(2, false),
        "s2" => over(2, true),
        _ => return None,
    })
}
