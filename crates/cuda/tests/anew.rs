//! What test runners ask between two tests: a context that a fault has broken can be used again, with its memory and its
//! modules, and what has been told is told again.
#![allow(unsafe_code)]

mod client;

use client::{Context, answer, call, launch, read};

/// A kernel that adds one to a word, and then writes where its parameter says.
const SOURCE: &str = ".version 8.0
    .target sm_80
    .address_size 64
    .visible .entry k(.param .u64 out, .param .u64 bad) {
        .reg .b64 %o, %b; .reg .b32 %v;
        ld.param.u64 %o, [out]; ld.param.u64 %b, [bad];
        ld.global.u32 %v, [%o]; add.u32 %v, %v, 1; st.global.u32 [%o], %v;
        st.global.u32 [%b], 1;
        ret;
    }";

#[test]
fn a_fault_costs_one_test_and_no_more() {
    let report = std::env::temp_dir().join(format!("ptxvm-anew-{}", std::process::id()));
    // SAFETY: the library is not loaded yet, and this is the only thread that uses the environment.
    unsafe { std::env::set_var("PTXVM_REPORT", &report) };
    let context = Context::new();
    let kernel = context.module(SOURCE).kernel("k");
    let (out, other, stream) = (context.memory(4), context.memory(4), context.stream(1));
    for turn in 1..4u32 {
        // Nobody has waited for it, and its fault breaks what comes after.
        assert_eq!(launch(kernel, [1; 3], [1; 3], stream, &[out, 16]), 0);
        call("ptxvm_begin_anew", ());
        assert_eq!(read(out, 1), [2 * turn - 1]);
        assert_eq!(launch(kernel, [1; 3], [1; 3], stream, &[out, other]), 0);
        call("cuStreamSynchronize", (stream,));
        assert_eq!((read(out, 1), read(other, 1)), (vec![2 * turn], vec![1]));
    }
    assert_eq!(launch(kernel, [1; 3], [1; 3], 0, &[out, 16]), 0);
    assert_eq!(answer("cuCtxSynchronize", ()), 700, "it is broken, as ever, without that call");
    assert_eq!(answer("cuCtxSynchronize", ()), 700);
    call("ptxvm_begin_anew", ());
    call("ptxvm_set_seed", (7u64,));
    assert_eq!(launch(kernel, [1; 3], [1; 3], 0, &[out, 16]), 0);
    call("ptxvm_begin_anew", ());
    call("cuCtxSynchronize", ());
    let text = std::fs::read_to_string(&report).expect("the library has written it");
    let _ = std::fs::remove_file(&report);
    assert_eq!(text.matches(r#""code":"null""#).count(), 5, "{text}");
    assert_eq!((text.matches(r#""seed":0"#).count(), text.matches(r#""seed":7"#).count()), (4, 1), "{text}");
}
