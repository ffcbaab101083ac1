//! Gives the library the name that programs are linked against.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libcuda.so.1");
    // Programs that find a symbol here must get this library's own, whatever else is loaded.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic");
    // Streams have threads: a program that closes the library must not take their code away.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
}
