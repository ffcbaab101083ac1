//! Which engine runs, and what the compiled one shows, from outside.

use std::collections::BTreeSet;
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

/// A newer LLVM knows its intrinsics by their names; an older one refuses a module that does not declare them.
#[test]
fn the_code_declares_what_it_calls() {
    let tests = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/run");
    let mut open = vec![tests];
    let mut seen = 0;
    while let Some(path) = open.pop() {
        if path.is_dir() {
            open.extend(path.read_dir().expect("a folder").map(|entry| entry.expect("an entry").path()));
            continue;
        }
        let Some(file) = path.to_str().filter(|file| file.ends_with(".ptx")) else { continue };
        let shown = ptxvm(&[file, "--show", "llvm"], None);
        let text = String::from_utf8_lossy(&shown.stdout);
        let (declared, rest): (Vec<&str>, Vec<&str>) =
            text.lines().partition(|line| line.starts_with("declare"));
        let declared: BTreeSet<&str> = declared.into_iter().filter_map(called).collect();
        for name in rest.into_iter().filter_map(called).filter(|name| name.starts_with("llvm.")) {
            assert!(declared.contains(name), "{file}: {name}");
        }
        seen += usize::from(!declared.is_empty());
    }
    assert!(seen > 300, "code of {seen} files");
}

/// The function that a line of LLVM IR names, if it calls or declares one.
fn called(line: &str) -> Option<&str> {
    let (_, rest) = line.split_once(" @")?;
    rest.split_once('(').map(|(name, _)| name)
}

/// Whatever is asked for, a kernel without code is interpreted, and a note says why.
#[test]
fn who_asks_for_code_in_vain_is_told() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/hello.ptx");
    let run = |more: &[&str]| {
        let all: Vec<&str> = file.to_str().into_iter().chain(more.iter().copied()).collect();
        let ran = ptxvm(&all, Some("/nowhere/libLLVM.so"));
        (ran.status.code(), String::from_utf8_lossy(&ran.stderr).into_owned())
    };
    let (code, said) = run(&["--engine", "compile"]);
    assert_eq!(code, Some(0));
    assert!(said.contains("the kernel was interpreted: ") && said.contains("/nowhere/libLLVM.so"), "{said}");
    assert_eq!(run(&["--engine", "compile", "--quiet"]), (Some(0), String::new()));
    assert_eq!(run(&["--engine", "auto"]), (Some(0), String::new()));
    // What counts is interpreted in any case, and asks for no code.
    assert_eq!(run(&["--engine", "compile", "--stats"]), (Some(0), String::new()));
}

/// However little memory the process may have, the result is the same: LLVM is not begun without room for it.
#[cfg(target_os = "linux")]
#[test]
fn a_host_without_memory_for_llvm_interprets() {
    let file = std::env::temp_dir().join(format!("ptxvm-no-room-{}.ptx", std::process::id()));
    std::fs::write(&file, branches(120)).expect("the file is written");
    let run = |megabytes: u32| {
        let command = format!("ulimit -v {}; exec \"$0\" \"$@\"", megabytes * 1000);
        let mut command = {
            let mut shell = Command::new("sh");
            shell.args(["-c", &command, env!("CARGO_BIN_EXE_ptxvm"), "run"]).arg(&file);
            shell
        };
        command.args(["--block", "64", "--arg", "u32[64]", "--engine", "compile", "--format", "json"]);
        command.env_remove("PTXVM_ENGINE").env_remove("PTXVM_LLVM").output().expect("the shell starts")
    };
    let roomy = run(8000);
    assert!(roomy.status.success(), "{}", String::from_utf8_lossy(&roomy.stderr));
    for megabytes in (200..1000).step_by(50) {
        let tight = run(megabytes);
        let said = String::from_utf8_lossy(&tight.stderr);
        assert!(
            tight.status.success() && tight.stdout == roomy.stdout,
            "{megabytes} MB: {}: {said}",
            tight.status
        );
    }
    std::fs::remove_file(&file).expect("the file was written");
}

/// A kernel with so many branches that part its lanes, between which much is live.
fn branches(count: usize) -> String {
    let mut text = String::from(
        ".version 8.0\n.target sm_90\n.address_size 64\n.visible .entry k(.param .u64 out)\n{\n.reg .b32 %r<32>;\n\
         .reg .b64 %a<3>;\n.reg .pred %p;\nld.param.u64 %a0, [out];\nmov.u32 %r0, %tid.x;\n\
         mul.wide.u32 %a1, %r0, 4;\nadd.u64 %a2, %a0, %a1;\n",
    );
    (1..32).for_each(|register| text += &format!("add.u32 %r{register}, %r0, {register};\n"));
    for branch in 0..count {
        let [a, b, c] = [3, 7, 11].map(|step| 1 + branch * step % 31);
        text += &format!("setp.lt.u32 %p, %r{a}, %r{b};\n@%p bra L{branch};\n");
        text += &format!("mad.lo.u32 %r{c}, %r{a}, %r{b}, {branch};\nL{branch}:\n");
    }
    (2..32).for_each(|register| text += &format!("xor.b32 %r1, %r1, %r{register};\n"));
    text + "st.global.u32 [%a2], %r1;\nret;\n}\n"
}
