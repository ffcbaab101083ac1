//! `cargo xtask package`: makes the packages that crates.io would get, which fails if a crate reaches out of its folder or lacks what
//! a package must say. With `--verify` each is built from its package, and the documents of the embedder's interface are made.

use std::path::Path;
use std::process::Command;

/// The crates that are published: what an embedder gets with the last of them. The others are installed as programs and libraries.
const PUBLISHED: [&str; 16] = [
    "isa", "syntax", "module", "num", "memory", "texture", "profile", "tensor", "ir", "model", "machine",
    "order", "check", "weak", "jit", "vm",
];

/// Makes them, in `target/package`.
pub fn run(root: &Path, verify: bool) -> Result<(), String> {
    let mut package = Command::new(env!("CARGO"));
    package.args(["package", "--quiet", "--allow-dirty"]).current_dir(root);
    for name in PUBLISHED {
        package.args(["-p", &format!("ptxvm-{name}")]);
    }
    if !verify {
        package.arg("--no-verify");
    }
    succeeds(&mut package)?;
    println!("packages: {} crates", PUBLISHED.len());
    if verify {
        let mut doc = Command::new(env!("CARGO"));
        doc.args(["doc", "--no-deps", "-p", "ptxvm-vm"])
            .env("RUSTDOCFLAGS", "--deny warnings")
            .current_dir(root);
        succeeds(&mut doc)?;
    }
    Ok(())
}

fn succeeds(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("cargo package ended with {status}")),
        Err(e) => Err(format!("cargo package: {e}")),
    }
}
