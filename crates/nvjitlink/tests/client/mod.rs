//! A program that uses the library as C programs do: it is loaded, and its functions are called by name.

#![allow(unsafe_code)]
#![allow(dead_code, reason = "each test uses a part of it")]

use std::ffi::{CString, c_char, c_void};
use std::path::PathBuf;
use std::ptr::{null, null_mut};

use libloading::Symbol;
use serde_json::{Value, json};

/// `NVJITLINK_INPUT_PTX`
pub const PTX: u32 = 2;

/// Where the recorded answers and their inputs are.
pub fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/nvjitlink"))
}

/// The library, loaded.
pub struct Library(libloading::Library);

impl Library {
    /// Loads the one that cargo has built with these tests.
    pub fn open() -> Self {
        let test = std::env::current_exe().expect("the path of this test");
        let path = test.parent().expect("it is in a folder").join("libnvJitLink.so");
        // SAFETY: our own library does nothing when it is loaded.
        Self(unsafe { libloading::Library::new(&path) }.unwrap_or_else(|e| panic!("{}: {e}", path.display())))
    }

    /// Whether it has a function.
    pub fn has(&self, name: &str) -> bool {
        // SAFETY: the symbol is not called.
        unsafe { self.0.get::<*const c_void>(name.as_bytes()) }.is_ok()
    }

    fn symbol<F>(&self, name: &str) -> Symbol<'_, F> {
        // SAFETY: every caller names the function with the type that nvJitLink.h gives it.
        unsafe { self.0.get(name.as_bytes()) }.unwrap_or_else(|e| panic!("{name}: {e}"))
    }

    /// The version that it says it is.
    pub fn version(&self) -> (u32, u32) {
        let (mut major, mut minor) = (0, 0);
        let version: Symbol<'_, unsafe extern "C" fn(*mut u32, *mut u32) -> u32> =
            self.symbol("nvJitLinkVersion");
        // SAFETY: two places for numbers.
        assert_eq!(unsafe { version(&raw mut major, &raw mut minor) }, 0);
        (major, minor)
    }
}

/// One handle, and what is done with it.
pub struct Session<'a> {
    library: &'a Library,
    /// The handle.
    pub handle: *mut c_void,
}

impl<'a> Session<'a> {
    /// Without a handle yet.
    pub fn new(library: &'a Library) -> Self {
        Self { library, handle: null_mut() }
    }

    /// With a link that has these options.
    pub fn with(library: &'a Library, options: &[&str]) -> Self {
        let mut session = Self::new(library);
        let words: Vec<Option<CString>> = options.iter().map(|word| text(word)).collect();
        assert_eq!(session.create(&words), 0, "{options:?}");
        session
    }

    fn create(&mut self, words: &[Option<CString>]) -> u32 {
        type Create = unsafe extern "C" fn(*mut *mut c_void, u32, *const *const c_char) -> u32;
        let pointers: Vec<*const c_char> = words.iter().map(pointer).collect();
        let create = self.library.symbol::<Create>("nvJitLinkCreate");
        // SAFETY: a place for the handle, and as many strings or null pointers as it is told.
        unsafe { create(&raw mut self.handle, pointers.len() as u32, pointers.as_ptr()) }
    }

    /// Adds an input.
    pub fn add(&mut self, kind: u32, data: &[u8], name: &str) -> u32 {
        self.add_at(kind, data.as_ptr(), data.len(), name)
    }

    fn add_at(&mut self, kind: u32, data: *const u8, size: usize, name: &str) -> u32 {
        type Add = unsafe extern "C" fn(*mut c_void, u32, *const u8, usize, *const c_char) -> u32;
        let name = text(name);
        let add = self.library.symbol::<Add>("nvJitLinkAddData");
        // SAFETY: the bytes, or none, and a string or none.
        unsafe { add(self.handle, kind, data, size, pointer(&name)) }
    }

    fn add_file(&mut self, kind: u32, file: &str) -> u32 {
        type Add = unsafe extern "C" fn(*mut c_void, u32, *const c_char) -> u32;
        let path =
            text(file).map(|_| CString::new(format!("{}/{file}", folder().display())).expect("no zero"));
        let add = self.library.symbol::<Add>("nvJitLinkAddFile");
        // SAFETY: a string or none.
        unsafe { add(self.handle, kind, pointer(&path)) }
    }

    /// Links.
    pub fn complete(&mut self) -> u32 {
        let complete = self.library.symbol::<unsafe extern "C" fn(*mut c_void) -> u32>("nvJitLinkComplete");
        // SAFETY: a handle or null.
        unsafe { complete(self.handle) }
    }

    /// A result: what is answered to the question for its size, and to that for its bytes, and they.
    pub fn get(&self, what: &str) -> (u32, u32, Vec<u8>) {
        type Size = unsafe extern "C" fn(*mut c_void, *mut usize) -> u32;
        let mut size = 0;
        let ask = self.library.symbol::<Size>(&format!("nvJitLinkGet{what}Size"));
        // SAFETY: a place for the size.
        let first = unsafe { ask(self.handle, &raw mut size) };
        let mut bytes = vec![0u8; size.max(1)];
        let second = self.get_at(what, bytes.as_mut_ptr().cast());
        bytes.truncate(size);
        (first, second, bytes)
    }

    fn get_at(&self, what: &str, place: *mut c_void) -> u32 {
        type Get = unsafe extern "C" fn(*mut c_void, *mut c_void) -> u32;
        let get = self.library.symbol::<Get>(&format!("nvJitLinkGet{what}"));
        // SAFETY: as much room as the library has said, or none.
        unsafe { get(self.handle, place) }
    }

    /// A log as text.
    pub fn log(&self, what: &str) -> String {
        String::from_utf8_lossy(&self.get(what).2).trim_end_matches('\0').to_owned()
    }

    fn destroy(&mut self, null: bool) -> u32 {
        let destroy =
            self.library.symbol::<unsafe extern "C" fn(*mut *mut c_void) -> u32>("nvJitLinkDestroy");
        let place = if null { null_mut() } else { &raw mut self.handle };
        // SAFETY: the place of a handle, or none.
        unsafe { destroy(place) }
    }

    /// Makes a call of the record, and gives what is answered in its form.
    pub fn call(&mut self, call: &Value) -> Value {
        let word = |index: usize| call[index].as_str().unwrap_or_default();
        let number = |index: usize| call[index].as_u64().unwrap_or_default();
        let kind = number(1) as u32;
        match word(0) {
            "version" => {
                type Version = unsafe extern "C" fn(*mut u32, *mut u32) -> u32;
                let (mut major, mut minor) = (0, 0);
                let version = self.library.symbol::<Version>("nvJitLinkVersion");
                let place = if word(1) == "?" { null_mut() } else { &raw mut minor };
                // SAFETY: places for numbers, or none.
                json!([unsafe { version(&raw mut major, place) }])
            }
            "create" => {
                let words: Vec<_> =
                    (1..call.as_array().map_or(0, Vec::len)).map(|at| text(word(at))).collect();
                let result = self.create(&words);
                json!([result, !self.handle.is_null()])
            }
            "create_null" => {
                type Create = unsafe extern "C" fn(*mut *mut c_void, u32, *const *const c_char) -> u32;
                let option = text("-arch=sm_90");
                let options = [pointer(&option)];
                let create = self.library.symbol::<Create>("nvJitLinkCreate");
                let handle = if word(1) == "handle" { null_mut() } else { &raw mut self.handle };
                let options = if word(1) == "options" { null() } else { options.as_ptr() };
                // SAFETY: a place for the handle or none, and one string or none.
                json!([unsafe { create(handle, 1, options) }])
            }
            "add" => {
                let data =
                    std::fs::read(folder().join(word(2))).unwrap_or_else(|e| panic!("{}: {e}", word(2)));
                json!([self.add(kind, &data, word(3))])
            }
            "add_bytes" => {
                let data = if word(2) == "?" { null() } else { word(2).as_ptr() };
                json!([self.add_at(kind, data, number(3) as usize, word(4))])
            }
            "add_file" => json!([self.add_file(kind, word(2))]),
            "complete" => json!([self.complete()]),
            "get" => {
                let (size, bytes, _) = self.get(word(1));
                match word(1).ends_with("Log") && size == 0 {
                    true => {
                        json!([size, bytes, self.log(word(1)).replace(&folder().display().to_string(), "")])
                    }
                    false => json!([size, bytes]),
                }
            }
            "get_null" => json!([self.get_at(word(1), null_mut())]),
            "destroy" => json!([self.destroy(word(1) == "?"), !self.handle.is_null()]),
            other => panic!("there is no call {other}"),
        }
    }
}

impl Drop for Session<'_> {
    fn drop(&mut self) {
        self.destroy(false);
    }
}

/// A string, or none for the record's question mark.
fn text(text: &str) -> Option<CString> {
    (text != "?").then(|| CString::new(text).expect("no zero"))
}

fn pointer(text: &Option<CString>) -> *const c_char {
    text.as_ref().map_or(null(), |text| text.as_ptr())
}
