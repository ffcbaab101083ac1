//! The litmus tests of `tests/litmus`: each file says in comments what the models answer, and the answers are compared.
//!
//! `// ptx-9.1: yes` means that the test's statement is true by that model, `no` that it is not; `// ptx-9.1 ends: no` that
//! an execution may go on for ever. Files in `invalid` say where they are wrong: `// error: E0703 4:2`.

use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use ptxvm_isa::ISA;
use ptxvm_model::test::Test;
use ptxvm_model::{Limits, decide, herd, model, ptx, search};
use ptxvm_syntax::{Diagnostic, Interner, LineIndex};

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus")
}

fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("a folder").flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "litmus" || extension == "ptx") {
            found.push(path);
        }
    }
}

/// The litmus test of a file, in either format.
fn read(path: &Path, text: &str) -> Result<Test, Vec<Diagnostic>> {
    if path.extension().is_some_and(|extension| extension == "litmus") {
        return herd::parse(text);
    }
    let parsed = ptxvm_syntax::parse(text, &Interner::with_words(ISA.words));
    let checked = ptxvm_module::check(&parsed.file, text, &ISA, &ptxvm_module::Options::default());
    assert!(checked.diagnostics.is_empty(), "{}: {:?}", path.display(), checked.diagnostics);
    let program = ptxvm_ir::lower(&parsed.file, text, &checked.module, &ISA).expect("a program");
    ptx::read(&program, text)
}

/// The comments of a file that are statements: what stands before and after the colon.
fn statements(text: &str) -> Vec<(&str, &str)> {
    let comments = text.lines().filter_map(|line| line.strip_prefix("// "));
    comments
        .filter_map(|comment| comment.split_once(": "))
        .filter(|(head, _)| head.starts_with("ptx-") || head.starts_with("sc") || *head == "error")
        .collect()
}

#[test]
fn every_verdict_is_the_one_in_the_file() {
    let mut all = Vec::new();
    files(&folder(), &mut all);
    let valid: Vec<&PathBuf> =
        all.iter().filter(|path| !path.components().any(|c| c.as_os_str() == "invalid")).collect();
    let mut wrong = Vec::new();
    let mut verdicts = 0;
    for path in &valid {
        let text = std::fs::read_to_string(path).expect("a litmus test");
        let test = match read(path, &text) {
            Ok(test) => test,
            Err(errors) => {
                wrong.push(format!("{}: {}", path.display(), errors[0].message));
                continue;
            }
        };
        let statements = statements(&text);
        assert!(!statements.is_empty(), "{} says no verdict", path.display());
        for (head, expected) in statements {
            let (name, ends) = head.split_once(' ').map_or((head, false), |(name, _)| (name, true));
            let model = model(name).unwrap_or_else(|| panic!("{}: no model {name}", path.display()));
            let start = Instant::now();
            let holds = if ends {
                search::hang(&test, model, &Limits::default()).map(|(hang, _)| hang.is_none())
            } else {
                decide(&test, model, &Limits::default()).map(|verdict| verdict.holds)
            };
            let took = start.elapsed();
            assert!(took < Duration::from_secs(10), "{} took {took:?}", path.display());
            verdicts += 1;
            let ours = match holds {
                Ok(true) => "yes".to_owned(),
                Ok(false) => "no".to_owned(),
                Err(reason) => reason.to_string(),
            };
            if ours != expected {
                wrong.push(format!("{}: {head}: expected {expected}, found {ours}", path.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(verdicts >= valid.len());
}

#[test]
fn every_invalid_file_is_wrong_where_it_says() {
    let mut all = Vec::new();
    files(&folder().join("invalid"), &mut all);
    assert!(!all.is_empty());
    for path in all {
        let text = std::fs::read_to_string(&path).expect("a litmus test");
        let errors = read(&path, &text).err().unwrap_or_default();
        let lines = LineIndex::new(&text);
        let found: Vec<String> = errors
            .iter()
            .map(|error| {
                let place = lines.line_column(&text, error.primary.span.start);
                format!("{} {}:{}", error.code, place.line, place.column)
            })
            .collect();
        let expected: Vec<&str> = statements(&text).into_iter().map(|(_, place)| place).collect();
        assert_eq!(found, expected, "{}", path.display());
    }
}
