//! Writes `docs/runtime.md`, which says which functions of the runtime API are served. It reads the library's own entry points,
//! and the lists of those that only answer that they are not supported.

use std::fmt::Write;
use std::path::Path;

/// The subjects, each a file or a folder of `crates/cudart/src`, and what is served of them in a few words.
const SUBJECTS: [(&str, &str); 15] = [
    ("device", "devices, properties, attributes, limits, peers, the profiler's switches"),
    ("last_error.rs", "the last error, names and descriptions of errors"),
    ("registration", "what nvcc's and clang's code calls: fatbins, functions, variables, managed variables"),
    ("launch.rs", "launches, with attributes, cooperative, of functions of the host's"),
    ("function.rs", "attributes of kernels, their parameters, occupancy"),
    ("library.rs", "code that a program loads itself"),
    ("memory", "memory of the device and the host, managed memory, pools, fills, variables"),
    ("copy", "copies of bytes, rectangles and boxes, in batches, from and to arrays"),
    ("array", "arrays and mipmapped arrays"),
    ("texture.rs", "texture and surface objects"),
    ("stream.rs", "streams, their attributes, callbacks and capture"),
    ("event.rs", "events, handles for other processes"),
    ("graph", "graphs with nodes of all kinds but external semaphores"),
    ("graphics.rs", "OpenGL, EGL and VDPAU: the answers of a server without a display"),
    ("entry_point.rs", "the driver's functions"),
];

/// The macros that declare entry points which are served, and the one for those that are not.
const SERVED: [&str; 4] = ["entry! {", "early! {", "of_13! {", "no_result! {"];
const REFUSED: &str = "unsupported! {";

/// The names in a file: served, and not.
#[derive(Default)]
struct Names {
    served: Vec<String>,
    refused: Vec<String>,
}

impl Names {
    /// Reads a file, or all files of a folder.
    fn read(&mut self, path: &Path) -> Result<(), String> {
        let told = |e: std::io::Error| format!("{}: {e}", path.display());
        if path.is_dir() {
            for entry in std::fs::read_dir(path).map_err(told)? {
                self.read(&entry.map_err(told)?.path())?;
            }
            return Ok(());
        }
        let text = std::fs::read_to_string(path).map_err(told)?;
        let (mut served, mut refused) = (false, false);
        for line in text.lines() {
            match line {
                "}" => (served, refused) = (false, false),
                line if SERVED.contains(&line) => served = true,
                REFUSED => refused = true,
                _ => {}
            }
            let words = line.split(|c: char| !c.is_alphanumeric() && c != '_');
            let names = words.filter(|word| word.starts_with("cuda") || word.starts_with("__cuda"));
            if refused {
                self.refused.extend(names.map(str::to_owned));
            } else if served && line.starts_with("    fn ") {
                self.served.extend(names.map(str::to_owned));
            } else if let Some(name) = line.strip_prefix("export!(") {
                self.served.extend(name.split(')').next().map(str::to_owned));
            }
        }
        Ok(())
    }
}

/// The text of the page.
pub fn page(root: &Path) -> Result<String, String> {
    let source = root.join("crates/cudart/src");
    let (mut subjects, mut served, mut refused) = (String::new(), 0, 0);
    for (place, about) in SUBJECTS {
        let mut names = Names::default();
        names.read(&source.join(place))?;
        served += names.served.len();
        refused += names.refused.len();
        names.refused.sort_unstable();
        let _ = write!(subjects, "\n## {}: {about}\n\n", place.trim_end_matches(".rs"));
        if names.refused.is_empty() {
            let _ = writeln!(subjects, "All {} are served.", names.served.len());
        } else {
            let list: Vec<String> = names.refused.iter().map(|name| format!("`{name}`")).collect();
            let _ =
                writeln!(subjects, "{} are served. Not supported: {}.", names.served.len(), list.join(", "));
        }
    }
    let mut page = String::from("<!-- made by `cargo xtask isa` from crates/cudart/src; do not edit -->\n\n");
    let _ = writeln!(
        page,
        "# The runtime API in libcudart\n\nThe library has every function of CUDA 13.4's libcudart.so.13: those of \
         `cuda_runtime_api.h` with their variants for programs whose default stream is per thread (`_ptsz`, `_ptds`), \
         those for OpenGL, EGL and VDPAU, and what nvcc's and clang's code calls to register kernels: {} names. {served} of \
         them are served. The others exist, print once that they are not supported, and return \
         `cudaErrorNotSupported`; they are listed below by subject. The same names have the version of libcudart.so.12; \
         functions whose arguments were others in CUDA 12 have those there.\n\n[clients/cuda-cpp.md](clients/cuda-cpp.md) \
         says how programs are built and run.",
        served + refused
    );
    Ok(page + &subjects)
}
