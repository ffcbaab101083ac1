//! Finds NVIDIA's own libnvJitLink: where the user says, next to NVIDIA's libraries that the process has loaded, or where
//! CUDA and Python's packages are installed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::OnceLock;

use crate::nvidia::Library;

/// The file.
const NAME: &str = "libnvJitLink.so.13";
/// The user's word; `ptxvm exec` lets Python say with the other what its packages have.
const VARIABLE: &str = "PTXVM_NVJITLINK";
const PACKAGES: &str = "PTXVM_NVJITLINK_PATH";
/// Where a library lies, seen from the root of an installation.
const FOLDERS: [&str; 3] = ["lib", "lib64", "targets/x86_64-linux/lib"];

/// What is said to who needs it and has none.
pub const MISSING: &str = "ptxvm: LTO-IR is code of NVIDIA's compiler, which NVIDIA's own libnvJitLink.so.13 turns into \
    PTX, and there is none: `pip install nvidia-nvjitlink`, or name the file in PTXVM_NVJITLINK";

/// The library, if there is one. As long as none has been found it is looked for again: the process may have loaded
/// something meanwhile that shows the way.
pub fn library() -> Option<&'static Library> {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    if LIBRARY.get().is_none() {
        let found = candidates().iter().find_map(|path| Library::open(path))?;
        return Some(LIBRARY.get_or_init(|| found));
    }
    LIBRARY.get()
}

/// The files that it may be, the most likely first.
fn candidates() -> Vec<PathBuf> {
    if let Some(file) = variable(VARIABLE) {
        return vec![file];
    }
    let mut folders = list(PACKAGES);
    folders.extend(beside_loaded());
    folders.extend(list("LD_LIBRARY_PATH"));
    for root in
        ["CUDA_HOME", "CUDA_PATH"].into_iter().filter_map(variable).chain([PathBuf::from("/usr/local/cuda")])
    {
        folders.extend(FOLDERS.map(|folder| root.join(folder)));
    }
    let own = own_folder();
    let files = folders.into_iter().filter(|folder| Some(folder) != own.as_ref());
    files.map(|folder| folder.join(NAME)).filter(|file| file.is_absolute() && file.is_file()).collect()
}

/// The folders of NVIDIA's libraries that the process has loaded, and the `lib` of the installation they belong to:
/// libnvvm is in `nvvm/lib64` beside it, and every package of Python's has folders of its own.
fn beside_loaded() -> Vec<PathBuf> {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let files: BTreeSet<&Path> =
        maps.lines().filter_map(|line| Some(Path::new(&line[line.find('/')?..]))).collect();
    let nvidia = |file: &&&Path| {
        let name = file.file_name().unwrap_or_default().to_string_lossy();
        ["libnvrtc", "libnvvm", "libcudart", "libnvfatbin"].iter().any(|own| name.starts_with(own))
    };
    let mut folders = Vec::new();
    for folder in files.iter().filter(nvidia).filter_map(|file| file.parent()) {
        folders.push(folder.to_owned());
        for root in folder.ancestors().skip(1).take(2) {
            folders.push(root.join("lib"));
            folders.push(root.join("nvjitlink/lib"));
        }
    }
    folders
}

/// The folder that `ptxvm exec` has put ours in, which comes first in `LD_LIBRARY_PATH`.
fn own_folder() -> Option<PathBuf> {
    let preloaded = std::env::var_os("LD_PRELOAD")?;
    let own = std::env::split_paths(&preloaded).find(|file| file.ends_with(NAME))?;
    own.parent().map(Path::to_owned)
}

fn list(name: &str) -> Vec<PathBuf> {
    std::env::var_os(name).map(|value| std::env::split_paths(&value).collect()).unwrap_or_default()
}

fn variable(name: &str) -> Option<PathBuf> {
    std::env::var_os(name).filter(|value| !value.is_empty()).map(PathBuf::from)
}
