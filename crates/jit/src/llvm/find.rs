//! Looks for a libLLVM: the one that was asked for, those of Rust toolchains, those of the system.

use std::collections::BTreeSet;
use std::fmt;
use std::path::{Path, PathBuf};

use super::library::{Library, OLDEST, version_in_name};

/// The newest version that the system is asked for by name.
const NEWEST: u32 = 25;

/// There is no libLLVM that can be used.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Absent {
    /// Where one was looked for, in order.
    pub tried: Vec<Refused>,
}

/// A place or a file, and why it did not serve.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    pub place: String,
    pub reason: String,
}

/// Looks for a libLLVM.
///
/// `asked` is what the user has named (`PTXVM_LLVM`): a library, or a folder that holds one. If it does not serve, no
/// other is taken in its stead. Without it, or if it is empty, these are tried: the toolchain that built this program
/// and those installed beside it, `folders`, and the system's own.
///
/// A folder holds a library itself, in `lib`, or in `lib` of each folder in it (as rustup's `toolchains`).
pub fn find(asked: Option<&Path>, folders: &[PathBuf]) -> Result<Library, Absent> {
    let mut search = Search { tried: Vec::new() };
    let found = match asked.filter(|asked| !asked.as_os_str().is_empty()) {
        Some(asked) => search.asked(asked),
        None => search.toolchain().or_else(|| search.folders(folders)).or_else(|| search.system()),
    };
    found.ok_or(Absent { tried: search.tried })
}

/// A search, and what it has refused so far.
struct Search {
    tried: Vec<Refused>,
}

impl Search {
    fn asked(&mut self, asked: &Path) -> Option<Library> {
        if asked.is_dir() {
            return self.folder(asked);
        }
        if !asked.exists() {
            self.refuse(asked.display(), "there is no such file or folder");
            return None;
        }
        self.open(asked)
    }

    /// The toolchain that built this program, and if it is rustup's those beside it: one may have come since.
    fn toolchain(&mut self) -> Option<Library> {
        let own = Path::new(env!("PTXVM_SYSROOT"));
        if own.as_os_str().is_empty() {
            return None;
        }
        let found = self.folder(own);
        let beside = own.parent().filter(|parent| parent.ends_with("toolchains"))?;
        found.or_else(|| {
            self.first_of(libraries_below(beside).into_iter().filter(|path| !path.starts_with(own)))
        })
    }

    fn folders(&mut self, folders: &[PathBuf]) -> Option<Library> {
        folders.iter().find_map(|folder| self.folder(folder))
    }

    fn folder(&mut self, folder: &Path) -> Option<Library> {
        if !folder.is_dir() {
            self.refuse(folder.display(), "there is no such folder");
            return None;
        }
        let mut libraries = libraries_in(folder);
        libraries.extend(libraries_in(&folder.join("lib")));
        libraries.extend(libraries_below(folder));
        if libraries.is_empty() {
            self.refuse(folder.display(), "it holds no libLLVM");
        }
        self.first_of(libraries)
    }

    /// What the loader finds by itself, and where Debian puts whole installations.
    fn system(&mut self) -> Option<Library> {
        for version in (OLDEST..=NEWEST).rev() {
            let names = [format!("libLLVM.so.{version}.1"), format!("libLLVM-{version}.so.1")];
            for name in
                names.iter().chain([&format!("libLLVM-{version}.so"), &format!("libLLVM.so.{version}")])
            {
                match Library::open(Path::new(name)) {
                    Ok(library) => return Some(library),
                    // What does not exist is not told: nobody has all of these names.
                    Err(reason) if reason.contains(&format!("{name}: cannot open shared object")) => {}
                    Err(reason) => self.refuse(name, &reason),
                }
            }
        }
        self.refuse(
            "the loader's own folders",
            &format!("they hold no libLLVM of version {OLDEST} to {NEWEST}"),
        );
        let installed = subfolders(Path::new("/usr/lib")).into_iter().filter(|folder| {
            folder.file_name().and_then(|name| name.to_str()).is_some_and(|name| name.starts_with("llvm-"))
        });
        let libraries: Vec<PathBuf> =
            installed.flat_map(|folder| libraries_in(&folder.join("lib"))).collect();
        self.first_of(libraries)
    }

    /// The first that serves, newest versions before older ones.
    fn first_of(&mut self, paths: impl IntoIterator<Item = PathBuf>) -> Option<Library> {
        let mut paths: Vec<PathBuf> = paths.into_iter().collect();
        paths.sort_by_key(|path| std::cmp::Reverse(version_in_name(path)));
        paths.iter().find_map(|path| self.open(path))
    }

    fn open(&mut self, path: &Path) -> Option<Library> {
        match Library::open(path) {
            Ok(library) => Some(library),
            Err(reason) => {
                self.refuse(path.display(), &reason);
                None
            }
        }
    }

    fn refuse(&mut self, place: impl fmt::Display, reason: &str) {
        self.tried.push(Refused { place: place.to_string(), reason: reason.to_owned() });
    }
}

/// The files in a folder that are libLLVM by their names, each once: most are there under several.
fn libraries_in(folder: &Path) -> Vec<PathBuf> {
    let is_library = |path: &PathBuf| {
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default();
        name.starts_with("libLLVM") && name.contains(".so")
    };
    let mut seen = BTreeSet::new();
    let mut is_new = |path: &PathBuf| seen.insert(path.canonicalize().unwrap_or_else(|_| path.clone()));
    entries(folder).into_iter().filter(|path| is_library(path) && !is_small(path) && is_new(path)).collect()
}

/// Whether a file is too small for a library: beside that of a Rust toolchain lies a linker's script of its old name.
fn is_small(path: &Path) -> bool {
    path.metadata().is_ok_and(|metadata| metadata.len() < 4096)
}

/// The libraries in `lib` of each folder in a folder.
fn libraries_below(folder: &Path) -> Vec<PathBuf> {
    subfolders(folder).into_iter().flat_map(|folder| libraries_in(&folder.join("lib"))).collect()
}

fn subfolders(folder: &Path) -> Vec<PathBuf> {
    entries(folder).into_iter().filter(|path| path.is_dir()).collect()
}

/// What lies in a folder, in the order of the names; nothing if it cannot be read.
fn entries(folder: &Path) -> Vec<PathBuf> {
    let mut paths: Vec<PathBuf> =
        std::fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
    paths.sort_unstable();
    paths
}

impl fmt::Display for Absent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(f, "no libLLVM was found that can be used:")?;
        for Refused { place, reason } in &self.tried {
            writeln!(f, "  {place}: {reason}")?;
        }
        write!(
            f,
            "Install a Rust toolchain or your system's libLLVM ({OLDEST} or later), or set PTXVM_LLVM to a libLLVM.so."
        )
    }
}

impl std::error::Error for Absent {}
