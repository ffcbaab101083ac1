//! Opens NVIDIA's libnvJitLink by its path, next to ours, and runs a link in it. Only this file trusts foreign code, as
//! only `pointer.rs` trusts foreign pointers.
#![allow(unsafe_code)]

use std::ffi::{CString, OsStr, c_char, c_void};
use std::os::unix::ffi::OsStrExt;
use std::path::Path;
use std::ptr::null_mut;

use crate::result::{Answer, JitResult};

type Handle = *mut c_void;
type Create = unsafe extern "C" fn(*mut Handle, u32, *const *const c_char) -> u32;
type Destroy = unsafe extern "C" fn(*mut Handle) -> u32;
type AddData = unsafe extern "C" fn(Handle, u32, *const c_void, usize, *const c_char) -> u32;
type Complete = unsafe extern "C" fn(Handle) -> u32;
type GetSize = unsafe extern "C" fn(Handle, *mut usize) -> u32;
type Get = unsafe extern "C" fn(Handle, *mut c_void) -> u32;

/// What of it is used. It stays loaded.
pub struct Library {
    create: Create,
    destroy: Destroy,
    add_data: AddData,
    complete: Complete,
    error_log: Results,
    info_log: Results,
    cubin: Results,
    ptx: Results,
    /// Since 13.2.
    ltoir: Option<Results>,
}

/// A result of which the size is asked first.
#[derive(Clone, Copy)]
struct Results {
    size: GetSize,
    get: Get,
}

/// A link in it.
pub struct Link {
    library: &'static Library,
    handle: Handle,
    /// How much of its error log has been read.
    read: usize,
}

// SAFETY: a link of nvJitLink belongs to no thread; only one uses it at a time, since every call here but those that read
// results takes it by `&mut`, and whoever has it keeps it in a lock.
unsafe impl Send for Link {}

/// What kind of input is handed over (`nvJitLinkInputType`).
#[derive(Clone, Copy)]
pub enum Input {
    Ptx = 2,
    Intermediate = 3,
    Fatbin = 4,
}

impl Library {
    /// Opens the library at this path. Ours is loaded under the same name, but a path with a slash in it is that file and
    /// no other; and it has no undefined symbols of its own names, so that its calls do not come back to us.
    pub fn open(path: &Path) -> Option<Self> {
        let path = CString::new(path.as_os_str().as_bytes()).ok()?;
        // SAFETY: a string that ends with a zero. What runs while it is loaded is NVIDIA's to answer for.
        let library = unsafe { libc::dlopen(path.as_ptr(), libc::RTLD_NOW | libc::RTLD_LOCAL) };
        if library.is_null() {
            return None;
        }
        let found = |name: &str| symbol(library, name);
        // Two copies of ours would ask each other for ever.
        if found(crate::api::OWN).is_some() {
            return None;
        }
        let results = |name: &str| -> Option<Results> {
            let (size, get) =
                (found(&format!("nvJitLinkGet{name}Size"))?, found(&format!("nvJitLinkGet{name}"))?);
            // SAFETY: these are the functions of these names, whose types nvJitLink.h gives.
            unsafe {
                Some(Results {
                    size: std::mem::transmute::<*mut c_void, GetSize>(size),
                    get: std::mem::transmute::<*mut c_void, Get>(get),
                })
            }
        };
        // SAFETY: as above.
        unsafe {
            Some(Self {
                create: std::mem::transmute::<*mut c_void, Create>(found("nvJitLinkCreate")?),
                destroy: std::mem::transmute::<*mut c_void, Destroy>(found("nvJitLinkDestroy")?),
                add_data: std::mem::transmute::<*mut c_void, AddData>(found("nvJitLinkAddData")?),
                complete: std::mem::transmute::<*mut c_void, Complete>(found("nvJitLinkComplete")?),
                error_log: results("ErrorLog")?,
                info_log: results("InfoLog")?,
                cubin: results("LinkedCubin")?,
                ptx: results("LinkedPtx")?,
                ltoir: results("LinkedLTOIR"),
            })
        }
    }
}

fn symbol(library: *mut c_void, name: &str) -> Option<*mut c_void> {
    let name = CString::new(OsStr::new(name).as_bytes()).ok()?;
    // SAFETY: the library is open, and the name ends with a zero.
    let found = unsafe { libc::dlsym(library, name.as_ptr()) };
    (!found.is_null()).then_some(found)
}

impl Link {
    /// Begins one; also what was answered, since a link with wrong options still has a log.
    pub fn new(library: &'static Library, options: &[String]) -> (Self, JitResult) {
        let words: Vec<CString> =
            options.iter().filter_map(|option| CString::new(option.as_str()).ok()).collect();
        let pointers: Vec<*const c_char> = words.iter().map(|word| word.as_ptr()).collect();
        let mut handle = null_mut();
        // SAFETY: a place for the handle, and as many strings as it is told.
        let result = unsafe { (library.create)(&raw mut handle, pointers.len() as u32, pointers.as_ptr()) };
        (Self { library, handle, read: 0 }, JitResult(result))
    }

    /// Adds an input.
    pub fn add(&mut self, input: Input, bytes: &[u8], name: &str) -> Answer {
        let name = CString::new(name).unwrap_or_default();
        // SAFETY: a handle of this library, the bytes, and a string that ends with a zero.
        let result = unsafe {
            (self.library.add_data)(
                self.handle,
                input as u32,
                bytes.as_ptr().cast(),
                bytes.len(),
                name.as_ptr(),
            )
        };
        JitResult(result).ok()
    }

    /// Links.
    pub fn complete(&mut self) -> Answer {
        // SAFETY: a handle of this library.
        JitResult(unsafe { (self.library.complete)(self.handle) }).ok()
    }

    /// The PTX that came out of it, without the zero at its end.
    pub fn ptx(&self) -> Answer<String> {
        let ptx = self.get(self.library.ptx)?;
        Ok(String::from_utf8_lossy(&ptx).trim_end_matches('\0').to_owned())
    }

    /// The machine code.
    pub fn cubin(&self) -> Answer<Vec<u8>> {
        self.get(self.library.cubin)
    }

    /// The LTO-IR of it all, if the library gives it.
    pub fn ltoir(&self) -> Option<Vec<u8>> {
        self.library.ltoir.and_then(|results| self.get(results).ok())
    }

    /// What it has to say of errors, and has not said yet.
    pub fn new_errors(&mut self) -> String {
        let mut log = self.get(self.library.error_log).unwrap_or_default();
        // The zero at its end is no part of it.
        log.pop();
        let new = String::from_utf8_lossy(log.get(self.read..).unwrap_or_default()).into_owned();
        self.read = log.len();
        new
    }

    /// What else it has to say.
    pub fn info_log(&self) -> String {
        String::from_utf8_lossy(&self.get(self.library.info_log).unwrap_or_default()).into_owned()
    }

    fn get(&self, results: Results) -> Answer<Vec<u8>> {
        let mut size = 0;
        // SAFETY: a handle of this library, and a place for the size.
        JitResult(unsafe { (results.size)(self.handle, &raw mut size) }).ok()?;
        let mut bytes = vec![0; size];
        if size > 0 {
            // SAFETY: as many bytes as it has said.
            JitResult(unsafe { (results.get)(self.handle, bytes.as_mut_ptr().cast()) }).ok()?;
        }
        Ok(bytes)
    }
}

impl Drop for Link {
    fn drop(&mut self) {
        if !self.handle.is_null() {
            // SAFETY: a handle of this library, which nobody uses after this.
            unsafe { (self.library.destroy)(&raw mut self.handle) };
        }
    }
}
