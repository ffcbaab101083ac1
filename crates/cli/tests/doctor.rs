//! `ptxvm doctor`: what it says of a host, and of an LLVM that cannot be used.

use std::process::Command;

fn doctor(arguments: &[&str], llvm: Option<&str>) -> (Option<i32>, String) {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxvm"));
    command.arg("doctor").args(arguments).env_remove("PTXVM_LLVM");
    command.envs(llvm.map(|path| ("PTXVM_LLVM", path)));
    let output = command.output().expect("it runs");
    assert!(output.stderr.is_empty(), "{}", String::from_utf8_lossy(&output.stderr));
    (output.status.code(), String::from_utf8(output.stdout).expect("it is text"))
}

#[test]
fn every_line_says_something() {
    let (code, text) = doctor(&[], None);
    assert_eq!(code, Some(0));
    for name in ["version", "engine", "llvm", "vectors", "threads", "cache", "device", "libcuda"] {
        let line =
            text.lines().find(|line| line.starts_with(name)).unwrap_or_else(|| panic!("{name}: {text}"));
        assert!(line.len() > 10, "{line}");
    }
    let version = concat!("ptxvm ", env!("CARGO_PKG_VERSION"));
    assert!(text.contains(version), "{text}");
}

#[test]
fn an_llvm_that_cannot_be_used_leaves_the_interpreter() {
    let (code, text) = doctor(&["--json"], Some("/nowhere/libLLVM.so"));
    assert_eq!(code, Some(0));
    let said: serde_json::Value = serde_json::from_str(&text).expect("it is JSON");
    let of = |name: &str, field: &str| said[name][field].as_str().unwrap_or_default().to_owned();
    assert!(of("llvm", "says").contains("/nowhere/libLLVM.so"), "{text}");
    assert!(of("llvm", "remedy").contains("PTXVM_LLVM"), "{text}");
    assert!(of("engine", "says").ends_with("this host can run: interpret"), "{text}");
}
