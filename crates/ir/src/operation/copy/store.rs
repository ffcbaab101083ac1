//! `st.async` (the manual's 9.7.9.12) and `red.async` (9.7.13.7), also of multimem addresses, which stand for themselves:
//! there is one device.

use ptxvm_isa::Type;

use crate::operation::access::Combination;
use crate::operation::address::{Address, AddressSpace};
use crate::operation::form::Form;

/// A store or reduction of a few bytes that completes later.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct StoreAsync {
    /// Where to.
    pub to: Address,
    /// The first element.
    pub first: usize,
    /// How many elements.
    pub count: usize,
    /// The bytes of an element.
    pub width: usize,
    /// Whom it tells.
    pub mbarrier: Option<Address>,
    /// The memory that the form is for.
    pub reaches: Reaches,
    /// How the elements are combined with those that are there; without, they are overwritten.
    pub reduction: Option<(Combination, Type)>,
}

/// The memory that a form is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reaches {
    /// That of the cluster's CTAs.
    Cluster,
    /// Global memory.
    Global,
    /// The manual does not know the form, and ptxas does not ask.
    Anything,
}

pub(super) fn decode(form: &Form<'_>) -> Option<StoreAsync> {
    let ty = form.ty("type")?;
    let reduction = match form.words().any(|word| word == "red") {
        true => {
            // Addition is the same for both signs; `red` has it for one alone.
            let meant = if ty == Type::S64 { Type::U64 } else { ty };
            Some((form.modifiers().find_map(Combination::from_name)?, meant))
        }
        false => None,
    };
    let space = match form.slot("ss") {
        Some(name) => AddressSpace::from_name(Some(name)),
        None if form.says("global") => AddressSpace::Global,
        None => AddressSpace::Generic,
    };
    let reaches = match () {
        () if form.given("mbar") => Reaches::Cluster,
        () if form.says("release") || form.says("gpu") || form.says("sys") => Reaches::Global,
        () => Reaches::Anything,
    };
    Some(StoreAsync {
        to: Address::of(form, "a", space)?,
        first: form.position("b")?,
        count: form.elements("b").count(),
        width: ty.bits() as usize / 8,
        mbarrier: match form.given("mbar") {
            true => Some(Address::of(form, "mbar", space)?),
            false => None,
        },
        reaches,
        reduction,
    })
}
