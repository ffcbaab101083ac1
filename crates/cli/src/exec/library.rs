//! Finds libcuda and its companion libraries: next to this executable, or where the user says.

use std::path::{Path, PathBuf};

/// Where the library may lie, seen from the executable's folder: where cargo puts it, and where an installation does.
const PLACES: [&str; 4] = ["libcuda.so", "libcuda.so.1", "deps/libcuda.so", "../lib/ptxvm/libcuda.so.1"];

/// This executable itself, whatever link it was called by.
pub fn own() -> Result<PathBuf, String> {
    std::env::current_exe().map_err(|error| format!("cannot find the path of ptxvm itself: {error}"))
}

/// The library, as an absolute path.
pub fn find() -> Result<PathBuf, String> {
    if let Some(path) = std::env::var_os("PTXVM_LIBCUDA").filter(|path| !path.is_empty()) {
        let path = PathBuf::from(path);
        return std::fs::canonicalize(&path)
            .map_err(|error| format!("PTXVM_LIBCUDA={}: {error}", path.display()));
    }
    let own = own()?;
    let folder = own.parent().unwrap_or(Path::new("/"));
    PLACES.iter().find_map(|place| std::fs::canonicalize(folder.join(place)).ok()).ok_or_else(|| {
        format!(
            "there is no libcuda.so beside {}\n\
             ptxvm: build it with `cargo build --release -p ptxvm-cuda`, or name it in PTXVM_LIBCUDA",
            own.display()
        )
    })
}

/// A companion of libcuda, which has the same places relative to it, by the name that cargo gives it or the one that it is
/// installed by. Without libnvJitLink programs that use NVIDIA's hand
/// over machine code, and are told so; without libcudart those on the runtime find NVIDIA's, and are told so too.
pub fn beside(libcuda: &Path, built: &str, installed: &str) -> Option<PathBuf> {
    let folder = libcuda.parent()?;
    let names = [format!("{built}.so"), installed.to_owned(), format!("deps/{built}.so")];
    names.iter().find_map(|place| std::fs::canonicalize(folder.join(place)).ok())
}
