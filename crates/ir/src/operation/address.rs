//! The addresses among an instruction's operands: which space each is in, and where it stands.

use super::form::Form;
use crate::instruction::{Base, OperandKind};
use crate::variable::Space;

/// The state space that an instruction names for its address.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum AddressSpace {
    /// None: the address says which.
    Generic,
    /// `.global`, and parameters of an entry whose address is in a register.
    Global,
    /// `.const`
    Const,
    /// `.shared`, `.shared::cta`
    Shared,
    /// A shared variable by its name: an offset in the CTA's own memory, without its rank.
    SharedVariable,
    /// `.shared::cluster`
    SharedCluster,
    /// `.local`, and parameters of a function, which lie in the frame.
    Local,
}

impl AddressSpace {
    /// The space of a modifier.
    pub(super) fn from_name(name: Option<&str>) -> Self {
        match name {
            Some("global") => Self::Global,
            Some("const") => Self::Const,
            Some("shared" | "shared::cta") => Self::Shared,
            Some("shared::cluster") => Self::SharedCluster,
            Some("local") => Self::Local,
            _ => Self::Generic,
        }
    }

    /// The name in reports.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Generic => "generic",
            Self::Global => "global",
            Self::Const => "constant",
            Self::Shared | Self::SharedVariable => "shared",
            Self::SharedCluster => "shared::cluster",
            Self::Local => "local",
        }
    }
}

/// An address among the operands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Address {
    /// Which operand has it: destinations are counted first, then sources.
    pub operand: usize,
    /// The space that it is in.
    pub space: AddressSpace,
    /// What is added to the operand.
    pub offset: i64,
}

impl Address {
    /// The operand of this name, in the space that the instruction says unless it is a variable's name.
    #[must_use]
    pub(super) fn of(form: &Form<'_>, name: &str, space: AddressSpace) -> Option<Self> {
        let operand = form.position(name)?;
        let OperandKind::Address { base, offset } = form.operand(name)?.kind else { return None };
        let space = match base {
            Base::Variable(variable) => of_variable(form.variable_space(variable))?,
            _ => space,
        };
        Some(Self { operand, space, offset: offset.wrapping_add(form.in_frame(base)) })
    }

    /// The mbarrier object that the operand `addr` names.
    pub(super) fn of_mbarrier(form: &Form<'_>) -> Option<Self> {
        let words = form.words().chain(form.modifiers());
        let space = words.filter(|word| word.starts_with("shared")).last();
        Self::of(form, "addr", AddressSpace::from_name(space))
    }

    /// The first address among the operands; `None` also for the parameter block of an entry.
    pub(super) fn first(form: &Form<'_>) -> Option<Self> {
        let (base, offset) = form.address()?;
        Some(Self { operand: form.position_of_address()?, space: space_of(form, base)?, offset })
    }
}

/// The space of the address that an access has; `None` for the parameter block of an entry.
pub(super) fn space_of(form: &Form<'_>, base: Base) -> Option<AddressSpace> {
    let name = form.slot("ss").or_else(|| form.slot("space"));
    match (name, base) {
        (Some("param" | "param::entry"), Base::Variable(variable)) => match form.variable_space(variable) {
            Some(Space::EntryParam) => None,
            _ => Some(AddressSpace::Local),
        },
        (Some("param::func"), _) => Some(AddressSpace::Local),
        (Some("param"), _) if !form.in_entry() => Some(AddressSpace::Local),
        (_, Base::Variable(variable)) => of_variable(form.variable_space(variable)),
        _ => Some(AddressSpace::from_name(name)),
    }
}

/// The space of a variable's address; `None` for a parameter of an entry.
fn of_variable(space: Option<Space>) -> Option<AddressSpace> {
    Some(match space {
        Some(Space::Shared) => AddressSpace::SharedVariable,
        Some(Space::Local | Space::FuncParam) => AddressSpace::Local,
        Some(Space::EntryParam) => return None,
        Some(Space::Const) => AddressSpace::Const,
        _ => AddressSpace::Global,
    })
}
