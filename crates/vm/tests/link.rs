//! Linking: which definition a name means when several texts become one module, and what cannot be linked.

use ptxvm_vm::{
    Buffer, Device, Failure, LaunchOptions, LinkProblem, LoadError, LoadOptions, Module, Profile,
};

const HEAD: &str = ".version 9.1\n.target sm_80\n.address_size 64\n";

fn link(texts: &[(&str, &str)]) -> Result<Module, LoadError> {
    link_on(&Device::default(), texts)
}

fn link_on(device: &Device, texts: &[(&str, &str)]) -> Result<Module, LoadError> {
    let texts: Vec<(&str, String)> =
        texts.iter().map(|(name, text)| (*name, format!("{HEAD}{text}"))).collect();
    let texts: Vec<(&str, &str)> = texts.iter().map(|(name, text)| (*name, text.as_str())).collect();
    device.load_linked(&texts)
}

fn problems(texts: &[(&str, &str)]) -> Vec<LinkProblem> {
    match link(texts) {
        Err(LoadError::Link(problems)) => problems,
        other => panic!("{other:?}"),
    }
}

/// What the kernel `k(out)` of linked texts stores as its first word.
fn word(texts: &[(&str, &str)]) -> u32 {
    let device = Device::default();
    let module = link_on(&device, texts).unwrap_or_else(|error| panic!("{error}"));
    let out = Buffer::new(&device, 4).expect("memory");
    module
        .kernel("k")
        .expect("it is there")
        .launch(&LaunchOptions::new(1, 1).argument(&out))
        .unwrap_or_else(|failure| panic!("{failure}"));
    out.to_vec::<u32>()[0]
}

/// A kernel that stores what a function without parameters gives.
const CALLER: &str = ".extern .func (.param .b32 r) f();\n\
    .visible .entry k(.param .u64 out) { .reg .b64 %p; .reg .b32 %v; .param .b32 r;\n\
    ld.param.u64 %p, [out]; call (r), f; ld.param.b32 %v, [r]; st.global.u32 [%p], %v; ret; }";

/// A kernel that stores the first word of a variable.
const READER: &str = ".extern .global .align 4 .b8 x[];\n\
    .visible .entry k(.param .u64 out) { .reg .b64 %p; .reg .b32 %v;\n\
    ld.param.u64 %p, [out]; ld.global.u32 %v, [x]; st.global.u32 [%p], %v; ret; }";

fn giving(linkage: &str, value: u32) -> String {
    format!("{linkage} .func (.param .b32 r) f() {{ st.param.b32 [r], {value}; ret; }}")
}

#[test]
fn names_are_found_in_other_texts() {
    assert_eq!(word(&[("a", CALLER), ("b", &giving(".visible", 7))]), 7);
    assert_eq!(word(&[("b", &giving(".visible", 7)), ("a", CALLER)]), 7);
    assert_eq!(word(&[("a", READER), ("b", ".visible .global .u32 x = 9;")]), 9);
    let reader =
        READER.replace(".global .align", ".const .align").replace("ld.global.u32 %v", "ld.const.u32 %v");
    assert_eq!(word(&[("a", &reader), ("b", ".visible .const .u32 x[2] = {5, 6};")]), 5);
}

#[test]
fn a_private_name_is_nobody_elses() {
    // Both texts have an `x` and an `f` of their own.
    let caller = ".global .u32 x = 1;\n.func (.param .b32 r) f() { .reg .b32 %v; ld.global.u32 %v, [x]; st.param.b32 [r], %v; ret; }\n\
        .extern .func (.param .b32 r) g();\n\
        .visible .entry k(.param .u64 out) { .reg .b64 %p; .reg .b32 %v<2>; .param .b32 r; .param .b32 s;\n\
        ld.param.u64 %p, [out]; call (r), f; call (s), g; ld.param.b32 %v0, [r]; ld.param.b32 %v1, [s];\n\
        shl.b32 %v1, %v1, 8; or.b32 %v0, %v0, %v1; st.global.u32 [%p], %v0; ret; }";
    let callee = ".global .u32 x = 2;\n.func (.param .b32 r) f() { .reg .b32 %v; ld.global.u32 %v, [x]; st.param.b32 [r], %v; ret; }\n\
        .visible .func (.param .b32 r) g() { .reg .b32 %v; .param .b32 s; call (s), f; ld.param.b32 %v, [s]; st.param.b32 [r], %v; ret; }";
    assert_eq!(word(&[("a", caller), ("b", callee)]), 0x201);
    assert_eq!(word(&[("b", callee), ("a", caller)]), 0x201);
    match link(&[("a", CALLER), ("b", &giving("", 7))]) {
        Err(LoadError::Unresolved(names)) => assert_eq!(names, ["f"]),
        other => panic!("{other:?}"),
    }
}

#[test]
fn weak_definitions_give_way() {
    let weak = |value| giving(".weak", value);
    assert_eq!(word(&[("a", CALLER), ("b", &weak(1)), ("c", &weak(2))]), 1);
    assert_eq!(word(&[("a", CALLER), ("b", &weak(1)), ("c", &giving(".visible", 3)), ("d", &weak(2))]), 3);
    // A text that has a weak definition of its own uses the one that counts for all.
    let both = format!("{}\n{}", weak(1), CALLER.split_once('\n').expect("two lines").1);
    assert_eq!(word(&[("a", &giving(".visible", 4)), ("b", &both)]), 4);
    assert_eq!(
        word(&[("a", READER), ("b", ".weak .global .u32 x = 1;"), ("c", ".weak .global .u32 x = 2;")]),
        1
    );
}

#[test]
fn common_variables_are_one_as_large_as_the_largest() {
    let device = Device::default();
    let texts = [("a", ".common .global .b8 x[4];"), ("b", ".common .global .align 8 .b8 x[16];")];
    let module = link_on(&device, &texts).expect("they are one");
    let all: Vec<_> = module.variables().collect();
    assert_eq!(all.len(), 1);
    assert_eq!((all[0].name, all[0].size, all[0].address % 8), ("x", 16, 0));
    let initial = [("a", READER), ("b", ".common .global .u32 x;"), ("c", ".visible .global .u32 x = 6;")];
    assert_eq!(word(&initial), 6);
}

#[test]
fn initialisers_lead_to_other_texts() {
    let device = Device::default();
    let table = ".extern .global .u32 x[];\n.extern .func f();\n.func g() { ret; }\n\
        .visible .global .u64 table[3] = {generic(x)+4, f, g};";
    let others = ".visible .global .u32 before;\n.visible .global .u32 x[2];\n.visible .func f() { ret; }";
    let module = link_on(&device, &[("a", table), ("b", others)]).unwrap_or_else(|error| panic!("{error}"));
    let (table, _) = module.variable("table").expect("declared");
    let (x, size) = module.variable("x").expect("declared");
    let mut bytes = [0; 24];
    device.read(table, &mut bytes).expect("allocated");
    let words: Vec<u64> = bytes.as_chunks::<8>().0.iter().map(|b| u64::from_le_bytes(*b)).collect();
    assert_eq!((size, words[0]), (8, x + 4));
    assert_ne!(words[1], words[2]);
}

#[test]
fn an_alias_is_found_too() {
    let callee = ".visible .func (.param .b32 r) g() { st.param.b32 [r], 8; ret; }\n\
        .visible .func (.param .b32 r) f();\n.alias f, g;";
    assert_eq!(word(&[("a", CALLER), ("b", callee)]), 8);
}

#[test]
fn dynamic_shared_memory_is_one() {
    let writer = ".extern .shared .align 16 .b8 smem[];\n\
        .visible .func put() { .reg .b32 %r; mov.u32 %r, smem; st.shared.u32 [%r+8], 77; ret; }";
    let reader = ".extern .shared .align 4 .b8 smem[];\n.extern .func put();\n\
        .visible .entry k(.param .u64 out) { .shared .b8 own[3]; .reg .b64 %p; .reg .b32 %v;\n\
        mov.u32 %v, own; st.shared.u8 [%v], 1; call put;\n\
        ld.param.u64 %p, [out]; ld.shared.u32 %v, [smem+8]; st.global.u32 [%p], %v; ret; }";
    let device = Device::default();
    let module = link_on(&device, &[("reader", reader), ("writer", writer)]).expect("they link");
    let out = Buffer::new(&device, 4).expect("memory");
    let launch = LaunchOptions { shared: 16, ..LaunchOptions::new(1, 1).argument(&out) };
    module.kernel("k").expect("there").launch(&launch).unwrap_or_else(|failure| panic!("{failure}"));
    assert_eq!(out.to_vec::<u32>(), [77]);
}

#[test]
fn two_definitions_are_an_error_that_names_both() {
    let found = problems(&[("a.ptx", &giving(".visible", 1)), ("b.ptx", &giving(".visible", 1))]);
    let parts = ["a.ptx".to_owned(), "b.ptx".to_owned()];
    assert_eq!(found, [LinkProblem::Duplicate { name: "f".into(), parts }]);
    assert_eq!(found[0].to_string(), "`f` is defined in a.ptx and in b.ptx");
    let kernel = ".visible .entry k() { ret; }";
    assert!(matches!(problems(&[("a", kernel), ("b", kernel)])[..], [LinkProblem::Duplicate { .. }]));
}

#[test]
fn texts_that_disagree_are_an_error() {
    let differs = |a: &str, b: &str| match &problems(&[("a", a), ("b", b)])[..] {
        [LinkProblem::Mismatch { name, parts, what }] => {
            assert_eq!(parts.each_ref().map(String::as_str), ["b", "a"]);
            (name.clone(), what.clone())
        }
        other => panic!("{other:?}"),
    };
    let wide = giving(".visible", 1).replace("b32", "b64");
    assert_eq!(
        differs(CALLER, &wide),
        ("f".into(), "number 1 of its results has 8 bytes in one and 4 in the other".into())
    );
    let two = ".visible .func (.param .b32 r) f(.param .b32 a) { st.param.b32 [r], 1; ret; }";
    assert_eq!(differs(CALLER, two).1, "one has 1 parameters, the other 0");
    assert_eq!(differs(CALLER, ".visible .global .u32 f;").1, "one is a function, the other a variable");
    assert_eq!(differs(READER, ".visible .const .u32 x;").1, "it is in different state spaces");
    let sized = READER.replace("x[]", "x[4]");
    assert_eq!(differs(&sized, ".visible .global .u64 x;").1, "it has 8 bytes in one and 4 in the other");
}

#[test]
fn each_text_must_be_right_and_for_the_device() {
    match link(&[("good", ""), ("bad", ".visible .entry k() { add.s32 %a; }")]) {
        Err(LoadError::Part { name, error }) => {
            assert_eq!(name, "bad");
            assert!(matches!(*error, LoadError::Invalid(_)));
        }
        other => panic!("{other:?}"),
    }
    let other = HEAD.replace("sm_80", "sm_100a");
    match Device::default().load_linked(&[("here", HEAD), ("there", &other)]) {
        Err(LoadError::Part { name, error }) => {
            assert_eq!(name, "there");
            assert!(matches!(*error, LoadError::Target { name: "h200", .. }));
        }
        other => panic!("{other:?}"),
    }
    assert!(Device::default().load_linked(&[]).is_err());
    assert!(matches!(link(&[("a", READER)]), Err(LoadError::Unresolved(names)) if names == ["x"]));
}

#[test]
fn a_finding_names_the_text_and_its_own_line() {
    let callee = "// a comment\n.visible .func (.param .b32 r) f() { .reg .b64 %p; mov.u64 %p, 0;\n\
        st.global.u32 [%p], 1;\nst.param.b32 [r], 1; ret; }";
    let device = Device::default();
    let module = link_on(&device, &[("a.ptx", CALLER), ("b.ptx", callee)]).expect("they link");
    let out = Buffer::new(&device, 4).expect("memory");
    match module.kernel("k").expect("there").launch(&LaunchOptions::new(1, 1).argument(&out)) {
        Err(Failure::Finding(finding)) => {
            let place = finding.place.expect("a place");
            let (text, at) = module.place_in_text(place.span);
            assert_eq!((text, at.line, at.column), ("b.ptx", 6, 1));
            assert!(module.source()[place.span.start as usize..].starts_with("st.global"));
        }
        other => panic!("{other:?}"),
    }
    assert_eq!(module.texts().len(), 2);
}

#[test]
fn a_newer_version_is_taken_if_it_is_asked_for() {
    let device = Device::new(Profile::named("h200").expect("a profile"));
    let newer = LoadOptions { newer: true, any_target: false, bodies_later: None };
    let source = |version: &str| format!(".version {version}\n.target sm_90\n.address_size 64\n");
    assert!(device.load(&source("9.5")).is_err());
    let module = device.load_with(&source("9.5"), &newer).expect("it is taken for 9.4");
    assert_eq!(module.warnings().iter().map(|w| w.code.0).collect::<Vec<_>>(), ["W0302"]);
    assert!(device.load_with(&source("10.0"), &newer).is_err());
    assert!(device.load_with(&source("8.9"), &newer).is_err());
    let unknown = source("9.5") + ".visible .entry k() { .reg .b32 %r; brandnew.b32 %r, %r; ret; }";
    assert!(matches!(device.load_with(&unknown, &newer), Err(LoadError::Invalid(_))));
    // A warning of the second text stands where that text stands.
    let linked =
        device.load_linked_with(&[("a", &source("9.1")), ("b", &source("9.9"))], &newer).expect("both");
    let (text, at) = linked.place_in_text(linked.warnings()[0].primary.span);
    assert_eq!((text, at.line, at.column), ("b", 1, 10));
}
