//! Which engine runs, and what the compiled one shows, from outside.

use std::path::Path;
use std::process::{Command, Output};

/// Runs the command, with an LLVM if one is named.
fn ptxvm(arguments: &[&str], llvm: Option<&str>) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxvm"));
    command.arg("run").args(arguments).env_remove("PTXVM_ENGINE").env_remove("PTXVM_LLVM");
    llvm.map(|path| command.env("PTXVM_LLVM", path));
    command.output().expect("the command starts")
}

/// What counts is interpreted, and says what would have run without that.
#[test]
fn stats_say_which_engine_ran() {
    let run = |arguments: &[&str], llvm: Option<&str>| {
        let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/hello.ptx");
        let all: Vec<&str> = file.to_str().into_iter().chain(arguments.iter().copied()).collect();
        String::from_utf8_lossy(&ptxvm(&all, llvm).stdout).into_owned()
    };
    let none = run(&["--stats"], Some("/nowhere/libLLVM.so"));
    assert!(none.contains("engine               interpret; there is no libLLVM"), "{none}");
    let chosen = run(&["--stats", "--engine", "interpret"], None);
    assert!(chosen.lines().any(|line| line == "engine               interpret"), "{chosen}");
    let json = run(&["--stats=json"], Some("/nowhere/libLLVM.so"));
    assert!(json.contains(r#""engine":"interpret""#), "{json}");
    assert!(json.contains(r#""engine_without_stats":null"#), "{json}");
}

/// The code holds something for each warp of a CTA: its size must not depend on a number that nobody can launch.
#[test]
fn no_code_is_shown_for_a_cta_that_no_device_has() {
    let file = std::env::temp_dir().join(format!("ptxvm-large-cta-{}.ptx", std::process::id()));
    for extents in ["1073741824, 1, 1", "65536, 65536, 1", "1025, 1, 1"] {
        let source = format!(
            ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k() .reqntid {extents} {{ ret; }}\n"
        );
        std::fs::write(&file, source).expect("the file is written");
        let shown = ptxvm(&[file.to_str().expect("a path of text"), "--show", "llvm"], None);
        let said = String::from_utf8_lossy(&shown.stderr).into_owned();
        assert!(!shown.status.success() && said.contains("or more than 1024"), "{extents}: {said}");
    }
    std::fs::remove_file(&file).expect("the file was written");
}
