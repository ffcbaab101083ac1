//! Writes `docs/nvml.md`, which says which functions of NVIDIA's management library are served. It reads the library's own
//! functions, and the list of those that only answer that they are not supported.

use std::fmt::Write;
use std::path::Path;

/// The files of `crates/nvml/src/api`, and what is served in them.
const SUBJECTS: [(&str, &str); 5] = [
    ("system", "beginning and end, versions, words for errors"),
    (
        "identity",
        "how many devices there are, and what names the one: index, UUID (libcuda's), place on the bus",
    ),
    (
        "device",
        "what kind of device it is; the utilisation is the share of the last second in which kernels of this process ran",
    ),
    ("memory", "its memory, as `cuMemGetInfo` has it"),
    ("process", "the processes that use it: this one, once it has a context"),
];

/// The text of the page.
pub fn page(root: &Path) -> Result<String, String> {
    let source = root.join("crates/nvml/src");
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()));
    let (mut subjects, mut served) = (String::new(), 0);
    for (file, about) in SUBJECTS {
        let text = read(&source.join("api").join(file).with_extension("rs"))?;
        let names: Vec<String> = text
            .lines()
            .filter_map(|line| {
                line.trim_start().trim_start_matches("pub extern \"C\" ").strip_prefix("fn nvml")
            })
            .filter_map(|rest| Some(format!("`nvml{}`", rest.split('(').next()?)))
            .collect();
        served += names.len();
        let _ = write!(subjects, "\n## {file}: {about}\n\n{}\n", names.join(", "));
    }
    let list = read(&source.join("unsupported.rs"))?;
    let refused: Vec<String> = list
        .lines()
        .filter(|line| line.starts_with("    nvml"))
        .map(|line| format!("`{}`", line.trim()))
        .collect();
    let mut page = String::from("<!-- made by `cargo xtask isa` from crates/nvml/src; do not edit -->\n\n");
    let _ = writeln!(
        page,
        "# NVIDIA's management library\n\n`ptxvm exec` gives programs a `libnvidia-ml.so.1` with every function of CUDA \
         13.4's and 12.9's `nvml.h`: {} names, of which {served} are served. Its answers come from the process's own \
         libcuda, so that both say the same; asking starts no driver, and a program may fork after it. Other processes \
         have virtual devices of their own, which it does not see: `nvidia-smi`, which is NVIDIA's, shows an idle device.\n\n\
         The others return `NVML_ERROR_NOT_SUPPORTED`: what changes a device, what belongs to virtual or divided devices, \
         NVLink or PCIe, and what has no honest answer here, such as temperature, power, fans and current clocks (highest \
         clocks are those of the [device](devices.md)). Before `nvmlInit` everything but versions returns \
         `NVML_ERROR_UNINITIALIZED`.",
        served + refused.len()
    );
    let _ = write!(subjects, "\n## Not supported\n\n{}\n", refused.join(", "));
    Ok(page + &subjects)
}
