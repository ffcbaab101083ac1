//! Small modules with ptxas's verdict on each: `tests/ptx/valid` must pass, `tests/ptx/invalid` must be refused with
//! the code that is written there, and the examples on the pages of `docs/diagnostics` must mean what they say.
//!
//! A file holds many modules, separated by a line `// ---`. Each begins with `// ptxas: ok` or
//! `// ptxas: error E0202`, where the code is that of our first error.

use std::path::{Path, PathBuf};

use ptxvm_isa::ISA;
use ptxvm_module::{Options, codes};
use ptxvm_syntax::{Interner, Severity};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// The codes of the errors in a module, in source order.
fn errors(source: &str, words: &Interner) -> Vec<String> {
    let parsed = ptxvm_syntax::parse(source, words);
    let checked = ptxvm_module::check(&parsed.file, source, &ISA, &Options::default());
    let mut found: Vec<_> = parsed.diagnostics.iter().chain(&checked.diagnostics).collect();
    found.retain(|diagnostic| diagnostic.severity == Severity::Error);
    found.sort_by_key(|diagnostic| diagnostic.primary.span.start);
    found.iter().map(|diagnostic| diagnostic.code.to_string()).collect()
}

fn files(folder: &str, extension: &str) -> Vec<(String, String)> {
    let entries = std::fs::read_dir(root().join(folder)).expect("the folder of the tests");
    let mut paths: Vec<PathBuf> = entries.flatten().map(|entry| entry.path()).collect();
    paths.retain(|path| path.extension().is_some_and(|found| found == extension));
    paths.sort();
    let read = |path: PathBuf| {
        let name = path.file_name().map(|name| name.to_string_lossy().into_owned()).unwrap_or_default();
        (name, std::fs::read_to_string(path).expect("a test's text"))
    };
    paths.into_iter().map(read).collect()
}

/// Runs every module of a folder; `judge` says what is wrong with our verdict.
fn modules(folder: &str, judge: impl Fn(&str, &[String]) -> Option<String>) {
    let words = Interner::with_words(ISA.words);
    let mut wrong = Vec::new();
    let mut count = 0;
    for (name, text) in files(folder, "ptx") {
        for module in text.split("// ---\n") {
            let Some(verdict) = module.trim_start().lines().next().and_then(|l| l.strip_prefix("// ptxas: "))
            else {
                continue;
            };
            count += 1;
            if let Some(complaint) = judge(verdict, &errors(module, &words)) {
                wrong.push(format!("{name}: {complaint}\n{module}"));
            }
        }
    }
    assert!(count > 0, "no module in {folder}");
    assert!(wrong.is_empty(), "{} of {count} modules:\n{}", wrong.len(), wrong.join("\n"));
}

#[test]
fn what_ptxas_accepts_is_accepted() {
    modules("tests/ptx/valid", |_, errors| (!errors.is_empty()).then(|| format!("refused with {errors:?}")));
}

#[test]
fn what_ptxas_refuses_is_refused() {
    modules("tests/ptx/invalid", |verdict, errors| {
        let code = verdict.strip_prefix("error ").unwrap_or(verdict);
        (errors.first().map(String::as_str) != Some(code))
            .then(|| format!("{code} expected, found {errors:?}"))
    });
}

/// The indented lines below a line of a page.
fn example(page: &str, title: &str) -> String {
    let below = page.split_once(&format!("\n{title}:\n")).map_or("", |(_, rest)| rest);
    let lines = below.lines().skip_while(|line| line.is_empty());
    let code: Vec<&str> = lines
        .take_while(|line| line.is_empty() || line.starts_with("    "))
        .map(|l| l.get(4..).unwrap_or(""))
        .collect();
    code.join("\n")
}

#[test]
fn every_code_has_a_page_whose_examples_hold() {
    let words = Interner::with_words(ISA.words);
    let pages = files("docs/diagnostics", "md");
    for (code, title) in codes::TABLE {
        let file = format!("{code}.md");
        let Some((_, page)) = pages.iter().find(|(name, _)| *name == file) else {
            panic!("{file} is missing")
        };
        let heading = page.lines().next().unwrap_or_default();
        assert_eq!(heading.to_lowercase(), format!("# {code}: {title}").to_lowercase());
        let whole = |title: &str| {
            let code = example(page, title);
            let head = ".version 9.1\n.target sm_90a\n.address_size 64\n";
            if code.contains(".version") || code.starts_with(".target") {
                code
            } else {
                format!("{head}{code}\n")
            }
        };
        let found = errors(&whole("Wrong"), &words);
        assert!(found.contains(&code.to_string()), "{file}: the wrong example gives {found:?}");
        let found = errors(&whole("Right"), &words);
        assert!(found.is_empty(), "{file}: the right example gives {found:?}");
    }
}
