//! Modules, functions, libraries and kernels, as programs use them. Answers are those that an H200 gave
//! (`tests/golden/driver`).
#![allow(unsafe_code)]

mod client;

use std::ffi::{CStr, CString, c_char};

use client::{Context, Handle, answer, call, launch, read};

const INVALID_VALUE: u32 = 1;
const INVALID_HANDLE: u32 = 400;
const NOT_FOUND: u32 = 500;
const NOT_PERMITTED: u32 = 800;

const SOURCE: &str = "
.version 8.0
.target sm_80
.address_size 64
.global .align 4 .b8 table[64];
.visible .global .align 4 .u32 counter = 5;
.const .align 4 .u32 constant[3];
.visible .entry empty() { ret; }
.visible .entry shared() { .shared .align 4 .b8 s[40000]; .reg .b32 %t; st.volatile.shared.u32 [s], 1; ret; }
.visible .entry bounded() .maxntid 256, 1, 1 { ret; }
.visible .entry required() .reqntid 64, 2, 1 { ret; }
.visible .entry many(.param .u64 a, .param .u32 b, .param .align 8 .b8 c[24], .param .u16 d) { ret; }
.visible .entry count(.param .u64 out)
{
    .reg .b32 %v;
    .reg .b64 %p;
    ld.param.u64 %p, [out];
    ld.global.u32 %v, [counter];
    add.u32 %v, %v, 1;
    st.global.u32 [counter], %v;
    st.global.u32 [%p], %v;
    ret;
}";
const KERNELS: [&str; 6] = ["empty", "shared", "bounded", "required", "many", "count"];

fn attribute(function: Handle, attribute: i32) -> Result<i32, u32> {
    let mut value = 0;
    match answer("cuFuncGetAttribute", (&raw mut value, attribute, function)) {
        0 => Ok(value),
        result => Err(result),
    }
}

fn library(source: &str) -> Handle {
    let (source, mut library) = (CString::new(source).expect("no zeros"), 0);
    call("cuLibraryLoadData", (&raw mut library, source.as_ptr(), 0u64, 0u64, 0u32, 0u64, 0u64, 0u32));
    library
}

fn kernel(library: Handle, name: &str) -> Handle {
    let (name, mut kernel) = (CString::new(name).expect("no zeros"), 0);
    call("cuLibraryGetKernel", (&raw mut kernel, library, name.as_ptr()));
    kernel
}

#[test]
fn functions_have_the_attributes_of_an_h200() {
    let context = Context::new();
    let module = context.module(SOURCE);
    let empty = module.kernel("empty");
    let expected =
        [(0, 1024), (1, 0), (2, 12), (3, 0), (5, 80), (6, 90), (7, 0), (8, 49152), (9, -1), (10, 0)];
    for (number, value) in expected {
        assert_eq!(attribute(empty, number), Ok(value), "attribute {number}");
    }
    assert!((1..=255).contains(&attribute(empty, 4).expect("registers")));
    for number in [-1, 16, 17, 99, i32::MIN, i32::MAX] {
        assert_eq!(attribute(empty, number), Err(INVALID_VALUE), "attribute {number}");
    }
    assert_eq!(attribute(module.kernel("shared"), 1), Ok(40000));
    assert_eq!(attribute(module.kernel("shared"), 8), Ok(9152));
    assert_eq!(attribute(module.kernel("bounded"), 0), Ok(256));
    assert_eq!(attribute(module.kernel("required"), 0), Ok(1024));
    assert_eq!(attribute(0, 0), Err(INVALID_HANDLE));
}

#[test]
fn attributes_are_set_within_the_limits_of_an_h200() {
    let context = Context::new();
    // The number, the value, the answer, and the value afterwards.
    let cases = [
        (8, 49153, 0, 49153),
        (8, 232_448, 0, 232_448),
        (8, 232_449, 1, 49152),
        (8, -1, 1, 49152),
        (8, 0, 0, 0),
        (9, 50, 0, 50),
        (9, 101, 1, -1),
        (9, -1, 0, -1),
        (9, -2, 1, -1),
        (10, 1, 1, 0),
        (11, 2, 0, 2),
        (14, 2, 0, 1),
        (15, 2, 0, 2),
        (15, 3, 1, 0),
        (0, 5, 1, 1024),
    ];
    for (number, value, answered, after) in cases {
        let empty = context.module(SOURCE).kernel("empty");
        assert_eq!(answer("cuFuncSetAttribute", (empty, number, value)), answered, "{number} = {value}");
        assert_eq!(attribute(empty, number), Ok(after), "{number} = {value}");
    }
    let module = context.module(SOURCE);
    let shared = module.kernel("shared");
    assert_eq!(answer("cuFuncSetAttribute", (shared, 8i32, 192_449i32)), INVALID_VALUE);
    call("cuFuncSetAttribute", (shared, 8i32, 192_448i32));
    assert_eq!(answer("cuFuncSetCacheConfig", (shared, 3u32)), 0);
    assert_eq!(answer("cuFuncSetCacheConfig", (shared, 4u32)), INVALID_VALUE);
}

#[test]
fn parameters_and_names_are_told() {
    let context = Context::new();
    let module = context.module(SOURCE);
    let many = module.kernel("many");
    let mut told = Vec::new();
    for index in 0..4usize {
        let (mut offset, mut size) = (0usize, 0usize);
        call("cuFuncGetParamInfo", (many, index, &raw mut offset, &raw mut size));
        told.push((offset, size));
    }
    assert_eq!(told, [(0, 8), (8, 4), (16, 24), (40, 2)]);
    let mut offset = 0usize;
    assert_eq!(answer("cuFuncGetParamInfo", (many, 4usize, &raw mut offset, 0u64)), INVALID_VALUE);
    let mut count = 0usize;
    call("cuFuncGetParamCount", (many, &raw mut count));
    assert_eq!(count, 4);
    let mut name: *const c_char = std::ptr::null();
    call("cuFuncGetName", (&raw mut name, many));
    // SAFETY: the library gives a string that stays while the function is there.
    assert_eq!(unsafe { CStr::from_ptr(name) }, c"many");
    // A name is asked of something: nothing is no stale handle here.
    assert_eq!(answer("cuFuncGetName", (&raw mut name, 0u64)), INVALID_VALUE);
    assert_eq!(answer("cuKernelGetName", (&raw mut name, 0u64)), INVALID_VALUE);
    let mut owner = 0;
    call("cuFuncGetModule", (&raw mut owner, many));
    assert_eq!(owner, module.0);

    let mut count = 0u32;
    call("cuModuleGetFunctionCount", (&raw mut count, module.0));
    assert_eq!(count as usize, KERNELS.len());
    let mut all = [0u64; 8];
    call("cuModuleEnumerateFunctions", (all.as_mut_ptr(), 8u32, module.0));
    let expected: Vec<Handle> = KERNELS.iter().map(|name| module.kernel(name)).collect();
    assert_eq!(all[..6], expected);
    assert_eq!(all[6..], [0, 0]);
}

/// Libraries are loaded when something in them is asked for (tests/cudart/answers.jsonl).
#[test]
fn a_library_of_wrong_code_says_so_when_it_is_asked() {
    let _context = Context::new();
    for (text, wrong) in
        [("", 200), ("hello", 200), (".version 8.0\n.target sm_90\n.visible .entry k() { nonsense; }", 218)]
    {
        let (library, mut kernel, mut count) = (library(text), 0u64, 0u32);
        assert_eq!(answer("cuLibraryGetKernel", (&raw mut kernel, library, c"k".as_ptr())), wrong, "{text}");
        assert_eq!(answer("cuLibraryGetKernelCount", (&raw mut count, library)), wrong, "{text}");
        let (mut address, mut size) = (0u64, 0usize);
        let told = answer("cuLibraryGetGlobal", (&raw mut address, &raw mut size, library, c"x".as_ptr()));
        assert_eq!(told, wrong, "{text}");
        call("cuLibraryUnload", (library,));
    }
    let (mut library, none) = (0u64, 0u64);
    let load = answer("cuLibraryLoadData", (&raw mut library, none, 0u64, 0u64, 0u32, 0u64, 0u64, 0u32));
    assert_eq!(load, INVALID_VALUE, "no code");
}

#[test]
fn parameters_of_a_librarys_kernel_are_told_in_a_context_only() {
    let context = Context::new();
    let (mut library, mut kernel): (Handle, Handle) = (0, 0);
    let source = std::ffi::CString::new(SOURCE).expect("no zeros");
    call("cuLibraryLoadData", (&raw mut library, source.as_ptr(), 0u64, 0u64, 0u32, 0u64, 0u64, 0u32));
    call("cuLibraryGetKernel", (&raw mut kernel, library, c"many".as_ptr()));
    let (mut offset, mut size) = (0usize, 0usize);
    call("cuKernelGetParamInfo", (kernel, 2usize, &raw mut offset, &raw mut size));
    assert_eq!((offset, size), (16, 24));
    call("cuCtxSetCurrent", (0u64,));
    let outside = answer("cuKernelGetParamInfo", (kernel, 2usize, &raw mut offset, &raw mut size));
    assert_eq!(outside, 201, "CUDA_ERROR_INVALID_CONTEXT");
    call("cuCtxSetCurrent", (context.0,));
    call("cuLibraryUnload", (library,));
}

#[test]
fn what_is_not_there_is_not_found() {
    let context = Context::new();
    let module = context.module(SOURCE).0;
    let (mut found, mut size) = (0u64, 0usize);
    let mut function = |name: *const c_char| answer("cuModuleGetFunction", (&raw mut found, module, name));
    assert_eq!(function(c"nothing".as_ptr()), NOT_FOUND);
    assert_eq!(function(c"table".as_ptr()), NOT_FOUND);
    assert_eq!(function(c"".as_ptr()), INVALID_VALUE);
    assert_eq!(function(std::ptr::null()), INVALID_VALUE);
    assert_eq!(answer("cuModuleGetFunction", (0u64, module, c"empty".as_ptr())), INVALID_VALUE);
    assert_eq!(answer("cuModuleGetFunction", (&raw mut found, 0u64, c"empty".as_ptr())), INVALID_HANDLE);
    let global = |address: *mut u64, size: *mut usize, name: &CStr| {
        answer("cuModuleGetGlobal_v2", (address, size, module, name.as_ptr()))
    };
    let none = std::ptr::null_mut();
    assert_eq!(global(&raw mut found, &raw mut size, c"nothing"), NOT_FOUND);
    assert_eq!(global(&raw mut found, &raw mut size, c"empty"), INVALID_VALUE);
    assert_eq!(global(std::ptr::null_mut(), none, c"table"), INVALID_VALUE);
    assert_eq!(global(std::ptr::null_mut(), &raw mut size, c"table"), 0);
    assert_eq!(size, 64);
    assert_eq!(answer("cuModuleGetTexRef", (&raw mut found, module, c"nothing".as_ptr())), NOT_FOUND);
    call("cuModuleUnload", (module,));
    assert_eq!(answer("cuModuleUnload", (module,)), INVALID_HANDLE);
    assert_eq!(answer("cuModuleUnload", (0u64,)), INVALID_HANDLE);
}

#[test]
fn logs_are_filled_as_far_as_they_reach() {
    let _context = Context::new();
    let wrong = CString::new(SOURCE.replace("add.u32 %v, %v, 1", "add.u32 ")).expect("no zeros");
    let full = "ptxas application ptx input, line 19; error   : ";
    for room in [4096usize, 20, 1, 0] {
        let (mut error, mut info) = ([0xffu8; 4096], [0xffu8; 4096]);
        let options = [5u32, 6, 3, 4, 12, 2];
        let mut values = [error.as_mut_ptr() as usize, room, info.as_mut_ptr() as usize, room, 1, usize::MAX];
        let mut module = 0u64;
        let result = answer(
            "cuModuleLoadDataEx",
            (&raw mut module, wrong.as_ptr(), 6u32, options.as_ptr(), values.as_mut_ptr()),
        );
        assert_eq!(result, 218);
        let filled = values[1] as u32 as usize;
        if room == 0 {
            assert_eq!((filled, error[0]), (0, 0xff), "nothing may be written");
            continue;
        }
        let text = std::str::from_utf8(&error[..filled]).expect("text");
        assert_eq!(error[filled], 0);
        assert!(error[filled + 1..].iter().all(|byte| *byte == 0xff), "written past the end");
        assert_eq!(values[3] as u32, 0);
        assert_eq!(info[0], 0);
        if room == 4096 {
            assert!(text.starts_with(full), "{text}");
            assert!(text.ends_with("\nptxas fatal   : Ptx assembly aborted due to errors"), "{text}");
        } else {
            assert_eq!(text, &full[..room - 1]);
        }
        let milliseconds = f32::from_bits(values[5] as u32);
        assert!(milliseconds > 0.0 && milliseconds < 60e3, "{milliseconds}");
    }
    let mut module = 0u64;
    let load = |count: u32, options: *const u32, values: *mut usize, module: *mut u64| {
        answer("cuModuleLoadDataEx", (module, wrong.as_ptr(), count, options, values))
    };
    let (unknown, mut value) = (999u32, 0usize);
    assert_eq!(load(1, &raw const unknown, &raw mut value, &raw mut module), INVALID_VALUE);
    assert_eq!(load(1, std::ptr::null(), std::ptr::null_mut(), &raw mut module), INVALID_VALUE);
}

#[test]
fn a_library_has_a_copy_of_its_own_in_every_context() {
    call("cuInit", (0u32,));
    // No context is needed to load it and to ask for its kernels.
    let library = library(SOURCE);
    let count = kernel(library, "count");
    let contexts = [Context::new(), Context::new()];
    let mut functions = Vec::new();
    for context in &contexts {
        context.enter();
        let out = context.memory(4);
        assert_eq!(launch(count, [1; 3], [1; 3], 0, &[out]), 0);
        assert_eq!(read(out, 1), [6], "each context counts for itself");
        assert_eq!(launch(count, [1; 3], [1; 3], 0, &[out]), 0);
        assert_eq!(read(out, 1), [7]);
        let mut function = 0;
        call("cuKernelGetFunction", (&raw mut function, count));
        assert_eq!(launch(function, [1; 3], [1; 3], 0, &[out]), 0);
        let (mut counter, mut size) = (0u64, 0usize);
        call("cuLibraryGetGlobal", (&raw mut counter, &raw mut size, library, c"counter".as_ptr()));
        assert_eq!((read(counter, 1), size), (vec![8], 4));
        functions.push(function);
    }
    assert_ne!(functions[0], functions[1]);
    drop(contexts);
    // A later context begins anew.
    let context = Context::new();
    let out = context.memory(4);
    assert_eq!(launch(count, [1; 3], [1; 3], 0, &[out]), 0);
    assert_eq!(read(out, 1), [6]);
    call("cuLibraryUnload", (library,));
    assert_eq!(launch(count, [1; 3], [1; 3], 0, &[out]), INVALID_HANDLE);
}

#[test]
fn kernels_and_libraries_answer_as_on_an_h200() {
    let context = Context::new();
    let library = library(SOURCE);
    let empty = kernel(library, "empty");
    let (mut found, mut count, mut size, mut value) = (0u64, 0u32, 0usize, 0i32);
    assert_eq!(answer("cuLibraryGetKernel", (&raw mut found, library, c"nothing".as_ptr())), NOT_FOUND);
    call("cuLibraryGetKernelCount", (&raw mut count, library));
    assert_eq!(count as usize, KERNELS.len());
    let global = |name: &CStr| {
        let (mut found, mut size) = (0u64, 0usize);
        answer("cuLibraryGetGlobal", (&raw mut found, &raw mut size, library, name.as_ptr()))
    };
    assert_eq!(global(c"table"), 0);
    assert_eq!(global(c"nothing"), NOT_FOUND);
    let managed = (&raw mut found, &raw mut size, library, c"table".as_ptr());
    assert_eq!(answer("cuLibraryGetManaged", managed), NOT_FOUND);
    call("cuKernelGetAttribute", (&raw mut value, 0i32, empty, 0i32));
    assert_eq!(value, 1024);
    assert_eq!(answer("cuKernelGetAttribute", (&raw mut value, 0i32, empty, 3i32)), 101);
    assert_eq!(answer("cuKernelSetAttribute", (8i32, 300_000i32, empty, 0i32)), INVALID_VALUE);
    assert_eq!(answer("cuFuncGetAttribute", (&raw mut value, 0i32, empty)), INVALID_HANDLE);

    // A function inherits what is set on its kernel, and what is set on itself stays its own.
    let mut function = 0;
    call("cuKernelGetFunction", (&raw mut function, empty));
    call("cuKernelSetAttribute", (8i32, 1000i32, empty, 0i32));
    assert_eq!(attribute(function, 8), Ok(1000));
    call("cuFuncSetAttribute", (function, 8i32, 2000i32));
    call("cuKernelSetAttribute", (8i32, 3000i32, empty, 0i32));
    assert_eq!(attribute(function, 8), Ok(2000));
    call("cuKernelGetAttribute", (&raw mut value, 8i32, empty, 0i32));
    assert_eq!(value, 3000);

    let mut module = 0u64;
    call("cuLibraryGetModule", (&raw mut module, library));
    assert_eq!(answer("cuModuleUnload", (module,)), NOT_PERMITTED);
    call("cuKernelGetLibrary", (&raw mut found, empty));
    assert_eq!(found, library);
    call("cuLibraryUnload", (library,));
    for (name, handle) in [("cuLibraryUnload", library), ("cuLibraryUnload", 0), ("cuModuleUnload", module)] {
        assert_eq!(answer(name, (handle,)), INVALID_HANDLE);
    }
    assert_eq!(attribute(function, 8), Err(INVALID_HANDLE));
    drop(context);
}

/// The pages of this process that are in memory.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").expect("Linux");
    text.split(' ').nth(1).and_then(|pages| pages.parse().ok()).expect("a number")
}

/// The device memory that is free.
fn free_memory() -> usize {
    let (mut free, mut total) = (0usize, 0usize);
    call("cuMemGetInfo_v2", (&raw mut free, &raw mut total));
    free
}

#[test]
fn loading_ten_thousand_times_leaves_nothing_behind() {
    let context = Context::new();
    let load = |source: &CString| {
        let mut module = 0;
        call("cuModuleLoadData", (&raw mut module, source.as_ptr()));
        client::Module(module).kernel("empty");
        call("cuModuleUnload", (module,));
    };
    // Variables of freed modules wait a while before their memory is used again, so the host's memory is looked at
    // with modules that have none.
    let plain = CString::new(
        SOURCE
            .lines()
            .filter(|line| !line.contains("table") && !line.contains("constant"))
            .collect::<Vec<_>>()
            .join("\n")
            .replace(".visible .global .align 4 .u32 counter = 5;", "")
            .replace("[counter]", "[%p]"),
    )
    .expect("no zeros");
    (0..1000).for_each(|_| load(&plain));
    let before = resident();
    // Two threads at once, five thousand times each.
    std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| {
                context.enter();
                (0..5000).for_each(|_| load(&plain));
            });
        }
    });
    let grown = resident().saturating_sub(before) * 4096;
    // A module of this size has more than a kilobyte, and ten thousand of them more than ten megabytes; other tests
    // in this process take a little.
    assert!(grown < 6 << 20, "{grown} bytes more after 10,000 loads");
}

#[test]
fn the_variables_of_unloaded_modules_are_freed() {
    let context = Context::new();
    // Large, so that other tests in this process do not matter.
    let source = SOURCE.replace("table[64]", "table[268435456]");
    let before = free_memory();
    let loaded: Vec<_> = (0..4).map(|_| context.module(&source)).collect();
    assert!(before - free_memory() >= 1 << 30);
    loaded.iter().for_each(|module| call("cuModuleUnload", (module.0,)));
    assert!(before.abs_diff(free_memory()) < 1 << 28);
}
