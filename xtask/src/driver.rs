//! `docs/driver.md`: which entry points of the driver API are served, read from the library's own table and from the
//! lists of those that only answer that they are not supported.

use std::fmt::Write;
use std::path::Path;

/// The subjects, each a folder of `crates/cuda/src`, and what is served of them in a few words.
const SUBJECTS: [(&str, &str); 10] = [
    ("device", "initialisation, devices, attributes, look-up of names, errors"),
    ("context", "contexts, stacks, limits, the primary context"),
    ("module", "modules, libraries, functions, the linker, JIT options"),
    ("launch", "launches and occupancy"),
    ("memory", "allocation, copies, fills, pools, managed, pinned and virtual memory, tensor maps"),
    ("stream", "streams, events, waits and writes of values"),
    ("graph", "graphs, capture, conditional nodes"),
    ("array", "arrays, mipmapped arrays, copies from and to them"),
    ("texture", "texture and surface objects and references"),
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
        "# The driver API in libcuda.so.1\n\nThe library has every entry point of CUDA 13.4's `cuda.h`, `cudaGL.h`, `cudaEGL.h` and `cudaVDPAU.h`: {all} symbols, \
         the older versions of each (`cuMemAlloc`, `cuMemAlloc_v2`) and the variants for programs whose default stream is \
         the thread's own (`_ptsz`, `_ptds`) counted. {} of them are served. The others are there, say once that they are \
         not supported, and answer `CUDA_ERROR_NOT_SUPPORTED`; below they are listed by subject. Names without a suffix \
         beside a `_v2` are mostly those of CUDA 2, whose pointers have 32 bits.\n\nWhat each answers to wrong arguments \
         is compared with an H200's driver in `tests/golden/driver`; where ours differs on purpose, \
         [devices.md](devices.md) and [streams.md](streams.md) say so, and for arrays and textures \
         `crates/cuda/tests/textures/different.rs`.",
        all - refused
    );
    Ok(page + &subjects)
}
