//! `multimem.ld_reduce`, `multimem.st`, `multimem.red` (manual 9.7.9.14): memory of several devices behind one address.
//!
//! There is one device, so that an address stands for one place: reducing what a single place holds gives what it
//! holds, in whatever precision, and the others are `st` and `red`.

use crate::address::AddressSpace;
use crate::lanes::Op;
use crate::ops::atomic::{Access, combination};
use crate::ops::load_store::{self, Reading, Writing};
use ptxvm_ir::operation::Form;

/// The operation of a multimem instruction on a few bytes.
pub fn select(form: &Form<'_>) -> Option<Op> {
    if form.section() != "9.7.9.14" {
        return None;
    }
    let (_, offset) = form.address()?;
    // Generic or not, the manual wants an address of global memory.
    let space = AddressSpace::Global;
    let ty = form.main_type()?;
    let written = form.operands().iter().filter(|o| o.written).count();
    match form.words().nth(1)? {
        "ld_reduce" => {
            let (strong, acquire) = (form.has("relaxed") || form.has("acquire"), form.has("acquire"));
            load_store::load(ty.bits(), Reading { space, offset, count: written, strong, acquire })
        }
        "st" => {
            let (count, release) = (form.elements("b").count(), form.has("release"));
            load_store::store(ty.bits(), Writing { space, offset, count, release })
        }
        "red" => {
            let how = Access {
                space,
                offset,
                count: form.elements("b").count(),
                destinations: 0,
                acquire: false,
                release: form.has("release"),
                returns: false,
            };
            combination(how, form.slot("op")?, ty)
        }
        _ => None,
    }
}
