//! C programs on `libptxvm.so`: they are compiled with the header by the host's compiler, and linked as users link them.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Compiles a program of this folder, and gives what it prints.
fn printed(name: &str) -> String {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = library();
    let program = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join(name);
    let compiled = Command::new("cc")
        .args(["-std=c11", "-Wall", "-Wextra", "-Werror", "-I"])
        .arg(here.join("include"))
        .arg(here.join("tests").join(format!("{name}.c")))
        .arg("-o")
        .arg(&program)
        .arg(&library)
        .status()
        .expect("there is a C compiler");
    assert!(compiled.success(), "{name}.c is right");
    let folder = library.parent().expect("a folder");
    let ran = Command::new(program).env("LD_LIBRARY_PATH", folder).output().expect("it starts");
    let errors = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success(), "{:?}: {errors}", ran.status);
    String::from_utf8_lossy(&ran.stdout).into_owned()
}

/// The library, which cargo builds for tests beside them.
fn library() -> PathBuf {
    let test = std::env::current_exe().expect("a path");
    let folder = test.parent().expect("a folder");
    [folder, folder.parent().expect("a folder")]
        .map(|folder| folder.join("libptxvm.so"))
        .into_iter()
        .find(|path| path.exists())
        .expect("the library has been built")
}

#[test]
fn the_example_gives_results_and_findings() {
    let said = printed("example");
    let mut lines = said.lines();
    assert_eq!((lines.next(), lines.next()), (Some("sum 56"), Some("status 3")), "{said}");
    assert!(said.contains("error[out-of-bounds]: a read of 4 bytes out of bounds"), "{said}");
    assert!(said.contains("  --> PTX:13:") && said.contains("thread (8,0,0) of CTA (0,0,0)"), "{said}");
}

#[test]
fn wrong_calls_are_answered() {
    let said = printed("wrong");
    assert_eq!(said.lines().last(), Some("all answered"), "{said}");
}
