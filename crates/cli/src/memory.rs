//! `--max-memory` and `--memory`: how much of this machine's memory files and kernels may make a command take.

use std::sync::Arc;

use clap::Args;
use ptxvm_host::{Wanted, show};
use ptxvm_settings::{Said, Switch};
use ptxvm_vm::{Budget, OverBudget};

/// The option of commands that have no device.
#[derive(Args, Clone, Copy, Debug, Default)]
pub struct MaxMemory {
    /// Take at most so much memory for what files make us keep (512M, 8G) [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE", value_parser = ptxvm_host::parse)]
    pub max_memory: Option<u64>,
}

impl MaxMemory {
    /// The budget that the files of a command share.
    pub fn budget(self) -> Arc<Budget> {
        let wanted = Wanted { memory: None, max_memory: self.max_memory }.or(environment().choices().memory);
        Arc::new(Budget::new(wanted.share(0).max_memory))
    }
}

/// Whether a switch is about memory.
pub fn concerns(switch: &Switch) -> bool {
    matches!(switch.name, "memory" | "max-memory")
}

/// What the environment says of memory, to every command.
pub fn environment() -> Said {
    Said::from_environment(concerns, |why| eprintln!("ptxvm: {why}; it is ignored"))
}

/// Says of what does not fit how much it would take, and what to do.
pub fn too_much(what: &str, over: OverBudget) -> String {
    let OverBudget { requested, used, limit } = over;
    format!(
        "{what} takes {} of memory, and of the {} of --max-memory {} are left; give a larger --max-memory, or less to do",
        show(requested),
        show(limit),
        show(limit.saturating_sub(used)),
    )
}
