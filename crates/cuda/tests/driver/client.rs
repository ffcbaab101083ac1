//! A client of the built library, as a C program would be one, and the records to compare it with.
#![allow(unsafe_code)]

use std::path::PathBuf;
use std::process::{Command, Output};
use std::sync::OnceLock;

use libloading::Library;
use serde_json::Value;

/// The most arguments that a call here has.
const ARGUMENTS: usize = 8;

/// An entry point, called with a word for each argument: in the C calling conventions of our hosts a function takes
/// the words that it has parameters for.
type Function = unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64) -> u32;

fn library() -> &'static Library {
    static LIBRARY: OnceLock<Library> = OnceLock::new();
    LIBRARY.get_or_init(|| {
        // The records are of an H200 with all of its memory, of which little is touched.
        if std::env::var_os("PTXVM_MEMORY").is_none() {
            // SAFETY: the library, which reads it, is not loaded yet, and Rust's own readers take turns.
            unsafe { std::env::set_var("PTXVM_MEMORY", "150109880320") };
        }
        let executable = std::env::current_exe().expect("a test has a path");
        let folder = executable.parent().expect("it lies in a folder");
        let places = [folder.join("libcuda.so"), folder.join("../libcuda.so")];
        let path =
            places.into_iter().find(|path| path.exists()).expect("cargo builds libcuda.so for its tests");
        // SAFETY: the library does nothing when it is loaded.
        unsafe { Library::new(path) }.expect("the library can be loaded")
    })
}

/// The address of an exported symbol.
pub fn symbol(name: &str) -> Option<usize> {
    // SAFETY: the type only serves to take the address.
    let function = unsafe { library().get::<Function>(name.as_bytes()) }.ok()?;
    Some(*function as usize)
}

/// Calls an entry point.
pub fn call(name: &str, arguments: &[u64]) -> u32 {
    let mut words = [0; ARGUMENTS];
    words[..arguments.len()].copy_from_slice(arguments);
    let [a, b, c, d, e, f, g, h] = words;
    // SAFETY: the tests give each entry point what the driver API says, or something wrong that must be refused.
    unsafe {
        let function = library().get::<Function>(name.as_bytes()).expect("every entry point is exported");
        function(a, b, c, d, e, f, g, h)
    }
}

/// The address of a place for a result.
pub fn to<T>(place: &mut T) -> u64 {
    std::ptr::from_mut(place) as u64
}

/// The address of something given.
pub fn from<T: ?Sized>(thing: &T) -> u64 {
    std::ptr::from_ref(thing).cast::<u8>() as u64
}

/// Makes a context, which becomes the current one of the thread.
pub fn context() -> u64 {
    assert_eq!(call("cuInit", &[0]), 0);
    let mut context = 0;
    assert_eq!(call("cuCtxCreate_v2", &[to(&mut context), 0, 0]), 0);
    context
}

/// A record of `tests/golden/driver`.
pub fn record(name: &str) -> Value {
    let folder = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/driver");
    let text =
        std::fs::read_to_string(folder.join(name).with_extension("json")).expect("the record is there");
    serde_json::from_str(&text).expect("the record is JSON")
}

/// What the driver answered to a call in `calls.json`.
pub fn recorded_call(call: &str, with: &str) -> Value {
    let calls = record("calls");
    let mut calls = calls.as_array().expect("a list of calls").iter();
    let found = calls.find(|c| c["call"] == call && c["with"] == with);
    found.unwrap_or_else(|| panic!("{call} with {with} was not recorded"))["answers"].clone()
}

/// Runs one test of this program in a process of its own, with a setting in its environment. That process finds the
/// setting and does the work; the first one finds none and comes here.
pub fn alone(test: &str, setting: (&str, &str)) -> Output {
    let mut command = Command::new(std::env::current_exe().expect("a test has a path"));
    command.args(["--exact", test, "--nocapture"]).env(setting.0, setting.1).env("PTXVM_TEST_ALONE", "1");
    command.output().expect("the test can be started again")
}

/// Whether this is a process that [`alone`] made.
pub fn is_alone() -> bool {
    std::env::var_os("PTXVM_TEST_ALONE").is_some()
}
