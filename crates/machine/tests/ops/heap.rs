//! `malloc`, `free` and `__assertfail`.

use ptxvm_machine::{Kind, Stop};

use crate::common::{Outcome, finding, kernel, longs, run_ptx, words};

const DECLARED: &str = ".extern .func (.param .b64 r) malloc(.param .b64 s);\n.extern .func free(.param .b64 p);\n\
    .extern .func __assertfail(.param .b64 m, .param .b64 f, .param .b32 l, .param .b64 n, .param .b64 c);\n\
    .extern .func (.param .b32 r) cudaGetLastError();\n\
    .global .align 1 .b8 expression[5] = {120, 32, 62, 32, 48};\n.global .align 1 .b8 zero[1];\n\
    .global .align 1 .b8 file[5] = {107, 46, 99, 117, 0};\n.global .align 1 .b8 function[7] = {118, 32, 107, 40, 41, 0};\n";

fn run(block: u32, body: &str) -> Result<Outcome, Stop> {
    let text = kernel(body).replace(".visible .entry", &format!("{DECLARED}.visible .entry"));
    run_ptx(&text, "k", 1, block, &[longs(&[0; 64]), longs(&[0; 64])], 0)
}

fn malloc(size: &str, to: &str) -> String {
    format!(
        "{{ .param .b64 s; .param .b64 r; st.param.b64 [s], {size}; call.uni (r), malloc, (s); ld.param.b64 {to}, [r]; }}"
    )
}

fn free(pointer: &str) -> String {
    format!("{{ .param .b64 p; st.param.b64 [p], {pointer}; call.uni free, (p); }}")
}

#[test]
fn blocks_are_apart_and_usable() {
    let store = "mul.wide.u32 %x2, %t, 8; add.u64 %x2, %b, %x2; st.global.u64 [%x2], %x0;";
    let body = format!("{} st.u32 [%x0+20], %t; {store}", malloc("24", "%x0"));
    let addresses = &run(64, &body).expect("runs").longs(1)[..64];
    let mut sorted = addresses.to_vec();
    sorted.sort_unstable();
    assert!(sorted.windows(2).all(|w| w[1] - w[0] >= 24));
    assert!(sorted.iter().all(|a| *a != 0 && a % 16 == 0));
    // A loop of it stays within the heap as long as it frees.
    let body = format!(
        "mov.u32 %r0, 0; AGAIN: {} st.u32 [%x0], 1; {} add.u32 %r0, %r0, 1; setp.lt.u32 %p0, %r0, 50; @%p0 bra AGAIN; {}",
        malloc("100000", "%x0"),
        free("%x0"),
        free("0")
    );
    run(32, &body).expect("the heap is enough");
}

/// The heap has eight megabytes: who asks for more gets a null pointer.
#[test]
fn the_heap_is_bounded() {
    let body = format!(
        "{} {} {} st.global.u64 [%b], %x0; st.global.u64 [%b+8], %x1; st.global.u64 [%b+16], %x3;",
        malloc("0xffffffffffffffff", "%x0"),
        malloc("9000000", "%x1"),
        malloc("8000000", "%x3"),
    );
    let longs = run(1, &body).expect("runs").longs(1);
    assert_eq!(longs[..2], [0, 0]);
    assert_ne!(longs[2], 0);
}

#[test]
fn wrong_frees() {
    let twice = format!("{} {} {}", malloc("16", "%x0"), free("%x0"), free("%x0"));
    let report = finding(run(1, &twice), Kind::BadFree);
    assert!(report.notes[0].contains("freed already"), "{report:?}");
    let inside = format!("{} add.u64 %x0, %x0, 8; {}", malloc("16", "%x0"), free("%x0"));
    let report = finding(run(1, &inside), Kind::BadFree);
    assert!(report.notes[0].contains("8 bytes inside"), "{report:?}");
    finding(run(1, &free("%a")), Kind::BadFree);
    finding(run(1, &format!(".local .b64 l; cvta.local.u64 %x0, l; {}", free("%x0"))), Kind::BadFree);
    finding(
        run(1, &format!("{} {} ld.u32 %r0, [%x0];", malloc("16", "%x0"), free("%x0"))),
        Kind::UseAfterFree,
    );
    finding(run(1, &format!("{} ld.u32 %r0, [%x0+16];", malloc("16", "%x0"))), Kind::OutOfBounds);
}

#[test]
fn asserts_say_what_cuda_says() {
    let assertion = |expression: &str, guard: &str| {
        format!(
            "cvta.global.u64 %x0, {expression}; cvta.global.u64 %x1, file; cvta.global.u64 %x2, function;
             setp.ne.u32 %p0, %t, 33; {guard} bra SKIP;
             {{ .param .b64 m; .param .b64 f; .param .b32 l; .param .b64 n; .param .b64 c;
             st.param.b64 [m], %x0; st.param.b64 [f], %x1; st.param.b32 [l], 12; st.param.b64 [n], %x2; st.param.b64 [c], 1;
             call.uni __assertfail, (m, f, l, n, c); }} SKIP:"
        )
    };
    // `expression` runs over its end: `zero` is what a linker might put there, but here it is another object.
    finding(run(64, &assertion("expression", "@%p0")), Kind::OutOfBounds);
    let report = finding(run(64, &assertion("zero", "@%p0")), Kind::Assert);
    assert_eq!(report.message, "k.cu:12: v k(): block: [0,0,0], thread: [33,0,0] Assertion `` failed.");
    assert_eq!(report.thread.expect("a thread").tid, [33, 0, 0]);
    run(32, &assertion("zero", "@%p0")).expect("nobody fails");
}

#[test]
fn the_device_runtime_is_named() {
    let body = "{ .param .b32 r; call.uni (r), cudaGetLastError; }";
    match run(1, body) {
        Err(Stop::Unsupported(unsupported)) => {
            assert!(unsupported.what.contains("cudaGetLastError"), "{unsupported:?}")
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn arguments_may_be_registers() {
    let text = ".version 9.1\n.target sm_90a\n.address_size 64\n\
        .extern .func (.reg .b64 r) malloc(.reg .b64 s);\n\
        .visible .entry k(.param .u64 a) { .reg .b64 %x, %a; ld.param.u64 %a, [a]; call (%x), malloc, (64); \
        st.u32 [%x+60], 1; st.global.u64 [%a], %x; ret; }";
    let outcome = run_ptx(text, "k", 1, 1, &[words(&[0; 2])], 0).expect("runs");
    assert_ne!(outcome.longs(0), [0]);
}

/// NVRTC's own code for `printf`, `assert` and `malloc`.
#[test]
fn as_nvrtc_calls_them() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/corpus/nvrtc/devcalls.sm_90a.ptx");
    let text = std::fs::read_to_string(path).expect("the corpus");
    let outcome = run_ptx(&text, "k_printf", 1, 2, &[words(&[7, 8])], 0).expect("prints");
    assert_eq!(outcome.printed, ["t 0 v 7 1.500000 str\n", "t 1 v 8 1.500000 str\n"]);
    let report = finding(run_ptx(&text, "k_assert", 1, 2, &[words(&[1, 0])], 0), Kind::Assert);
    let expected = "devcalls.cu:4: void k_assert(int *): block: [0,0,0], thread: [1,0,0] Assertion `x[threadIdx.x]>0` failed.";
    assert_eq!(report.message, expected);
    // It reads a block after it has freed it.
    finding(run_ptx(&text, "k_malloc", 1, 1, &[longs(&[0])], 0), Kind::UseAfterFree);
    let outcome = run_ptx(&text, "k_virtual", 1, 4, &[words(&[0; 4])], 0).expect("runs");
    // Odd threads call D1 (3 + x), even ones D2 (x * x).
    assert_eq!(outcome.words(0), [0, 4, 4, 6]);
}
