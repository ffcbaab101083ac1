//! `cargo xtask test`: everything that must hold before a change lands, in the order that fails soonest.

use std::path::Path;
use std::process::Command;

/// Runs every check; stops at the first that fails.
pub fn run(root: &Path) -> Result<(), String> {
    cargo(root, &["fmt", "--all", "--check"])?;
    crate::generated::check(root)?;
    crate::licences::check(root)?;
    cargo(root, &["clippy", "--workspace", "--all-targets", "--profile", "ci", "--", "--deny", "warnings"])?;
    cargo(root, &["test", "--workspace", "--profile", "ci"])
}

fn cargo(root: &Path, arguments: &[&str]) -> Result<(), String> {
    println!("$ cargo {}", arguments.join(" "));
    let status = Command::new(env!("CARGO")).args(arguments).current_dir(root).status();
    match status {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("cargo {} failed ({status})", arguments[0])),
        Err(e) => Err(format!("cargo: {e}")),
    }
}
