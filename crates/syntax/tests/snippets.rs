//! Small pieces of PTX and what the parser says of each.
//!
//! A line of `data/statements.txt` is a piece of a kernel's body, a line of `data/modules.txt` a whole
//! module; `\n`, `\t`, `\r`, `\\` and `\xNN` stand for themselves. Before the bar stand the codes
//! expected, or `ok`. Every line has been put to ptxas 13.1: it accepts what is `ok` here, or refuses
//! it for its meaning, which is not the parser's business. `BLESS=1 cargo test` rewrites the codes.

use std::fmt::Write;
use std::path::Path;

use ptxvm_syntax::{Interner, parse, same_tree};

fn unescape(text: &str) -> String {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some('n') => out.push('\n'),
            Some('t') => out.push('\t'),
            Some('r') => out.push('\r'),
            Some('x') => {
                let digits: String = chars.by_ref().take(2).collect();
                let code = u32::from_str_radix(&digits, 16).expect("two hexadecimal digits");
                out.push(char::from_u32(code).expect("a character"));
            }
            Some(other) => out.push(other),
            None => panic!("a backslash ends {text:?}"),
        }
    }
    out
}

/// The codes of a source; its tree must survive printing and formatting if there are none.
fn codes(source: &str) -> String {
    let words = Interner::default();
    let parsed = parse(source, &words);
    if !parsed.is_ok() {
        let codes: Vec<&str> = parsed.diagnostics.iter().map(|diagnostic| diagnostic.code.0).collect();
        return codes.join(",");
    }
    let printed = ptxvm_syntax::print(&parsed.file, source);
    let again = parse(&printed, &words);
    assert!(again.is_ok(), "{source}\nis printed as\n{printed}");
    assert!(same_tree(&parsed.file, source, &again.file, &printed), "{source}\nis printed as\n{printed}");
    let formatted = ptxvm_syntax::fmt(source, &words).expect("the source has no errors");
    let again = parse(&formatted, &words);
    let same = same_tree(&parsed.file, source, &again.file, &formatted);
    assert!(same, "{source}\nis formatted as\n{formatted}");
    let twice = ptxvm_syntax::fmt(&formatted, &words).expect("formatting makes no errors");
    assert_eq!(formatted, twice, "formatting twice must change nothing");
    "ok".to_owned()
}

fn check(file: &str, wrap: impl Fn(&str) -> String) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data").join(file);
    let text = std::fs::read_to_string(&path).expect("the data are part of the crate");
    let mut blessed = String::new();
    let mut wrong = String::new();
    for line in text.lines() {
        let Some((expected, snippet)) = line.split_once('|') else {
            writeln!(blessed, "{line}").expect("a string takes all");
            continue;
        };
        let actual = codes(&wrap(&unescape(snippet.trim_start())));
        writeln!(blessed, "{actual:<7} | {}", snippet.trim_start()).expect("a string takes all");
        if actual != expected.trim() {
            writeln!(wrong, "expected {}, got {actual}: {}", expected.trim(), snippet.trim())
                .expect("a string takes all");
        }
    }
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, blessed).expect("the data can be written");
    } else {
        assert!(wrong.is_empty(), "{wrong}");
    }
}

#[test]
fn statements() {
    check("statements.txt", |snippet| {
        format!(".version 9.1\n.target sm_90a\n.entry k () {{\n{snippet}\nret;\n}}\n")
    });
}

#[test]
fn modules() {
    check("modules.txt", |snippet| format!(".version 9.1\n.target sm_90a\n{snippet}\n"));
}
