//! `--findings` and `PTXVM_FINDINGS`: what is done about mistakes that an H200 survives.

use clap::ValueEnum;
use ptxvm_vm::Findings;

/// The variable for every command.
pub const VARIABLE: &str = "PTXVM_FINDINGS";

/// What is done about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Policy {
    /// The first ends the kernel
    Stop,
    /// Each is told once for each place, with a count, and the kernel goes on as an H200 does
    Report,
    /// The kernel goes on as an H200 does
    Ignore,
}

impl From<Policy> for Findings {
    fn from(policy: Policy) -> Findings {
        match policy {
            Policy::Stop => Findings::Stop,
            Policy::Report => Findings::Report,
            Policy::Ignore => Findings::Ignore,
        }
    }
}

/// What the user wants: by the option, or else by the environment.
///
/// # Errors
/// A sentence if the variable says nothing that is known.
pub fn wanted(option: Option<Policy>) -> Result<Findings, String> {
    if let Some(option) = option {
        return Ok(option.into());
    }
    let Some(name) = std::env::var(VARIABLE).ok().filter(|name| !name.is_empty()) else {
        return Ok(Findings::default());
    };
    Findings::from_name(&name).ok_or_else(|| format!("{VARIABLE}={name}: expected stop, report or ignore"))
}
