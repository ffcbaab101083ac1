//! `cargo xtask test`: runs every check that must pass before a change is merged, quick ones first.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Command, Stdio};

/// Runs every check; stops at the first that fails. The clients come last: they are installed from PyPI.
pub fn run(root: &Path, clients: bool) -> Result<(), String> {
    cargo(root, &["fmt", "--all", "--check"])?;
    crate::generated::check(root)?;
    crate::licences::check(root)?;
    cargo(root, &["clippy", "--workspace", "--all-targets", "--profile", "ci", "--", "--deny", "warnings"])?;
    test(root)?;
    // The README's first command, in the profile that has been built: `cargo run` must know which binary is meant.
    cargo(root, &["run", "--profile", "ci", "--quiet", "--", "run", "examples/saxpy.ptx"])?;
    if clients {
        crate::site::run(root)?;
        crate::package::run(root, false)?;
        crate::python::run(root, &[])?;
        crate::clients::run(root, &["--engine", "both"])?;
    }
    Ok(())
}

/// Runs the tests of every crate, and closes with their sum, which `cargo test` itself does not give.
fn test(root: &Path) -> Result<(), String> {
    let arguments = ["test", "--workspace", "--profile", "ci", "--no-fail-fast"];
    println!("$ cargo {}", arguments.join(" "));
    let mut child = Command::new(env!("CARGO"))
        .args(arguments)
        .current_dir(root)
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| format!("cargo: {e}"))?;
    let (mut passed, mut failed) = (0, 0);
    for line in BufReader::new(child.stdout.take().ok_or("no output")?).lines() {
        let line = line.map_err(|e| e.to_string())?;
        println!("{line}");
        if line.starts_with("test result:") {
            passed += count(&line, " passed");
            failed += count(&line, " failed");
        }
    }
    let status = child.wait().map_err(|e| e.to_string())?;
    println!("{passed} passed, {failed} failed");
    if status.success() { Ok(()) } else { Err(format!("cargo test failed ({status})")) }
}

/// The number before a word of the line that closes a test run.
fn count(line: &str, word: &str) -> u32 {
    let before = line.split(word).next().unwrap_or("");
    before.rsplit(' ').next().and_then(|n| n.parse().ok()).unwrap_or(0)
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
