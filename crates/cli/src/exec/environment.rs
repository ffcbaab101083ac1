//! The environment variables that make a program and its libraries find ptxvm: the loader's, ptxvm's own, and those of
//! clients that look for the driver or an assembler by themselves.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use ptxvm_profile::Profile;
use ptxvm_settings::Said;

use crate::private;

/// Names and values to set for the command.
pub type Variables = Vec<(String, OsString)>;

/// Our linker, which is loaded before NVIDIA's own of that name can be, see `crates/nvjitlink`.
pub const NVJITLINK: &str = "libnvJitLink.so.13";

/// NVIDIA's management library, which frameworks ask for devices and memory, see `crates/nvml`.
pub const NVML: &str = "libnvidia-ml.so.1";

/// Our runtime, one file with the names and the symbol versions of both of NVIDIA's, see `crates/cudart`.
pub const CUDART: [&str; 2] = ["libcudart.so.13", "libcudart.so.12"];

/// What every Python reads before the program: where NVIDIA's linker is, and Triton's benchmark without torch.
pub const SITECUSTOMIZE: &str = include_str!("../../python/sitecustomize.py");

/// Lets Python find the file above, which takes this folder out of the path again.
pub fn python(folder: &Path) -> (String, OsString) {
    ("PYTHONPATH".into(), before(folder, std::env::var_os("PYTHONPATH")))
}

/// Everything that is set. What an option does not say is left as the user's own environment has it.
pub fn variables(said: &Said, device: &Profile, folder: &Path, report: &Path) -> Variables {
    let mut all = own(said, report);
    all.push(("LD_LIBRARY_PATH".into(), before(folder, std::env::var_os("LD_LIBRARY_PATH"))));
    if let Some(first) = preloaded(folder) {
        all.push(("LD_PRELOAD".into(), before(&first, std::env::var_os("LD_PRELOAD"))));
    }
    all.extend(nvtx(folder));
    all.extend(triton(device, folder));
    all.extend(numba(device, folder));
    all
}

/// The libraries that are loaded before the program's own of the same names, wherever its RPATHs point. A library is known
/// by the path or name that it was loaded by, and by the one name that stands in it: the runtime's second name is loaded as
/// such, and found through `LD_LIBRARY_PATH`.
fn preloaded(folder: &Path) -> Option<PathBuf> {
    let [newer, older] = CUDART;
    let all = [(folder.join(NVJITLINK), folder.join(NVJITLINK)), (folder.join(newer), folder.join(newer))];
    let all = all.into_iter().chain([(folder.join(older), older.into())]);
    let there: Vec<OsString> = all.filter(|(path, _)| path.exists()).map(|(_, name)| name.into()).collect();
    (!there.is_empty()).then(|| there.join(OsStr::new(":")).into())
}

/// What libcuda reads.
fn own(said: &Said, report: &Path) -> Variables {
    let mut all: Variables = vec![("PTXVM_REPORT".into(), report.into())];
    all.extend(ptxvm_host::standard_error().map(|file| ("PTXVM_STDERR".into(), file.into())));
    all.extend(said.values().map(|(switch, value)| (switch.variable(), value.into())));
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

/// NVTX is headers only: programs that name their phases with it load what this variable says, which libcuda can be. A tool
/// that the user has named stays.
fn nvtx(folder: &Path) -> Option<(String, OsString)> {
    const INJECTION: &str = "NVTX_INJECTION64_PATH";
    let taken = std::env::var_os(INJECTION).is_some_and(|path| !path.is_empty());
    (!taken).then(|| (INJECTION.into(), folder.join("libcuda.so.1").into()))
}

/// Triton looks for the driver and runs an assembler, one for old and one for new architectures. What it has assembled
/// it keeps; code for a GPU and images for ptxvm must never meet, so that ptxvm's have a folder of their own.
fn triton(device: &Profile, folder: &Path) -> Variables {
    let ptxas = folder.join("ptxas").into_os_string();
    vec![
        ("TRITON_LIBCUDA_PATH".into(), folder.into()),
        ("TRITON_PTXAS_PATH".into(), ptxas.clone()),
        ("TRITON_PTXAS_BLACKWELL_PATH".into(), ptxas),
        ("TRITON_CACHE_DIR".into(), cache("TRITON_CACHE_DIR", "triton", device, folder).into()),
    ]
}

/// Older versions of numba want to be told the driver; a cache that the user has chosen is kept apart. Without one numba
/// keeps what it compiled beside the sources, which is left alone.
fn numba(device: &Profile, folder: &Path) -> Variables {
    let mut all: Variables = vec![("NUMBA_CUDA_DRIVER".into(), folder.join("libcuda.so.1").into())];
    if std::env::var_os("NUMBA_CACHE_DIR").is_some_and(|path| !path.is_empty()) {
        all.push(("NUMBA_CACHE_DIR".into(), cache("NUMBA_CACHE_DIR", "numba", device, folder).into()));
    }
    all
}

/// The folder for a client's cache: below the one that the user has chosen with `variable`, or that of caches. It is
/// another for each version of ptxvm and each device, and the same in the next run.
///
/// Clients load code from it, so that nobody else may be able to put something there: without a folder of the user's own
/// the cache is in the private folder, and goes with it.
fn cache(variable: &str, client: &str, device: &Profile, folder: &Path) -> PathBuf {
    let set = |name: &str| std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from);
    let caches = || set("XDG_CACHE_HOME").or_else(|| Some(set("HOME")?.join(".cache")));
    let place = set(variable)
        .or_else(|| {
            Some(caches()?.join("ptxvm")).filter(|own| private::is_own(own)).map(|own| own.join(client))
        })
        .unwrap_or_else(|| folder.join(client));
    place.join(format!(concat!("ptxvm-", env!("CARGO_PKG_VERSION"), "-{}"), device.name))
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
