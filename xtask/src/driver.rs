//! Writes `docs/driver.md`, which says which entry points of the driver API are served. It reads the library's own table,
//! and the lists of entry points that only answer that they are not supported.

use std::fmt::Write;
use std::path::Path;

/// The subjects, each a folder of `crates/cuda/src`, and what is served of them in a few words.
const SUBJECTS: [(&str, &str); 11] = [
    ("device", "initialisation, devices, attributes, look-up of names, errors"),
    ("context", "contexts, stacks, limits, the primary context"),
    ("module", "modules, libraries, functions, the linker, JIT options"),
    ("launch", "launches and occupancy"),
    ("memory", "allocation, copies, fills, pools, managed, pinned and virtual memory, tensor maps"),
    ("stream", "streams, events, waits and writes of values"),
    ("graph", "graphs, capture, conditional nodes"),
    ("array", "arrays, mipmapped arrays, copies from and to them"),
    ("texture", "texture and surface objects and references"),
    (
        "logs",
        "what calls have answered with an error, for programs that read it, write it to files or are told of it",
    ),
    ("graphics", "OpenGL, EGL and VDPAU: the answers of a server without a display"),
];

/// The text of the page.
pub fn page(root: &Path) -> Result<String, String> {
    let source = root.join("crates/cuda/src");
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()));
    let table = read(&source.join("table.rs"))?;
    let rows = table.lines().skip_while(|line| !line.starts_with("entry_points! {")).skip(1);
    let mut symbols: Vec<&str> = rows
        .take_while(|line| *line != "}")
        .flat_map(|line| line.split([':', ',', '|', ';', ' ']))
        .filter(|word| word.starts_with("cu"))
        .collect();
    symbols.sort_unstable();
    symbols.dedup();

    let mut subjects = String::new();
    let mut refused = 0;
    for (folder, about) in SUBJECTS {
        let list = source.join(folder).join("unsupported.rs");
        if !list.exists() {
            let _ = write!(subjects, "\n## {folder}: {about}\n\nAll are served.\n");
            continue;
        }
        let list = read(&list)?;
        let names: Vec<&str> = list.lines().map(str::trim).filter(|line| line.starts_with("cu")).collect();
        refused += names.len();
        let names: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
        let _ = write!(subjects, "\n## {folder}: {about}\n\nNot supported: {}.\n", names.join(", "));
    }
    let all = symbols.len();
    let mut page = String::from("<!-- made by `cargo xtask isa` from crates/cuda/src; do not edit -->\n\n");
    let _ = writeln!(
        page,
        "# The driver API in libcuda.so.1\n\nThe library has every entry point of CUDA 13.4's `cuda.h`, `cudaGL.h`, `cudaEGL.h` and `cudaVDPAU.h`: {all} symbols. \
         That counts the older versions of each (`cuMemAlloc`, `cuMemAlloc_v2`) and the variants for programs whose \
         default stream is per thread (`_ptsz`, `_ptds`). {} of them are served. The others exist, print once that they \
         are not supported, and return `CUDA_ERROR_NOT_SUPPORTED`; they are listed below by subject. A name without a \
         suffix that also exists as `_v2` is mostly from CUDA 2, where pointers had 32 bits.\n\nThe tests compare the \
         answers to wrong arguments with those of an H200's driver (`tests/golden/driver`). [devices.md](devices.md) and \
         [streams.md](streams.md) say where ptxvm's answers differ on purpose, and \
         `crates/cuda/tests/textures/different.rs` says it for arrays and textures. The functions of a large module are \
         checked when they are first asked for ([exec.md](exec.md#large-modules)).",
        all - refused
    );
    Ok(page + &subjects)
}
