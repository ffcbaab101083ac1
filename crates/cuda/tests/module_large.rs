//! Large modules: their functions are read when they are asked for, and a wrong one is told then.
#![allow(unsafe_code)]

mod client;

use std::ffi::CString;
use std::fmt::Write;

use client::{Context, Handle, answer, call, launch, read};

const INVALID_PTX: u32 = 218;
const NOT_FOUND: u32 = 500;
/// More than a megabyte of kernels.
const KERNELS: u32 = 3_000;

/// A text of many kernels that count by a function and a variable that they have in common, and of a wrong one.
fn text(kernels: u32) -> String {
    let mut text = String::from(
        ".version 8.0\n.target sm_80\n.address_size 64\n.visible .global .u32 counter = 5;\n
         .func (.param .b32 r) add(.param .b32 a, .param .b32 b) { .reg .b32 %r<3>; ld.param.b32 %r0, [a];
           ld.param.b32 %r1, [b]; add.u32 %r2, %r0, %r1; st.param.b32 [r], %r2; ret; }\n",
    );
    for number in 0..kernels {
        let _ = writeln!(
            text,
            ".visible .entry k{number}(.param .u64 out)\n{{\n    .reg .b32 %v;\n    .reg .b64 %p;
             .param .b32 a, b, r;\n    ld.global.u32 %v, [counter];\n    st.param.b32 [a], %v;
             st.param.b32 [b], {number};\n    call (r), add, (a, b);\n    ld.param.b32 %v, [r];
             st.global.u32 [counter], %v;\n    ld.param.u64 %p, [out];\n    st.global.u32 [%p], %v;\n    ret;\n}}"
        );
    }
    text.push_str(".visible .entry wrong() { nonsense; ret; }\n");
    text
}

fn find(module: Handle, name: &str) -> (u32, Handle) {
    let (name, mut function) = (CString::new(name).expect("no zeros"), 0);
    (answer("cuModuleGetFunction", (&raw mut function, module, name.as_ptr())), function)
}

#[test]
fn functions_of_a_large_module_are_read_when_they_are_asked_for() {
    let context = Context::new();
    let large = text(KERNELS);
    assert!(large.len() > 1 << 20);
    let module = context.module(&large);
    let mut count = 0;
    call("cuModuleGetFunctionCount", (&raw mut count, module.0));
    assert_eq!(count, KERNELS + 1);
    let x = context.memory(4);
    // Their variables are the module's, and the functions that they call are the same.
    let mut expected = 5;
    for number in [7, 2_999, 7] {
        let kernel = module.kernel(&format!("k{number}"));
        assert_eq!(launch(kernel, [1; 3], [1; 3], 0, &[x]), 0);
        expected += number;
        assert_eq!(read(x, 1), [expected]);
    }
    let (mut counter, mut bytes) = (0u64, 0usize);
    call("cuModuleGetGlobal_v2", (&raw mut counter, &raw mut bytes, module.0, c"counter".as_ptr()));
    assert_eq!((read(counter, 1), bytes), (vec![expected], 4));
    for _ in 0..2 {
        assert_eq!(find(module.0, "wrong").0, INVALID_PTX);
    }
    assert_eq!(find(module.0, "none").0, NOT_FOUND);
    // What is right goes on.
    assert_eq!(launch(module.kernel("k1"), [1; 3], [1; 3], 0, &[x]), 0);
    assert_eq!(read(x, 1), [expected + 1]);
}

#[test]
fn what_is_small_or_wrong_between_functions_is_refused_at_once() {
    let context = Context::new();
    for wrong in
        [text(3), text(KERNELS) + ".global .u32 counter;\n", text(KERNELS) + "}", text(KERNELS) + "/*"]
    {
        let (source, mut module) = (CString::new(wrong).expect("no zeros"), 0 as Handle);
        assert_eq!(answer("cuModuleLoadData", (&raw mut module, source.as_ptr())), INVALID_PTX);
    }
    drop(context);
}

#[test]
fn libraries_and_contexts_have_large_modules_of_their_own() {
    let first = Context::new();
    let (source, mut library): (CString, Handle) = (CString::new(text(KERNELS)).expect("no zeros"), 0);
    call("cuLibraryLoadData", (&raw mut library, source.as_ptr(), 0u64, 0u64, 0u32, 0u64, 0u64, 0u32));
    let mut kernel: Handle = 0;
    assert_eq!(answer("cuLibraryGetKernel", (&raw mut kernel, library, c"wrong".as_ptr())), INVALID_PTX);
    call("cuLibraryGetKernel", (&raw mut kernel, library, c"k2".as_ptr()));
    for context in [first, Context::new()] {
        context.enter();
        let x = context.memory(4);
        for expected in [7, 9] {
            assert_eq!(launch(kernel, [1; 3], [1; 3], 0, &[x]), 0);
            assert_eq!(read(x, 1), [expected]);
        }
    }
    call("cuLibraryUnload", (library,));
}
