//! Builds the C programs with gcc: the C twins, and the OpenCL host where the system has OpenCL.

use std::path::{Path, PathBuf};
use std::process::Command;

/// What to say where gcc finds no OpenCL.
const NO_HEADERS: &str =
    "OpenCL is left out: gcc cannot build opencl.c; apt-get install pocl-opencl-icd ocl-icd-opencl-dev";

/// What to say where OpenCL has no device.
const NO_DEVICE: &str = "OpenCL is left out: it has no device; apt-get install pocl-opencl-icd";

/// A GPU has neither `errno` nor traps, and gcc vectorises square roots and choices only without them.
const NATIVE: [&str; 6] =
    ["-O3", "-march=native", "-fopenmp", "-fno-math-errno", "-fno-trapping-math", "-rdynamic"];

/// The folder of the sources.
fn folder() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// Has gcc make a program of sources.
fn gcc(name: &str, options: &[&str], sources: &[PathBuf], libraries: &[&str]) -> Result<PathBuf, String> {
    let target = folder().join("target");
    std::fs::create_dir_all(&target).map_err(|error| format!("{}: {error}", target.display()))?;
    let program = target.join(name);
    let built = Command::new("gcc")
        .current_dir(folder())
        .args(options)
        .args(sources)
        .arg("-o")
        .arg(&program)
        .args(libraries)
        .output()
        .map_err(|error| format!("gcc: {error}"))?;
    if built.status.success() {
        return Ok(program);
    }
    Err(format!("gcc could not build {name}:\n{}", String::from_utf8_lossy(&built.stderr)))
}

/// The program of the C twins.
///
/// # Errors
/// What gcc says.
pub fn native() -> Result<PathBuf, String> {
    let twins = std::fs::read_dir(folder().join("kernels")).map_err(|error| format!("kernels: {error}"))?;
    let mut sources = vec![PathBuf::from("native.c"), PathBuf::from("contestant.c")];
    sources
        .extend(twins.flatten().map(|f| f.path()).filter(|path| path.extension().is_some_and(|e| e == "c")));
    gcc("native", &NATIVE, &sources, &["-lm", "-ldl"])
}

/// The OpenCL program, and the name of the device that it finds.
///
/// # Errors
/// A sentence that says what to install.
pub fn opencl() -> Result<(PathBuf, String), String> {
    let program = gcc("opencl", &["-O2"], &["opencl.c".into(), "contestant.c".into()], &["-lOpenCL"])
        .map_err(|_| NO_HEADERS.to_owned())?;
    let probe = Command::new(&program).arg("device").output().map_err(|error| error.to_string())?;
    if !probe.status.success() {
        return Err(NO_DEVICE.to_owned());
    }
    Ok((program, String::from_utf8_lossy(&probe.stdout).trim().to_owned()))
}
