//! Operands and modifiers that most tcgen05 instructions share.

use crate::operation::address::{Address, AddressSpace};
use crate::operation::form::Form;

/// An address of tensor memory among the operands.
pub fn taddr(form: &Form<'_>, name: &str) -> Option<Address> {
    // The space is not looked at: such addresses are never resolved as others are.
    Address::of(form, name, AddressSpace::Global)
}

/// The `.cta_group` of a form.
pub fn group_of(form: &Form<'_>) -> u32 {
    if form.says("cta_group::2") { 2 } else { 1 }
}
