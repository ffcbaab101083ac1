//! The variables that lead a program and its libraries to ptxvm: the loader's, ptxvm's own, and those of clients that
//! look for the driver or an assembler by themselves.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use ptxvm_profile::Profile;
use ptxvm_vm::{Asynchrony, Findings};

use super::Arguments;
use crate::check::Color;
use crate::mistakes;
use crate::private;

/// Names and values to set for the command.
pub type Variables = Vec<(&'static str, OsString)>;

/// Our linker, which is loaded before NVIDIA's own of that name can be, see `crates/nvjitlink`.
pub const NVJITLINK: &str = "libnvJitLink.so.13";

/// What every Python reads before the program: where NVIDIA's linker is, and Triton's benchmark without torch.
pub const SITECUSTOMIZE: &str = include_str!("../../python/sitecustomize.py");

/// Lets Python find the file above, which takes this folder out of the path again.
pub fn python(folder: &Path) -> (&'static str, OsString) {
    ("PYTHONPATH", before(folder, std::env::var_os("PYTHONPATH")))
}

/// Everything that is set. What an option does not say is left as the user's own environment has it.
pub fn variables(arguments: &Arguments, folder: &Path, report: &Path) -> Variables {
    let mut all = own(arguments, report);
    all.push(("LD_LIBRARY_PATH", before(folder, std::env::var_os("LD_LIBRARY_PATH"))));
    let linker = folder.join(NVJITLINK);
    if linker.exists() {
        all.push(("LD_PRELOAD", before(&linker, std::env::var_os("LD_PRELOAD"))));
    }
    all.extend(triton(arguments, folder));
    all.extend(numba(arguments, folder));
    all
}

/// What libcuda reads.
fn own(arguments: &Arguments, report: &Path) -> Variables {
    let mut all: Variables = vec![("PTXVM_REPORT", report.into())];
    all.extend(ptxvm_host::standard_error().map(|file| ("PTXVM_STDERR", file.into())));
    let mut set = |name, value: Option<String>| all.extend(value.map(|value| (name, value.into())));
    set("PTXVM_DEVICE", arguments.device.map(|profile| profile.name.to_owned()));
    set("PTXVM_SEED", arguments.seed.map(|seed| seed.to_string()));
    set("PTXVM_ASYNC", arguments.asynchrony.map(|when| Asynchrony::from(when).name().to_owned()));
    set(mistakes::VARIABLE, arguments.findings.map(|policy| Findings::from(policy).name().to_owned()));
    set("PTXVM_MMA", arguments.mma.map(|mma| mma.name().to_owned()));
    set("PTXVM_THREADS", arguments.threads.map(|threads| threads.to_string()));
    set("PTXVM_STATS", arguments.stats.then(|| "1".to_owned()));
    set("PTXVM_API_TRACE", arguments.api_trace.then(|| "1".to_owned()));
    set("PTXVM_MAX_INSTRUCTIONS", arguments.max_instructions.map(|n| n.to_string()));
    set("PTXVM_TIMEOUT", arguments.timeout.map(|time| time.as_secs_f64().to_string()));
    set("PTXVM_MAX_MEMORY", arguments.max_memory.map(|bytes| bytes.to_string()));
    set("PTXVM_MEMORY", arguments.memory.map(|bytes| bytes.to_string()));
    let color = match arguments.color {
        Color::Auto => None,
        Color::Always => Some("always"),
        Color::Never => Some("never"),
    };
    set("PTXVM_COLOR", color.map(str::to_owned));
    all
}

/// A list of paths with one before the others.
fn before(folder: &Path, others: Option<OsString>) -> OsString {
    let mut path = folder.as_os_str().to_owned();
    if let Some(others) = others.filter(|others| !others.is_empty()) {
        path.push(":");
        path.push(others);
    }
    path
}

/// Triton looks for the driver and runs an assembler, one for old and one for new architectures. What it has assembled
/// it keeps; code for a GPU and images for ptxvm must never meet, so that ptxvm's have a folder of their own.
fn triton(arguments: &Arguments, folder: &Path) -> Variables {
    let ptxas = folder.join("ptxas").into_os_string();
    vec![
        ("TRITON_LIBCUDA_PATH", folder.into()),
        ("TRITON_PTXAS_PATH", ptxas.clone()),
        ("TRITON_PTXAS_BLACKWELL_PATH", ptxas),
        ("TRITON_CACHE_DIR", cache("TRITON_CACHE_DIR", "triton", arguments, folder).into()),
    ]
}

/// Older versions of numba want to be told the driver; a cache that the user has chosen is kept apart. Without one numba
/// keeps what it compiled beside the sources, which is left alone.
fn numba(arguments: &Arguments, folder: &Path) -> Variables {
    let mut all: Variables = vec![("NUMBA_CUDA_DRIVER", folder.join("libcuda.so.1").into())];
    if std::env::var_os("NUMBA_CACHE_DIR").is_some_and(|path| !path.is_empty()) {
        all.push(("NUMBA_CACHE_DIR", cache("NUMBA_CACHE_DIR", "numba", arguments, folder).into()));
    }
    all
}

/// The folder for a client's cache: below the one that the user has chosen with `variable`, or that of caches. It is
/// another for each version of ptxvm and each device, and the same in the next run.
///
/// Clients load code from it, so that nobody else may be able to put something there: without a folder of the user's own
/// the cache is in the private folder, and goes with it.
fn cache(variable: &str, client: &str, arguments: &Arguments, folder: &Path) -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let caches = || set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    let place = set(variable)
        .or_else(|| {
            Some(caches()?.join("ptxvm")).filter(|own| private::is_own(own)).map(|own| own.join(client))
        })
        .unwrap_or_else(|| folder.join(client));
    let named = std::env::var_os("PTXVM_DEVICE").filter(|name| !name.is_empty());
    let default: &Profile = Default::default();
    let device = match (arguments.device, &named) {
        (Some(profile), _) => OsStr::new(profile.name),
        (None, Some(name)) => name,
        (None, None) => OsStr::new(default.name),
    };
    let mut own = OsString::from(concat!("ptxvm-", env!("CARGO_PKG_VERSION"), "-"));
    own.push(device);
    place.join(own)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_folder_comes_first_and_nothing_is_searched_by_accident() {
        let folder = Path::new("/tmp/x");
        assert_eq!(before(folder, None), "/tmp/x");
        // An empty element would mean the current folder.
        assert_eq!(before(folder, Some("".into())), "/tmp/x");
        assert_eq!(before(folder, Some("/a:/b".into())), "/tmp/x:/a:/b");
    }
}
