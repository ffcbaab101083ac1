//! The library as a client has it: loaded from its file, called by name.

#![allow(unsafe_code)]
#![allow(dead_code, reason = "every test takes what it needs")]

use std::ffi::{CStr, CString, c_void};
use std::path::PathBuf;
use std::sync::OnceLock;

use libloading::Library;

/// A handle of whatever kind, and an address of device memory.
pub type Handle = u64;

/// The library that was built with the tests.
pub fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        // The records are of an H200 with all of its memory, of which little is touched.
        if std::env::var_os("PTXVM_MEMORY").is_none() {
            // SAFETY: the library, which reads it, is not loaded yet, and Rust's own readers take turns.
            unsafe { std::env::set_var("PTXVM_MEMORY", "150109880320") };
        }
        let test = std::env::current_exe().expect("a test has a file");
        let path: PathBuf = test.parent().expect("a folder").join("libcuda.so");
        // SAFETY: loading the library runs nothing but the C library's own code.
        unsafe { Library::new(&path) }.unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    })
}

/// The arguments of an entry point.
pub trait Arguments {
    /// Calls a function with them.
    ///
    /// # Safety
    /// It is a C function that takes exactly these and gives a number.
    unsafe fn apply(self, function: *const c_void) -> u32;
}

macro_rules! arguments {
    ($($name:ident)*) => {
        impl<$($name),*> Arguments for ($($name,)*) {
            #[allow(non_snake_case, clippy::unused_unit)]
            unsafe fn apply(self, function: *const c_void) -> u32 {
                let ($($name,)*) = self;
                // SAFETY: as the caller says.
                unsafe {
                    let function: unsafe extern "C" fn($($name),*) -> u32 = std::mem::transmute(function);
                    function($($name),*)
                }
            }
        }
    };
}
arguments! {}
arguments! { A }
arguments! { A B }
arguments! { A B C }
arguments! { A B C D }
arguments! { A B C D E }
arguments! { A B C D E F }
arguments! { A B C D E F G }
arguments! { A B C D E F G H }
arguments! { A B C D E F G H I }
arguments! { A B C D E F G H I J }
arguments! { A B C D E F G H I J K }
arguments! { A B C D E F G H I J K L }
arguments! { A B C D E F G H I J K L M N O }
arguments! { A B C D E F G H I J K L M N O P }

/// Calls an entry point and gives its answer.
pub fn answer(name: &str, arguments: impl Arguments) -> u32 {
    // SAFETY: the tests pass what the driver API says.
    unsafe {
        let symbol = library().get::<*const c_void>(name.as_bytes());
        let function = *symbol.unwrap_or_else(|error| panic!("{name}: {error}"));
        arguments.apply(function)
    }
}

/// Calls an entry point that must succeed.
#[track_caller]
pub fn call(name: &str, arguments: impl Arguments) {
    let result = answer(name, arguments);
    assert_eq!(result, 0, "{name}");
}

/// Calls an entry point whose first argument is the place of what it makes.
#[track_caller]
pub fn make(name: &str, rest: impl FnOnce(*mut Handle) -> u32) -> Handle {
    let mut made = 0;
    let result = rest(&mut made);
    assert_eq!(result, 0, "{name}");
    made
}

/// A context of the test's own, current to the thread that made it.
pub struct Context(pub Handle);

impl Context {
    /// Makes one.
    #[track_caller]
    pub fn new() -> Self {
        call("cuInit", (0u32,));
        Self(make("cuCtxCreate_v2", |made| answer("cuCtxCreate_v2", (made, 0u32, 0i32))))
    }

    /// Makes it current to the calling thread too.
    #[track_caller]
    pub fn enter(&self) {
        call("cuCtxSetCurrent", (self.0,));
    }

    /// Loads PTX.
    #[track_caller]
    pub fn module(&self, source: &str) -> Module {
        let source = CString::new(source).expect("no zeros");
        Module(make("cuModuleLoadData", |made| answer("cuModuleLoadData", (made, source.as_ptr()))))
    }

    /// Device memory of zeros.
    #[track_caller]
    pub fn memory(&self, bytes: usize) -> Handle {
        let address = make("cuMemAlloc_v2", |made| answer("cuMemAlloc_v2", (made, bytes)));
        call("cuMemsetD8_v2", (address, 0u8, bytes));
        address
    }

    /// A stream with these flags.
    #[track_caller]
    pub fn stream(&self, flags: u32) -> Handle {
        make("cuStreamCreate", |made| answer("cuStreamCreate", (made, flags)))
    }

    /// An event with these flags.
    #[track_caller]
    pub fn event(&self, flags: u32) -> Handle {
        make("cuEventCreate", |made| answer("cuEventCreate", (made, flags)))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // One that a fault has broken answers with it.
        answer("cuCtxDestroy_v2", (self.0,));
    }
}

/// A loaded module.
pub struct Module(pub Handle);

impl Module {
    /// One of its kernels.
    #[track_caller]
    pub fn kernel(&self, name: &str) -> Handle {
        let text = CString::new(name).expect("no zeros");
        make(name, |made| answer("cuModuleGetFunction", (made, self.0, text.as_ptr())))
    }
}

/// Launches a kernel; each parameter has eight bytes.
pub fn launch(kernel: Handle, grid: [u32; 3], block: [u32; 3], stream: Handle, parameters: &[u64]) -> u32 {
    let pointers: Vec<*const u64> = parameters.iter().map(std::ptr::from_ref).collect();
    let (list, none) = (pointers.as_ptr(), std::ptr::null::<c_void>());
    let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
    answer("cuLaunchKernel", (kernel, gx, gy, gz, bx, by, bz, 0u32, stream, list, none))
}

/// Reads 32-bit numbers from device memory, after the legacy stream's work.
#[track_caller]
pub fn read(address: u64, count: usize) -> Vec<u32> {
    let mut values = vec![0u32; count];
    call("cuMemcpyDtoH_v2", (values.as_mut_ptr(), address, 4 * count));
    values
}

/// The name of a result.
pub fn name_of(result: u32) -> String {
    let mut text: *const std::ffi::c_char = std::ptr::null();
    call("cuGetErrorName", (result, &raw mut text));
    // SAFETY: the library gives a string that stays.
    unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned()
}
