//! Surface instructions (manual 9.7.11): operands are gathered here, and where an access lies is found by
//! `ptxvm_texture::surface`.
//!
//! Cache operators are hints and change nothing.

mod access;
mod load;
mod query;
mod reduce;
mod store;

use crate::lanes::Op;
use ptxvm_ir::operation::Form;

/// The operation of a surface instruction.
pub fn select(form: &Form<'_>) -> Option<Op> {
    match form.name() {
        "suld.b" => load::select(form),
        "sust.b" => store::select_bytes(form),
        "sust.p" => store::select_sample(form),
        "sured.b" => reduce::select_bytes(form),
        "sured.p" => reduce::select_sample(form),
        "suq" => query::select(form),
        _ => None,
    }
}
