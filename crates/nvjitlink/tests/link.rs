//! Links as programs make them: the image that comes out holds the texts, and runs.

mod client;

use client::{Library, PTX, Session, folder};
use ptxvm_vm::image::{Part, decode};
use ptxvm_vm::{Buffer, Device, LaunchOptions};

/// `NVJITLINK_INPUT_CUBIN`
const CUBIN: u32 = 1;
/// `NVJITLINK_INPUT_FATBIN`
const FATBIN: u32 = 4;

/// `NVJITLINK_ERROR_INVALID_INPUT`
const INVALID_INPUT: u32 = 3;

fn input(name: &str) -> Vec<u8> {
    std::fs::read(folder().join(name)).unwrap_or_else(|e| panic!("{name}: {e}"))
}

/// Adds inputs and links them.
#[track_caller]
fn link(session: &mut Session<'_>, names: &[&str]) -> Vec<u8> {
    for name in names {
        assert_eq!(session.add(PTX, &input(name), name), 0, "{name}: {}", session.log("ErrorLog"));
    }
    assert_eq!(session.complete(), 0, "{}", session.log("ErrorLog"));
    session.get("LinkedCubin").2
}

/// What the kernel of an image leaves in its one word.
fn run(image: &[u8], kernel: &str) -> u32 {
    let parts = decode(image).expect("an image of ours");
    let texts: Vec<(&str, &str)> = parts.iter().map(|part| (&*part.name, &*part.ptx)).collect();
    let device = Device::default();
    let module = device.load_linked(&texts).expect("it loads");
    let out = Buffer::new(&device, 4).expect("four bytes");
    let launch = LaunchOptions::new(1, 1).argument(&out);
    module.kernel(kernel).expect("it has the kernel").launch(&launch).expect("it runs");
    out.to_vec()[0]
}

#[test]
fn it_has_the_names_of_cuda_13() {
    let library = Library::open();
    let functions = [
        "Create",
        "Destroy",
        "AddData",
        "AddFile",
        "Complete",
        "GetLinkedCubinSize",
        "GetLinkedCubin",
        "GetLinkedPtxSize",
        "GetLinkedPtx",
        "GetLinkedLTOIRSize",
        "GetLinkedLTOIR",
        "GetErrorLogSize",
        "GetErrorLog",
        "GetInfoLogSize",
        "GetInfoLog",
    ];
    for function in functions {
        assert!(library.has(&format!("nvJitLink{function}")));
        for minor in 0..=4 {
            assert!(library.has(&format!("__nvJitLink{function}_13_{minor}")), "{function} of 13.{minor}");
        }
    }
    assert_eq!(library.version(), (13, 4));
}

#[test]
fn texts_that_are_linked_run_together() {
    let library = Library::open();
    let mut session = Session::with(&library, &["-arch=sm_90", "-maxrregcount=40"]);
    let image = link(&mut session, &["caller.ptx", "callee.ptx"]);
    assert_eq!(run(&image, "caller"), 42);
    let registers = |part: &Part| (part.name.clone(), part.max_registers);
    let parts: Vec<_> = decode(&image).expect("an image of ours").iter().map(registers).collect();
    assert_eq!(parts, [("caller.ptx".to_owned(), 40), ("callee.ptx".to_owned(), 40)]);
}

#[test]
fn what_was_linked_can_be_linked_again() {
    let library = Library::open();
    let mut first = Session::with(&library, &["-arch=sm_90", "-r"]);
    let half = link(&mut first, &["caller.ptx"]);
    let mut second = Session::with(&library, &["-arch=sm_90"]);
    assert_eq!(second.add(CUBIN, &half, "half"), 0);
    let image = link(&mut second, &["callee.ptx"]);
    assert_eq!(run(&image, "caller"), 42);
}

#[test]
fn what_is_missing_is_named() {
    let library = Library::open();
    let mut session = Session::with(&library, &["-arch=sm_90"]);
    assert_eq!(session.add(PTX, &input("caller.ptx"), "caller.ptx"), 0);
    assert_eq!(session.complete(), 6);
    let log = session.log("ErrorLog");
    assert!(log.contains("Undefined reference to 'callee' in 'caller.ptx'"), "{log}");
    // What was missing can still come.
    assert_eq!(session.add(PTX, &input("callee.ptx"), "callee.ptx"), 0);
    assert_eq!(session.complete(), 0);
}

#[test]
fn wrong_ptx_is_explained() {
    let library = Library::open();
    let mut session = Session::with(&library, &["-arch=sm_90"]);
    assert_eq!(session.add(PTX, &input("wrong.ptx"), "wrong.ptx"), 4);
    let log = session.log("ErrorLog");
    assert!(log.contains("line 5; error   : ") && log.contains("%r0"), "{log}");
}

#[test]
fn machine_code_is_refused_with_its_reason() {
    let library = Library::open();
    let mut session = Session::with(&library, &["-arch=sm_90"]);
    let mut elf = [0u8; 64];
    elf[..4].copy_from_slice(b"\x7fELF");
    elf[18] = 190;
    assert_eq!(session.add(CUBIN, &elf, "machine code"), INVALID_INPUT);
    let images = folder().join("../../../crates/cuda/tests/images");
    let fatbin = |name: &str| std::fs::read(images.join(name)).unwrap_or_else(|e| panic!("{name}: {e}"));
    assert_eq!(session.add(FATBIN, &fatbin("machine_code.fatbin"), "fatbin"), INVALID_INPUT);
    assert_eq!(session.add(FATBIN, &fatbin("newer.fatbin"), "newer"), INVALID_INPUT);
    let log = session.log("ErrorLog");
    assert!(log.contains("machine code") && log.contains("sm_100"), "{log}");
}

#[test]
fn a_stale_handle_finds_nothing() {
    let library = Library::open();
    let mut session = Session::with(&library, &["-arch=sm_90"]);
    let stale = session.handle;
    drop(session);
    session = Session::new(&library);
    for handle in [stale, 3 as _, usize::MAX as _] {
        session.handle = handle;
        assert_eq!(session.add(PTX, b".version 9.1", "x"), INVALID_INPUT);
        assert_eq!(session.complete(), INVALID_INPUT);
        assert_eq!(session.get("ErrorLog").0, INVALID_INPUT);
    }
}

#[test]
fn threads_link_side_by_side() {
    let library = Library::open();
    std::thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                let mut session = Session::with(&library, &["-arch=sm_90"]);
                assert_eq!(run(&link(&mut session, &["caller.ptx", "callee.ptx"]), "caller"), 42);
            });
        }
    });
}
