//! A libLLVM that has been opened, and which version it is.
#![allow(unsafe_code)]

use std::ffi::{CStr, OsStr, c_void};
use std::fmt;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use libloading::os::unix;

use super::error::CompileError;
use super::functions::Functions;
use super::target::HOST;
use super::{process, statics};

/// The oldest version that is used: its IR has the pointers without a type (`ptr`) that ours is written with.
pub const OLDEST: u32 = 15;

/// A libLLVM, open for as long as the process lives: threads and code of it may be in use at any time.
#[derive(Clone)]
pub struct Library {
    pub(super) functions: &'static Functions,
    version: Version,
    path: PathBuf,
}

/// A version of LLVM.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Version {
    pub major: u32,
    pub minor: u32,
    pub patch: u32,
}

impl Library {
    /// Opens the library that a path names, or that the loader finds by a name without a slash. The error is a
    /// sentence on why it is of no use.
    ///
    /// The code that a library runs when it is opened is trusted, as that of every library is.
    pub fn open(path: &Path) -> Result<Self, String> {
        let target = HOST.ok_or("no machine code is made for processors of this architecture")?;
        if let Some(major) = version_in_name(path).filter(|major| *major < OLDEST) {
            return Err(too_old(&major.to_string()));
        }
        // Opening is a stay in LLVM: the end of the process waits for it.
        if !process::claim() {
            return Err(CompileError::Forked.to_string());
        }
        let _inside = process::enter().ok_or_else(|| CompileError::Ending.to_string())?;
        // SAFETY: what a library of the system's or of the user's choice does when it is opened is its own affair.
        let library = unsafe { unix::Library::open(Some(path), libc::RTLD_LAZY | libc::RTLD_LOCAL) }
            .map_err(|error| describe(&error))?;
        // SAFETY: a library that has every one of these names is LLVM's, and has them with the types of its headers,
        // which have not changed since version 15. Those of older versions are not called: they lack some.
        let functions = unsafe { Functions::look_up(&library, target) };
        let functions = functions.and_then(|functions| {
            let parses = functions.LLVMParseIRInContext.or(functions.LLVMParseIRInContext2).is_some();
            if parses { Ok(functions) } else { Err("LLVMParseIRInContext2".to_owned()) }
        });
        let functions = functions.map_err(|missing| {
            if is_old(&library) {
                return too_old(&format!("{} or older", OLDEST - 1));
            }
            format!("it is no LLVM of version {OLDEST} or later: it has no function {missing}")
        })?;
        // Never closed: threads run in it, and it does not expect to go.
        let _handle = library.into_raw();
        let version = version(&functions);
        if version.major < OLDEST {
            return Err(too_old(&version.to_string()));
        }
        process::watch();
        let _kept = statics::keep(functions.LLVMContextCreate as *const c_void);
        // One table for each library that is used, and that is one or two.
        let functions = Box::leak(Box::new(functions));
        Ok(Self { functions, version, path: path.to_owned() })
    }

    /// Which version it is.
    pub fn version(&self) -> Version {
        self.version
    }

    /// By which path or name it was opened.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Which file it is, and which build: another library in the same place has another length or is of another time.
    pub(super) fn identity(&self) -> Option<String> {
        // SAFETY: the structure is plain numbers and pointers; the path in it stays as long as the library, for ever.
        let path = unsafe {
            let mut about: libc::Dl_info = std::mem::zeroed();
            let found = libc::dladdr(self.functions.LLVMContextCreate as *const c_void, &raw mut about);
            (found != 0 && !about.dli_fname.is_null()).then(|| CStr::from_ptr(about.dli_fname))?
        };
        let path = std::fs::canonicalize(OsStr::from_bytes(path.to_bytes())).ok()?;
        let about = path.metadata().ok()?;
        Some(format!("{path:?} {} {}.{:09}", about.len(), about.mtime(), about.mtime_nsec()))
    }
}

/// What the loader says, without the words that the crate puts around it.
fn describe(error: &libloading::Error) -> String {
    match error {
        libloading::Error::DlOpen { desc } => format!("the loader refuses it: {desc:?}").replace('"', ""),
        other => format!("the loader refuses it: {other}"),
    }
}

fn too_old(version: &str) -> String {
    format!("it is LLVM {version}, and {OLDEST} or later is needed")
}

/// Version 15 has all functions of the table but cannot say its version.
fn version(functions: &Functions) -> Version {
    let mut version = Version { major: OLDEST, minor: 0, patch: 0 };
    if let Some(get) = functions.LLVMGetVersion {
        // SAFETY: three places for numbers.
        unsafe { get(&raw mut version.major, &raw mut version.minor, &raw mut version.patch) };
    }
    version
}

/// Whether a library that lacks functions of the table is LLVM's, and too old: 14 is the last without a lookup by library.
fn is_old(library: &unix::Library) -> bool {
    let has = |name: &str| {
        // SAFETY: the address is not used.
        unsafe { library.get::<unsafe extern "C" fn()>(name.as_bytes()) }.is_ok()
    };
    has("LLVMContextCreate") && !has("LLVMOrcExecutionSessionLookup")
}

/// The version in a file's name (`libLLVM-14.so.1`, `libLLVM.so.22.1-rust-1.95.0-stable`).
pub fn version_in_name(path: &Path) -> Option<u32> {
    let name = path.file_name()?.to_str()?;
    let rest = name.strip_prefix("libLLVM")?;
    let rest = rest.strip_prefix(".so.").or_else(|| rest.strip_prefix('-'))?;
    let digits = rest.find(|c: char| !c.is_ascii_digit()).map_or(rest, |end| &rest[..end]);
    digits.parse().ok()
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}.{}", self.major, self.minor, self.patch)
    }
}

impl fmt::Debug for Library {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Library").field("path", &self.path).field("version", &self.version).finish()
    }
}
