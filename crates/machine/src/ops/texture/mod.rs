//! Texture instructions (manual 9.7.10): operands are gathered here, and what a texture unit does with them is in
//! `ptxvm_texture`.

mod gather;
mod handle;
mod kind;
mod lookup;
mod places;
mod query;
mod results;

use crate::lanes::Op;
use ptxvm_ir::operation::Form;

/// The operation of a texture instruction.
pub fn select(form: &Form<'_>) -> Option<Op> {
    match form.opcode() {
        "tex" => lookup::select(form),
        "tld4" => gather::select(form),
        "txq" => query::select(form),
        "istypep" => kind::select(form),
        _ => None,
    }
}
