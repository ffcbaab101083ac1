//! Gives the library the name that programs look for.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libnvidia-ml.so.1");
    // Programs that find a symbol here must get this library's own, whatever else is loaded.
    println!("cargo:rustc-cdylib-link-arg=-Wl,-Bsymbolic");
}
