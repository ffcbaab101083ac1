//! Small modules and the text of their programs: `tests/ir/NAME.ptx` must be lowered to `NAME.ir`. Where there is a
//! `NAME.flow`, the listing with what is known of the flow must be that.
//!
//! `PTXVM_BLESS=1 cargo test -p ptxvm-ir --test text` writes what is found; read it before you keep it.

use std::path::Path;

use ptxvm_ir::{Listing, Program};
use ptxvm_isa::ISA;
use ptxvm_module::{Options, check};
use ptxvm_syntax::{Interner, Severity};

/// The text of the program, or what is wrong.
fn text(source: &str, shown: impl Fn(&Program) -> String) -> String {
    let parsed = ptxvm_syntax::parse(source, &Interner::with_words(ISA.words));
    let checked = check(&parsed.file, source, &ISA, &Options::default());
    let diagnostics = parsed.diagnostics.iter().chain(&checked.diagnostics);
    let errors: Vec<_> = diagnostics.filter(|d| d.severity == Severity::Error).collect();
    if !errors.is_empty() {
        return format!("{errors:#?}\n");
    }
    match ptxvm_ir::lower(&parsed.file, source, &checked.module, &ISA) {
        Ok(program) => shown(&program),
        Err(problems) => {
            problems.iter().map(|p| format!("{:?}: `{}`: {p}\n", p.kind, p.span.text(source))).collect()
        }
    }
}

/// The first line that differs from the file, which is written if that is asked for.
fn difference(found: &str, beside: &Path) -> Option<String> {
    if std::env::var_os("PTXVM_BLESS").is_some() {
        std::fs::write(beside, found).expect("the expectation can be written");
        return None;
    }
    let expected = std::fs::read_to_string(beside).unwrap_or_default();
    let end = || std::iter::repeat("(end)");
    let lines = found.lines().chain(end()).zip(expected.lines().chain(end()));
    let count = found.lines().count().max(expected.lines().count());
    let (at, (found, expected)) = lines.take(count).enumerate().find(|(_, (a, b))| a != b)?;
    Some(format!("{}:{}\n  expected {expected}\n  found    {found}", beside.display(), at + 1))
}

#[test]
fn programs_read_as_they_should() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/ir");
    let mut paths: Vec<_> = std::fs::read_dir(folder)
        .expect("the folder of the tests")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == "ptx"));
    paths.sort();
    assert!(!paths.is_empty());
    let mut wrong = Vec::new();
    for path in paths {
        let source = std::fs::read_to_string(&path).expect("a module's text");
        wrong.extend(difference(&text(&source, Program::to_string), &path.with_extension("ir")));
        let listing = path.with_extension("flow");
        if listing.exists() {
            wrong.extend(difference(&text(&source, |program| Listing(program).to_string()), &listing));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
