//! A libLLVM is found where it is, and what is none is refused with a sentence that says what and why.

mod llvm;

use std::path::{Path, PathBuf};

use ptxvm_jit::llvm::{Absent, Library, find};

/// An empty folder for one test.
fn folder(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("find-{}-{name}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    folder
}

/// Why nothing was found at a path that was asked for; it is the only place tried.
fn refusal(asked: &Path) -> String {
    let absent: Absent = find(Some(asked), &[]).expect_err("nothing to be found");
    let told = absent.to_string();
    assert!(told.contains(asked.to_str().expect("text")), "{told}");
    let [refused] = absent.tried.as_slice() else { panic!("{told}") };
    assert!(told.contains(&refused.reason), "{told}");
    refused.reason.clone()
}

#[test]
fn what_was_asked_for_and_is_not_there_is_told_with_its_path() {
    assert_eq!(refusal(Path::new("/no/such/libLLVM.so")), "there is no such file or folder");
    let folder = folder("empty");
    assert_eq!(refusal(&folder), "it holds no libLLVM");
}

#[test]
fn a_text_is_no_library() {
    let path = folder("text").join("libLLVM.so.22.1");
    std::fs::write(&path, "INPUT(libLLVM.so.22.1-rust-1.95.0-stable)\n").expect("a file");
    assert!(refusal(&path).starts_with("the loader refuses it: "), "{}", refusal(&path));
    std::fs::write(&path, "no library ".repeat(1000)).expect("a file");
    assert!(refusal(&path).contains("ELF"), "{}", refusal(&path));
    assert!(refusal(path.parent().expect("a folder")).contains("ELF"));
}

#[test]
fn a_library_that_is_not_llvm_is_refused() {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("maps");
    let libc =
        maps.lines().filter_map(|line| line.split_whitespace().last()).find(|path| path.contains("/libc.so"));
    let Some(libc) = libc else { return };
    let reason = refusal(Path::new(libc));
    assert!(reason.contains("it is no LLVM of version 15 or later"), "{reason}");
}

#[test]
fn a_version_that_is_too_old_is_refused_by_its_name_alone() {
    let path = folder("named").join("libLLVM-14.so.1");
    std::fs::write(&path, "").expect("a file");
    assert_eq!(refusal(&path), "it is LLVM 14, and 15 or later is needed");
}

/// Where a system has one, an old library with a name that does not tell its version is known too.
#[test]
#[allow(clippy::print_stdout, reason = "who runs the tests is to know what was not looked at")]
fn a_version_that_is_too_old_is_refused_whatever_its_name() {
    let old = ["/usr/lib/x86_64-linux-gnu/libLLVM-14.so.1", "/usr/lib/aarch64-linux-gnu/libLLVM-14.so.1"];
    let Some(old) = old.into_iter().find(|path| Path::new(path).exists()) else {
        println!("skipped: this machine has no LLVM 14");
        return;
    };
    let link = folder("renamed").join("libLLVM.so");
    let _older = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(old, &link).expect("a link");
    assert_eq!(refusal(&link), "it is LLVM 14 or older, and 15 or later is needed");
}

/// The library of this machine is found by its path, by its folder, and by the folder above that.
#[test]
fn a_folder_is_looked_through() {
    let Some(library) = llvm::library() else { return };
    // One that the loader has found has no path.
    let Some(path) = library.path().parent().and(library.path().canonicalize().ok()) else { return };
    let root = folder("toolchains");
    let lib = root.join("stable/lib");
    std::fs::create_dir_all(&lib).expect("a folder");
    // The script that lies beside the library in Rust's toolchains, and one of a version that is too old.
    std::fs::write(lib.join("libLLVM-22-rust.so"), "INPUT(libLLVM.so)").expect("a file");
    std::fs::write(lib.join("libLLVM-9.so.1"), vec![0; 5000]).expect("a file");
    let link = lib.join("libLLVM.so.22.1-rust");
    let _older = std::fs::remove_file(&link);
    std::os::unix::fs::symlink(&path, &link).expect("a link");
    for asked in [&link, &lib, &root.join("stable"), &root] {
        let found: Library = find(Some(asked), &[]).unwrap_or_else(|absent| panic!("{absent}"));
        assert_eq!((found.path(), found.version()), (link.as_path(), library.version()));
    }
    assert!(library.version().major >= 15);
}

/// Folders that the caller knows are looked through after the toolchain that built us.
#[test]
fn nothing_is_asked_for_by_an_empty_name() {
    let here = find(None, &[]).map(|library| library.path().to_owned());
    let empty = find(Some(Path::new("")), &[folder("no-toolchain")]).map(|library| library.path().to_owned());
    assert_eq!(here.ok(), empty.ok());
}
