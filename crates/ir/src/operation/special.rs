//! The stack (the manual's 9.7.17) and the miscellaneous instructions (9.7.19).

use super::form::Form;

/// An instruction of a kind of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Special {
    /// `alloca`
    Alloca {
        /// What the address is a multiple of, if it says so.
        align: Option<u64>,
    },
    /// `stacksave`
    StackSave,
    /// `stackrestore`
    StackRestore,
    /// `brkpt`
    Breakpoint,
    /// `trap`
    Trap,
    /// `nanosleep`
    Nanosleep,
    /// `pmevent`
    PmEvent,
    /// `setmaxnreg`
    SetMaxnreg {
        /// `.inc`
        increases: bool,
        /// The number of registers.
        count: u32,
    },
}

pub(super) fn decode(form: &Form<'_>) -> Option<Special> {
    Some(match form.opcode() {
        "alloca" => Special::Alloca { align: form.constant("immAlign") },
        "stacksave" => Special::StackSave,
        "stackrestore" => Special::StackRestore,
        "brkpt" => Special::Breakpoint,
        "trap" => Special::Trap,
        "nanosleep" => Special::Nanosleep,
        "pmevent" => Special::PmEvent,
        "setmaxnreg" => Special::SetMaxnreg {
            increases: form.name() == "setmaxnreg.inc",
            count: u32::try_from(form.constant("imm-reg-count")?).ok()?,
        },
        _ => return None,
    })
}
