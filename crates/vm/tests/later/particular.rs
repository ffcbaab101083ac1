//! Particular modules: what they declare twice or before it is there, what stands in odd places, how large they are.

use std::fmt::Write;

use super::{Count, LATER, compare};
use ptxvm_vm::{Device, KernelError, LaunchOptions, LoadError};

const HEAD: &str = ".version 9.1\n.target sm_90\n.address_size 64\n";

/// Texts without their head; all of them are compared with what they are at once.
const TEXTS: &[&str] = &[
    // Declared before, defined after, weak, visible, private.
    ".func (.param .b32 r) f(.param .b32 a);
     .visible .entry k(.param .u64 p) { .reg .b32 %r; .param .b32 x, y; st.param.b32 [x], 1;
       call (y), f, (x); ld.param.b32 %r, [y]; ret; }
     .func (.param .b32 r) f(.param .b32 a) { .reg .b32 %r; ld.param.b32 %r, [a]; st.param.b32 [r], %r; ret; }",
    ".weak .func f() { ret; } .visible .entry k() { call f; ret; }",
    ".extern .func f(); .visible .entry k() { call f; ret; } .visible .entry j() { ret; }",
    ".extern .func (.param .b32 r) vprintf(.param .b64 a, .param .b64 b);
     .global .b8 text[3] = {37, 100, 0};
     .entry k() { .reg .b64 %p; .param .b64 a, b; .param .b32 r; mov.b64 %p, text; cvta.global.u64 %p, %p;
       st.param.b64 [a], %p; st.param.b64 [b], 0; call (r), vprintf, (a, b); ret; }",
    // Used before they are declared; declared twice; a wrong body that nobody calls.
    ".entry k() { call f; ret; } .func f() { ret; }",
    ".entry k() { ret; } .entry k() { ret; }",
    ".func f() { ret; } .func f() { ret; } .entry k() { ret; }",
    ".global .u32 f; .func f() { ret; } .entry k() { ret; }",
    ".func f() { nonsense; } .entry k() { ret; }",
    ".func f() { nonsense; } .entry k() { call f; ret; } .entry j() { ret; }",
    ".func f(.param .b32 a) { ret; } .entry k() { call f; ret; }",
    // Aliases.
    ".visible .func f() { ret; } .visible .func g(); .alias g, f; .entry k() { call g; ret; } .entry j() { call f; ret; }",
    ".visible .func g(); .entry k() { call g; ret; } .visible .func f() { .shared .b32 s; st.shared.b32 [s], 1; ret; }
     .alias g, f;",
    // Addresses of functions are numbers of the whole module.
    ".func f() { ret; } .func g() { ret; } .entry j() { ret; }
     .entry k() { .reg .b64 %p; mov.b64 %p, g; p: .callprototype _ (); call %p, (), p; ret; }",
    ".func f() { .shared .b32 s; st.shared.b32 [s], 1; ret; } .func g() { ret; } .global .u64 t[2] = {g, f};
     .entry j() { ret; } .entry k() { .reg .b64 %p; ld.global.b64 %p, [t]; p: .callprototype _ (); call %p, (), p; ret; }",
    // Variables: of the module, of bodies, in chains, in ranges, not there.
    ".global .u32 a = 1; .global .u64 b = a; .global .u64 c[2] = {b, generic(a)}; .const .u32 d = 7;
     .shared .align 16 .b8 s[8]; .extern .shared .b8 e[]; .shared .u32 unused[100];
     .entry k() { .reg .b64 %p; .reg .b32 %r; ld.global.u64 %p, [c]; ld.const.u32 %r, [d]; st.shared.b32 [s], %r;
       st.shared.b32 [e], %r; ret; }
     .entry j() { .reg .b32 %r; .local .b32 l[4]; .shared .b32 own; st.local.b32 [l], 1; st.shared.b32 [own], 2; ret; }",
    ".global .u32 x<4>; .entry k() { .reg .b32 %r; ld.global.u32 %r, [x3]; ret; } .entry j() { ret; }",
    ".global .u32 x<4>; .entry k() { .reg .b32 %r; ld.global.u32 %r, [x4]; ret; } .entry j() { ret; }",
    ".global .u32 a, b = 4; .entry k() { .reg .b32 %r; ld.global.u32 %r, [b]; ret; }",
    ".extern .global .u32 x; .entry k() { .reg .b32 %r; ld.global.u32 %r, [x]; ret; }",
    ".extern .global .u32 x; .entry k() { .reg .b32 %r; ld.global.u32 %r, [x]; ret; } .visible .global .u32 x = 3;",
    ".entry k() { .global .u32 g = 3; .reg .b32 %r; ld.global.u32 %r, [g]; ret; }",
    ".entry k() { .extern .func f(); ret; } .entry j() { call f; ret; }",
    ".global .attribute(.managed) .u32 m; .entry k() { .reg .b32 %r; ld.global.u32 %r, [m]; ret; }",
    // Textures among parameters.
    ".global .texref t; .entry k(.param .texref p) { .reg .b32 %r<5>; .reg .b64 %q; mov.b64 %q, p;
       tex.1d.v4.s32.s32 {%r0, %r1, %r2, %r3}, [t, {%r4}]; ret; } .entry j(.param .u32 x) { ret; }",
    // Names of locals that are names of the module, too.
    ".global .u32 f; .func g() { .reg .b32 f; mov.b32 f, 1; ret; } .entry k(.param .u32 g) { .reg .b32 %r;
       ld.param.u32 %r, [g]; ret; }",
    // Comments, strings and braces.
    ".entry k() { /* } */ .pragma \"}{\"; // }\n ret; } /* { */ .entry j() { ret; }",
    ".entry k() { ret; } // .entry j() {",
    ".entry k() { /* ret; } .entry j() { ret; }",
    ".entry k() { ret; }} .entry j() { ret; }",
    ".entry k() { { ret; } .entry j() { ret; }",
    ".entry k() {{{ ret; }}} .entry j() { { } ret; }",
    ".entry k() { .pragma \"; ret; } .entry j() { ret; }",
    ".entry k()\n# 1 \"{\"\n{ ret;\n# 2 \"}\"\n}",
    ".entry k() { mov.b32 {, %r; } .entry j() { ret; }",
    ".entry k() .maxntid 32 .pragma \"x;{\"; { ret; }",
    ".func f .entry k() { ret; }",
    ".func (.param .b32 r) f (.param .b32 a) .noreturn ; .entry k() { ret; }",
    // Debugging directives.
    ".file 1 \"a.cu\" .file 2 \"b.cu\", 1, 2 .entry k() { .loc 1 2 3 ret; } .entry j() {
       .loc 1 5 6 ret; .loc 2 7 8, function_name S, inlined_at 1 5 6 ret; }
     .section .debug_str { S: .b8 102, 0 }",
    ".file 1 \"a.cu\" .entry k() { .loc 1 2 3 ret; } .entry j() { .loc 1 7 8, function_name S, inlined_at 1 2 3 ret; }
     .section .debug_str { S: .b8 102, 0 } .section .debug_info { .b32 S }",
    ".file 1 \"a.cu\" .entry k() { .loc 1 2 3 ret; .loc 1 2 4, function_name S, inlined_at 1 2 3 ret; }",
    ".file 1 \"a.cu\" .file 1 \"b.cu\" .entry k() { ret; }",
    ".pragma \"nounroll\"; .entry k() { ret; } .pragma \"unknown\";",
    // Registers that nobody has declared, and texts for other devices.
    ".entry k() { add.s32 %r1, %r1, 1; ret; } .entry j() { ret; }",
    ".entry k() { tcgen05.wait::ld.sync.aligned; ret; } .entry j() { ret; }",
    ".target sm_100a .entry k() { ret; }",
    ".entry k(); .entry k() { ret; }",
    ".entry k(); .entry j() { ret; }",
];

#[test]
fn particular_modules() {
    let mut count = Count::default();
    for text in TEXTS {
        if let Err(why) = compare(&format!("{HEAD}{text}\n"), &mut count) {
            panic!("{why}\n{text}");
        }
    }
    assert!(count.kernels > TEXTS.len() / 2 && count.wrong > 2, "{count:?}");
    let debug = ".version 9.1\n.target sm_90, debug\n.address_size 64\n.entry k() { ret; }\n";
    compare(debug, &mut count).expect("it has no section");
    compare(&format!("{debug}.section .debug_info {{ .b8 1 }}\n"), &mut count).expect("it has one");
}

/// A text with more of everything than compilers write; its kernels are asked for one by one.
fn ask(text: &str, kernels: impl Iterator<Item = String>) {
    let device = Device::default();
    let module = device.load_with(text, &LATER).expect("it is right");
    for name in kernels {
        module.kernel(&name).unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn many_functions_one_long_function_and_many_calls() {
    let mut text = HEAD.to_owned();
    for number in 0..50_000 {
        let _ = write!(text, ".entry k{number}(){{ret;}}");
    }
    ask(&text, (0..50_000).step_by(1_000).map(|number| format!("k{number}")));

    let mut text = format!("{HEAD}.entry k() {{ .reg .b32 %r<4>;\n");
    for _ in 0..200_000 {
        text.push_str("mad.lo.s32 %r1, %r2, %r3, %r1;\n");
    }
    text.push_str("ret; }\n.entry j() { ret; }");
    ask(&text, ["j", "k"].map(str::to_owned).into_iter());

    // Each function calls the one before, so that each kernel needs all of them: the whole is read soon.
    let mut text = format!("{HEAD}.func f0() {{ ret; }}\n");
    for number in 1..2_000 {
        let before = number - 1;
        let _ = writeln!(text, ".func f{number}() {{ call f{before}; ret; }}");
    }
    for number in 0..2_000 {
        let _ = writeln!(text, ".entry k{number}() {{ call f1999; ret; }}");
    }
    ask(&text, (0..2_000).step_by(100).map(|number| format!("k{number}")));
}

#[test]
fn a_wrong_function_is_told_when_it_is_asked_for() {
    let text = format!(
        "{HEAD}.entry right() {{ ret; }}\n.func f() {{\n  nonsense %r1;\n  ret; }}\n.entry wrong() {{ call f; ret; }}\n"
    );
    let device = Device::default();
    let module = device.load_with(&text, &LATER).expect("its declarations are right");
    let right = module.kernel("right").expect("it is right");
    right.launch(&LaunchOptions::new(1, 1)).expect("it does nothing");
    for _ in 0..2 {
        let error = module.kernel("wrong").expect_err("it calls a wrong function");
        let KernelError::Load(error) = error else { panic!("{error}") };
        let LoadError::Invalid(diagnostics) = *error else { panic!("{error}") };
        let place = module.place(diagnostics[0].primary.span);
        assert_eq!((place.line, place.column), (6, 3));
    }
    assert!(matches!(module.kernel("none"), Err(KernelError::Unknown { .. })));
    assert!(device.load(&text).is_err(), "it is wrong");
}
