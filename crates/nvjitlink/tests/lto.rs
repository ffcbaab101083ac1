//! LTO-IR without NVIDIA's library: an error that says what to install. What it makes of LTO-IR, the clients' tests
//! show (`tests/clients/cuda_python/test_linker.py`), which have one.
#![allow(unsafe_code)]

mod client;

use client::{Library, Session, folder};

/// `NVJITLINK_INPUT_LTOIR`
const LTOIR: u32 = 3;

/// `NVJITLINK_ERROR_NVVM_COMPILE`
const NVVM_COMPILE: u32 = 5;

#[test]
fn without_nvidias_library_the_log_says_what_to_install() {
    // SAFETY: this is the only test of the program, and no thread has been started.
    unsafe { std::env::set_var("PTXVM_NVJITLINK", "/there/is/none") };
    let library = Library::open();
    let mut session = Session::with(&library, &["-arch=sm_90", "-lto"]);
    let code = std::fs::read(folder().join("device.ltoir")).expect("the input is there");
    assert_eq!(session.add(LTOIR, &code, "device"), NVVM_COMPILE);
    let log = session.log("ErrorLog");
    assert!(log.contains("pip install nvidia-nvjitlink") && log.contains("PTXVM_NVJITLINK"), "{log}");
    assert_eq!(session.complete(), NVVM_COMPILE);
}
