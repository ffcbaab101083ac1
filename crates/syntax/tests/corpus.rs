//! Every file of the corpus parses without a word, and survives printing and formatting.

use std::path::{Path, PathBuf};

use ptxvm_syntax::ast::File;
use ptxvm_syntax::{Interner, fmt, parse, print, same_tree};

/// The `.ptx` files below a folder, in order.
fn files(folder: &Path, found: &mut Vec<PathBuf>) {
    let Ok(entries) = std::fs::read_dir(folder) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            files(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            found.push(path);
        }
    }
    found.sort();
}

fn comments(file: &File, source: &str) -> Vec<String> {
    file.trivia.iter().map(|trivia| trivia.span.text(source).trim_end().to_owned()).collect()
}

fn check(path: &Path, words: &Interner) {
    let name = path.display();
    let source = std::fs::read_to_string(path).expect("the corpus is UTF-8");
    let parsed = parse(&source, words);
    assert!(parsed.diagnostics.is_empty(), "{name}: {:?}", parsed.diagnostics[0]);
    let printed = print(&parsed.file, &source);
    let again = parse(&printed, words);
    assert!(again.is_ok(), "{name}: the printed text has errors: {:?}", again.diagnostics[0]);
    assert!(same_tree(&parsed.file, &source, &again.file, &printed), "{name}: printing changes the tree");
    assert_eq!(fmt(&printed, words).ok(), Some(printed.clone()), "{name}: the printed text is not tidy");

    let formatted = fmt(&source, words).expect("the source has no errors");
    let again = parse(&formatted, words);
    assert!(same_tree(&parsed.file, &source, &again.file, &formatted), "{name}: formatting changes the tree");
    assert!(
        comments(&parsed.file, &source) == comments(&again.file, &formatted),
        "{name}: formatting loses a comment"
    );
    let twice = fmt(&formatted, words).expect("formatting makes no errors");
    assert!(formatted == twice, "{name}: formatting twice is not formatting once");
}

#[test]
fn compilers_output() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/corpus");
    let mut found = Vec::new();
    files(&folder, &mut found);
    assert!(found.len() >= 100, "the corpus is missing from {}", folder.display());
    let words = Interner::with_words(&["add", "s32", "mov", "L2::cache_hint"]);
    for path in &found {
        check(path, &words);
    }
}

/// Files written to hold every construct, and comments in odd places.
#[test]
fn samples() {
    let mut found = Vec::new();
    files(&Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data"), &mut found);
    assert!(!found.is_empty());
    for path in &found {
        check(path, &Interner::default());
    }
}
