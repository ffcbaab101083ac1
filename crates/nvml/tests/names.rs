//! The library has what its page lists, answers before it is asked to begin, and survives wrong calls.
#![allow(unsafe_code)]

use std::ffi::c_void;

use libloading::Library;

/// The library that cargo has built with these tests.
fn library() -> Library {
    let test = std::env::current_exe().expect("the path of this test");
    let path = test.parent().expect("it is in a folder").join("libnvidia_ml.so");
    // SAFETY: our own library does nothing when it is loaded.
    unsafe { Library::new(&path) }.unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The names on the page.
fn names() -> Vec<String> {
    let page = include_str!("../../../docs/nvml.md");
    let words = page.split('`').skip(1).step_by(2);
    let mut names: Vec<String> = words.filter(|word| word.starts_with("nvml")).map(str::to_owned).collect();
    names.retain(|name| name != "nvml.h" && name != "nvmlInit_v2()");
    names.sort_unstable();
    names.dedup();
    names
}

#[test]
fn every_name_of_the_page_is_there_and_refuses_before_the_beginning() {
    let (library, names) = (library(), names());
    assert!(names.len() > 400, "{}", names.len());
    // What begins, what tells of errors in words, and what may be asked before.
    let early =
        ["nvmlInit", "nvmlInit_v2", "nvmlInitWithFlags", "nvmlErrorString", "nvmlSystemGetNVMLVersion"];
    let early =
        early.into_iter().chain(["nvmlSystemGetCudaDriverVersion", "nvmlSystemGetCudaDriverVersion_v2"]);
    let early: Vec<&str> = early.collect();
    for name in names.iter().filter(|name| !early.contains(&name.as_str())) {
        type Any = unsafe extern "C" fn(usize, usize, usize, usize, usize, usize) -> u32;
        // SAFETY: the symbol is a function of nvml.h.
        let function =
            unsafe { library.get::<Any>(name.as_bytes()) }.unwrap_or_else(|e| panic!("{name}: {e}"));
        // SAFETY: before the beginning no function looks at its arguments, which are null here.
        assert_eq!(unsafe { function(0, 0, 0, 0, 0, 0) }, 1, "{name} is NVML_ERROR_UNINITIALIZED");
    }
}

#[test]
fn without_a_libcuda_of_ours_it_does_not_begin() {
    // Cargo has tests look for libraries where it has built a libcuda of ours: the test is made again without that.
    if std::env::var_os("LD_LIBRARY_PATH").is_some() {
        let mut again = std::process::Command::new(std::env::current_exe().expect("a path"));
        again.args(["--exact", "without_a_libcuda_of_ours_it_does_not_begin"]).env_remove("LD_LIBRARY_PATH");
        assert!(again.status().expect("it starts").success());
        return;
    }
    let library = library();
    // SAFETY: the function takes nothing.
    let begun =
        unsafe { library.get::<unsafe extern "C" fn() -> u32>(b"nvmlInit_v2") }.map(|init| unsafe { init() });
    // A machine may have NVIDIA's libcuda, which does not answer our question either.
    assert_eq!(begun.expect("the function"), 12, "NVML_ERROR_LIBRARY_NOT_FOUND");
    // SAFETY: nothing but the address is taken.
    assert!(unsafe { library.get::<*const c_void>(b"nvmlNothing") }.is_err());
}
