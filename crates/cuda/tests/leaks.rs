//! `PTXVM_CHECK=leak`: what a process has not given back is told when it ends, and what it has given back is not.
#![allow(unsafe_code)]

mod client;

use std::collections::BTreeMap;
use std::mem::ManuallyDrop;
use std::process::Command;

use client::{Context, call, launch};
use serde_json::Value;

/// Says to a process that it is the child, and whether it gives back what it takes.
const CHILD: &str = "PTXVM_TEST_CHILD";

/// Each thread takes a block of the heap and keeps its address; the other kernel gives the blocks back.
const HEAP: &str = "
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b64 r) malloc(.param .b64 n);
.extern .func free(.param .b64 p);
.visible .entry take(.param .u64 out) {
    .param .b64 n; .param .b64 r; .reg .b32 %t; .reg .b64 %o, %b;
    st.param.b64 [n], 48;
    call.uni (r), malloc, (n);
    ld.param.b64 %b, [r];
    mov.u32 %t, %tid.x; ld.param.u64 %o, [out]; mad.wide.u32 %o, %t, 8, %o;
    st.global.u64 [%o], %b;
    ret;
}
.visible .entry give(.param .u64 out) {
    .param .b64 n; .reg .b32 %t; .reg .b64 %o, %b;
    mov.u32 %t, %tid.x; ld.param.u64 %o, [out]; mad.wide.u32 %o, %t, 8, %o;
    ld.global.u64 %b, [%o];
    st.param.b64 [n], %b;
    call.uni free, (n);
    ret;
}
";

/// Takes memory, a stream, a module and blocks of the heap.
fn take(gives_back: bool) {
    // The end of a context gives all back.
    let context = ManuallyDrop::new(Context::new());
    let module = context.module(HEAP);
    let memory = context.memory(8 * 4);
    let stream = context.stream(0);
    assert_eq!(launch(module.kernel("take"), [1; 3], [4, 1, 1], stream, &[memory]), 0);
    if gives_back {
        assert_eq!(launch(module.kernel("give"), [1; 3], [4, 1, 1], stream, &[memory]), 0);
    }
    call("cuCtxSynchronize", ());
    if gives_back {
        call("cuMemFree_v2", (memory,));
        call("cuStreamDestroy_v2", (stream,));
        call("cuModuleUnload", (module.0,));
    }
}

/// What is told of a child, by message: how many there are.
fn told(gives_back: bool) -> BTreeMap<String, u64> {
    let report = std::env::temp_dir().join(format!("ptxvm-leaks-{}-{gives_back}", std::process::id()));
    let mut command = Command::new(std::env::current_exe().expect("a test has a file"));
    command.args(["--exact", "what_is_left_is_told_at_the_end", "--nocapture"]);
    command.env(CHILD, gives_back.to_string()).env("PTXVM_CHECK", "leak").env("PTXVM_REPORT", &report);
    let output = command.output().expect("a child starts");
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    let text = std::fs::read_to_string(&report).unwrap_or_default();
    let _ = std::fs::remove_file(&report);
    let lines = text.lines().map(|line| serde_json::from_str::<Value>(line).expect("an object"));
    let found = lines.map(|line| {
        assert_eq!(line["code"], "leak", "{line}");
        (line["message"].as_str().unwrap_or_default().to_owned(), line["count"].as_u64().unwrap_or(0))
    });
    found.collect()
}

#[test]
fn what_is_left_is_told_at_the_end() {
    if let Ok(gives_back) = std::env::var(CHILD) {
        return take(gives_back == "true");
    }
    assert_eq!(told(true), BTreeMap::new());
    let expected = [
        ("1 allocation of device memory (32 B) left at the end of the program", 1),
        ("1 module left at the end of the program", 1),
        ("1 stream left at the end of the program", 1),
        ("4 blocks of 192 bytes together are taken from the heap here, and nobody gives them back", 4),
    ];
    let expected = expected.map(|(text, count)| (text.to_owned(), count));
    assert_eq!(told(false), BTreeMap::from(expected));
}
