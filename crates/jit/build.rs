//! Records where the Rust toolchain lies that builds us: it brings a libLLVM, which is the first to be tried.

use std::process::Command;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-env-changed=RUSTC");
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let asked = Command::new(rustc).args(["--print", "sysroot"]).output();
    let sysroot = asked.ok().and_then(|output| String::from_utf8(output.stdout).ok()).unwrap_or_default();
    // Without an answer there is one place less to look at.
    println!("cargo:rustc-env=PTXVM_SYSROOT={}", sysroot.trim());
}
