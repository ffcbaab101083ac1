//! Which words of an entry's parameters can become addresses: small kernels, and what is true of each.

use ptxvm_ir::{FunctionId, Program, address_words};
use ptxvm_isa::ISA;
use ptxvm_module::{Options, check};
use ptxvm_syntax::{Interner, Severity};

fn program(source: &str) -> Program {
    let parsed = ptxvm_syntax::parse(source, &Interner::with_words(ISA.words));
    let checked = check(&parsed.file, source, &ISA, &Options::default());
    let diagnostics = parsed.diagnostics.iter().chain(&checked.diagnostics);
    let errors: Vec<_> = diagnostics.filter(|d| d.severity == Severity::Error).collect();
    assert!(errors.is_empty(), "{errors:#?}\n{source}");
    ptxvm_ir::lower(&parsed.file, source, &checked.module, &ISA).expect("a checked module")
}

/// The words of the last function's parameters: a digit each, a blank after each parameter.
fn words(source: &str) -> String {
    let program = program(&format!(".version 9.0\n.target sm_90a\n.address_size 64\n{source}"));
    let entry = program.functions.iter().rposition(|function| function.entry).expect("an entry");
    let words = address_words(&program, FunctionId(entry as u32));
    let digits = |words: &Vec<bool>| words.iter().map(|used| if *used { '1' } else { '0' }).collect();
    words.iter().map(digits).collect::<Vec<String>>().join(" ")
}

/// The same for the body of a kernel with the parameters `a`, `b` and `c`, and some registers.
fn body(body: &str) -> String {
    words(&format!(
        ".visible .entry k(.param .u64 a, .param .u64 b, .param .u64 c) {{
            .local .align 8 .b8 stack[64]; .shared .align 8 .b8 tile[64];
            .reg .b64 %a, %b, %c, %d, %e; .reg .b32 %x, %y, %z; .reg .f64 %f; .reg .pred %p;
            ld.param.u64 %a, [a]; ld.param.u64 %b, [b]; ld.param.u64 %c, [c];
            {body}
            ret; }}"
    ))
}

#[test]
fn an_address_is_what_is_read_written_or_changed_in_place() {
    assert_eq!(body("ld.global.u32 %x, [%a+4];"), "1 0 0");
    assert_eq!(body("ld.u32 %x, [%b];"), "0 1 0");
    assert_eq!(body("st.global.u64 [%a], %b;"), "1 0 0");
    assert_eq!(body("atom.global.add.u64 %d, [%a], %b;"), "1 0 0");
    assert_eq!(body("red.global.add.u64 [%c], %b;"), "0 0 1");
    assert_eq!(body("prefetch.global.L2 [%c];"), "0 0 1");
    let bulk = "cvt.u32.u64 %x, %b; cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes
        [tile], [%a], %x, [tile+16];";
    assert_eq!(body(bulk), "1 0 0");
}

#[test]
fn a_number_is_no_address() {
    assert_eq!(body("setp.lt.u64 %p, %a, %b; st.global.u64 [%c], %a;"), "0 0 1");
    assert_eq!(body("mul.lo.u64 %d, %a, %b; add.u64 %d, %d, %c; ld.global.u32 %x, [%d];"), "0 0 1");
    assert_eq!(body("mad.lo.u64 %d, %a, %b, %c; ld.global.u32 %x, [%d];"), "0 0 1");
    assert_eq!(body("shl.b64 %d, %a, 3; add.u64 %d, %d, %c; ld.global.u32 %x, [%d];"), "0 0 1");
    assert_eq!(body("cvt.rn.f64.u64 %f, %a; st.global.f64 [%b], %f;"), "0 1 0");
    // What is subtracted is a distance.
    assert_eq!(body("sub.u64 %d, %a, %b; ld.global.u32 %x, [%d];"), "1 0 0");
    // An address of shared memory opens nothing of the host's.
    assert_eq!(body("st.shared.u64 [%a], %b;"), "0 0 0");
}

#[test]
fn an_address_is_followed_through_arithmetic() {
    assert_eq!(body("add.u64 %d, %a, %b; ld.global.u32 %x, [%d];"), "1 1 0");
    assert_eq!(body("cvta.to.global.u64 %d, %a; mov.u64 %e, %d; ld.global.u32 %x, [%e];"), "1 0 0");
    assert_eq!(body("setp.eq.u64 %p, %c, 0; selp.b64 %d, %a, %b, %p; ld.global.u32 %x, [%d];"), "1 1 0");
    assert_eq!(body("mov.b64 {%x, %y}, %a; mov.b64 %d, {%x, %y}; ld.u32 %x, [%d];"), "1 0 0");
    assert_eq!(body("and.b64 %d, %a, -16; ld.u32 %x, [%d];"), "1 0 0");
    // The order of the instructions does not matter: there may be a loop.
    assert_eq!(body("again: ld.u32 %x, [%d]; mov.u64 %d, %b; bra again;"), "0 1 0");
}

#[test]
fn an_address_is_followed_through_the_threads_own_memory_but_not_through_global_memory() {
    assert_eq!(body("st.local.u64 [stack+8], %a; ld.local.u64 %d, [stack+8]; ld.u32 %x, [%d];"), "1 0 0");
    assert_eq!(body("st.shared.u64 [tile], %b; ld.shared.u64 %d, [tile]; ld.u32 %x, [%d];"), "0 1 0");
    let spilled =
        "mov.u64 %e, stack; cvta.local.u64 %e, %e; st.u64 [%e+8], %c; ld.u64 %d, [%e+8]; ld.u32 %x, [%d];";
    assert!(body(spilled).ends_with('1'));
    assert_eq!(body("st.global.u64 [%a], %b; ld.global.u64 %d, [%a]; ld.global.u32 %x, [%d];"), "1 0 0");
}

#[test]
fn each_word_of_a_structure_is_judged_by_itself() {
    let structure = |body: &str| {
        words(&format!(
            ".visible .entry k(.param .align 8 .b8 s[40], .param .u32 n) {{
                .reg .b64 %a, %b; .reg .b32 %x, %y;
                {body}
                ret; }}"
        ))
    };
    assert_eq!(structure("ld.param.u64 %a, [s+16]; ld.u32 %x, [%a];"), "00100 ");
    assert_eq!(structure("ld.param.v2.u64 {%a, %b}, [s+16]; ld.u32 %x, [%b];"), "00010 ");
    let halves = "ld.param.v2.u32 {%x, %y}, [s+8]; mov.b64 %a, {%x, %y}; ld.u32 %x, [%a];";
    assert_eq!(structure(halves), "01000 ");
    assert_eq!(structure("ld.param.u32 %x, [s+8]; cvt.u64.u32 %a, %x; ld.u32 %x, [%a];"), "00000 ");
    // Whoever has its address may mean any of its words.
    let array = "ld.param.u32 %x, [n]; mul.wide.u32 %b, %x, 8; mov.b64 %a, s; add.u64 %a, %a, %b;
        ld.param.u64 %a, [%a]; ld.global.u32 %x, [%a];";
    assert_eq!(structure(array), "11111 ");
}

#[test]
fn a_tensor_map_holds_an_address() {
    let copy = |instruction: &str| {
        words(&format!(
            ".visible .entry k(.param .align 64 .b8 map[128], .param .u64 n) {{
                .reg .b64 %m, %n; .reg .b32 %x; .shared .align 128 .b8 tile[1024];
                ld.param.u64 %n, [n]; mov.b64 %m, map; cvta.param.u64 %m, %m; cvt.u32.u64 %x, %n;
                {instruction}
                ret; }}"
        ))
    };
    let load = "cp.async.bulk.tensor.1d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
        [tile], [%m, {%x}], [tile+512];";
    assert_eq!(copy(load), "1111111111111111 0");
    assert_eq!(copy("st.shared.u64 [tile], %n;"), "0000000000000000 0");
}

#[test]
fn an_address_is_followed_into_functions_and_out_of_them() {
    let functions = ".func (.param .u64 out) later(.param .u64 at, .param .u64 n) {
            .reg .b64 %a, %n; ld.param.u64 %a, [at]; ld.param.u64 %n, [n];
            mad.lo.u64 %a, %n, 8, %a; st.param.u64 [out], %a; ret; }
        .func use(.reg .u64 at) { .reg .b32 %x; ld.u32 %x, [at]; ret; }";
    let entry = |body: &str| {
        words(&format!(
            "{functions}
            .visible .entry k(.param .u64 a, .param .u64 b) {{
                .reg .b64 %a, %b, %c, %f; .reg .b32 %x;
                .param .u64 p0; .param .u64 p1; .param .u64 r;
                ld.param.u64 %a, [a]; ld.param.u64 %b, [b];
                {body}
                ret; }}"
        ))
    };
    let call =
        "st.param.u64 [p0], %a; st.param.u64 [p1], %b; call (r), later, (p0, p1); ld.param.u64 %c, [r];";
    assert_eq!(entry(&format!("{call} ld.u32 %x, [%c];")), "1 0");
    assert_eq!(entry(call), "0 0");
    assert_eq!(entry("call use, (%b);"), "0 1");
    let indirect = "type: .callprototype _ (.reg .u64 _); mov.u64 %f, use; call %f, (%b), type;";
    assert_eq!(entry(indirect), "0 1");
}

#[test]
fn a_large_kernel_costs_no_more_than_its_size() {
    // The links of a chain, written so that each comes before the one that it takes from. Miri has time for few.
    const LINKS: usize = if cfg!(miri) { 100 } else { 10_000 };
    let mut text = String::from("ld.u32 %x, [%r0];\n");
    (0..LINKS).for_each(|link| text.push_str(&format!("add.u64 %r{link}, %r{}, 8;\n", link + 1)));
    let found = words(&format!(
        ".visible .entry k(.param .u64 a) {{ .reg .b64 %r<{}>; .reg .b32 %x;
            {text} ld.param.u64 %r{LINKS}, [a]; ret; }}",
        LINKS + 2
    ));
    assert_eq!(found, "1");
}
