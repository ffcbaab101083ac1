//! Gives the library the name that programs are linked against, and lays a link of that name beside it.

use std::os::unix::fs::symlink;
use std::path::PathBuf;

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libcuda.so.1");
    // Programs that find a symbol here must get this library's own, whatever else is loaded.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic");
    // Streams have threads: a program that closes the library must not take their code away.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    // Cargo has no way to name the file: programs look for this name where the library has been built, in `target/release`,
    // which is three folders above the one for this script. Without the link only that is missing.
    let out = std::env::var_os("OUT_DIR").map(PathBuf::from);
    if let Some(built) = out.as_deref().and_then(|out| out.ancestors().nth(3)) {
        let _ = symlink("libcuda.so", built.join("libcuda.so.1"));
    }
}
