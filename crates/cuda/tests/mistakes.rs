//! `PTXVM_FINDINGS=report`: a kernel goes on after a mistake that an H200 survives, and what is told of it is told once for
//! each place. The variables are set before the library is loaded, so that this test has a process of its own.
#![allow(unsafe_code)]

mod client;

use client::{Context, call, launch, read};
use serde_json::Value;

/// A kernel that reads shared memory past its eight bytes; the comment makes another module of it.
fn source(comment: &str) -> String {
    format!(
        ".version 8.0
        .target sm_80
        .address_size 64
        .visible .entry k(.param .u64 out) {{
            .shared .align 8 .b8 m[8]; .reg .b64 %o; .reg .b32 %v;
            ld.param.u64 %o, [out];
            ld.shared.u32 %v, [m+16]; add.u32 %v, %v, 5;
            st.global.u32 [%o], %v;
            ret;
        }}
        // {comment}"
    )
}

#[test]
fn a_mistake_is_told_once_for_each_place() {
    let report = std::env::temp_dir().join(format!("ptxvm-mistakes-{}", std::process::id()));
    // SAFETY: the library is not loaded yet, and this is the only thread that uses the environment.
    unsafe {
        std::env::set_var("PTXVM_FINDINGS", "report");
        std::env::set_var("PTXVM_REPORT", &report);
        // The user's standard error is another file than this process's.
        std::env::set_var("PTXVM_STDERR", "0:0");
    }
    let context = Context::new();
    let out = context.memory(4);
    // Two modules of one text but for a comment, each launched twice.
    for comment in ["one", "two"] {
        let module = context.module(&source(comment));
        for _ in 0..2 {
            assert_eq!(launch(module.kernel("k"), [1; 3], [1; 3], 0, &[out]), 0);
            call("cuCtxSynchronize", ());
            assert_eq!(read(out, 1), [5]);
        }
    }
    let text = std::fs::read_to_string(&report).expect("the library has written it");
    let _ = std::fs::remove_file(&report);
    let lines: Vec<Value> = text.lines().map(|line| serde_json::from_str(line).expect("an object")).collect();
    let kinds: Vec<&str> = lines.iter().filter_map(|line| line["kind"].as_str()).collect();
    assert_eq!(kinds, ["finding", "repeated", "finding", "repeated"], "{text}");
    for line in &lines {
        assert_eq!(line["count"], 1, "{line}");
        assert_ne!(line["stopped"], true, "{line}");
        let said = line["said"].as_str().unwrap_or_default();
        assert_eq!(said.contains("out-of-bounds"), line["kind"] == "finding", "{line}");
    }
}
