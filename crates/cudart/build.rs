//! Gives the library the names and the symbol versions that programs are linked against.
//!
//! NVIDIA's libraries have a version node each, `libcudart.so.12` and `libcudart.so.13`, and the loader looks for the node
//! that a program was linked with. This library has both. rustc writes a version script of its own, which names what is
//! `no_mangle`; LLD, which rustc brings and uses on x86-64 Linux, takes a second one beside it, and GNU ld does not. Elsewhere
//! the symbols have no version: programs run, and the loader says that it found no version information.

use std::path::Path;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rerun-if-changed=versions.map");
    println!("cargo:rustc-check-cfg=cfg(versioned)");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libcudart.so.13");
    // Programs that find a symbol here must get this library's own, whatever else is loaded.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic");
    // Programs register code with it before `main`, and take it back after.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    let says = |name: &str, value: &str| std::env::var(name).is_ok_and(|said| said == value);
    if says("CARGO_CFG_TARGET_ARCH", "x86_64") && says("CARGO_CFG_TARGET_ENV", "gnu") {
        println!("cargo:rustc-cfg=versioned");
        let map = Path::new(env!("CARGO_MANIFEST_DIR")).join("versions.map");
        println!("cargo:rustc-cdylib-link-arg=-Wl,--version-script={}", map.display());
    }
}
