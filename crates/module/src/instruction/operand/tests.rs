//! ptxas 13.1's verdicts on operands: one instruction per line, with the code of our diagnostic where ptxas refuses it.

use ptxvm_isa::ISA;
use ptxvm_syntax::{Interner, Severity};

use crate::{Options, check};

/// What stands before the instructions; each then has a line of its own.
const BEFORE: &str = "\
.version 9.1
.target sm_90a
.address_size 64
.global .align 128 .b8 gl[1024]; .global .b32 gb32; .global .u32 garr[16]; .const .align 128 .b8 co[1024];
.global .texref tx; .global .surfref su;
.func (.reg .b32 o) fn(.reg .b32 i) { ret; }
.visible .entry k(.param .align 128 .b8 pa[1024], .param .b64 p64)
{
.reg .pred %p<10>; .reg .b8 %c<10>; .reg .b16 %h<10>; .reg .f16 %hf<10>; .reg .f16x2 %hx<10>;
.reg .b32 %r<10>; .reg .u32 %ru<10>; .reg .s32 %rs<10>; .reg .f32 %f<10>;
.reg .b64 %rd<10>; .reg .u64 %rdu<10>; .reg .f64 %fd<10>; .reg .b128 %q<10>;
.reg .v2 .b32 v2b; .reg .v4 .f32 v4f;
.shared .align 128 .b8 sm[1024]; .shared .u32 sarr[16]; .local .align 128 .b8 lo[1024]; .param .b32 arg;
lab:
";

#[test]
fn operands_are_judged_as_ptxas_does() {
    let words = Interner::with_words(ISA.words);
    let mut wrong = Vec::new();
    for line in include_str!("verdicts.txt").lines().filter(|line| !line.starts_with('#')) {
        let (wanted, instruction) = line.split_once(' ').expect("a verdict and an instruction");
        let source = format!("{BEFORE}{instruction}\nret;\n}}\n");
        let parsed = ptxvm_syntax::parse(&source, &words);
        let checked = check(&parsed.file, &source, &ISA, &Options::default());
        let first =
            parsed.diagnostics.iter().chain(&checked.diagnostics).find(|d| d.severity == Severity::Error);
        let found = first.map_or("ok", |diagnostic| diagnostic.code.0);
        if found != wanted {
            let why = first.map_or("", |diagnostic| &diagnostic.message);
            wrong.push(format!("{wanted} expected, {found} found: {} {why}", instruction.trim()));
        }
    }
    assert!(wrong.is_empty(), "{} lines:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn every_code_has_a_page() {
    let folder = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/diagnostics");
    for (code, title) in super::describe::CODES {
        let page = std::fs::read_to_string(folder.join(format!("{code}.md"))).unwrap_or_default();
        assert!(page.starts_with(&format!("# {code}: {title}\n")), "the page of {code}");
    }
}
