//! What people read when their file is wrong: `data/messages.txt` holds sources, each followed by what
//! is said of it. `BLESS=1 cargo test` rewrites the answers.

use std::fmt::Write;
use std::path::Path;

use ptxvm_syntax::{Interner, LineIndex, parse};

/// One line for the diagnostic, one for each part of it.
fn messages(source: &str) -> String {
    let index = LineIndex::new(source);
    let mut out = String::new();
    let mut line = |text: String| writeln!(out, "> {text}").expect("a string takes all");
    for diagnostic in parse(source, &Interner::default()).diagnostics {
        let place = |span: ptxvm_syntax::ast::Span| {
            let start = index.line_column(source, span.start);
            let end = index.line_column(source, span.end);
            format!("{}:{}-{}:{}", start.line, start.column, end.line, end.column)
        };
        let primary = &diagnostic.primary;
        line(format!("{} {} {}", place(primary.span), diagnostic.code, diagnostic.message));
        if !primary.text.is_empty() {
            line(format!("    label: {}", primary.text));
        }
        for label in &diagnostic.secondary {
            line(format!("    {}: {}", place(label.span), label.text));
        }
        if let Some(help) = &diagnostic.help {
            line(format!("    help: {help}"));
        }
        if let Some(section) = diagnostic.section {
            line(format!("    section: {section}"));
        }
    }
    out
}

#[test]
fn messages_are_as_recorded() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/messages.txt");
    let text = std::fs::read_to_string(&path).expect("the data are part of the crate");
    let mut blessed = Vec::new();
    for stanza in text.split("\n---\n") {
        let source: String =
            stanza.lines().filter(|line| !line.starts_with("> ")).map(|line| format!("{line}\n")).collect();
        blessed.push(format!("{source}{}", messages(&source)).trim_end().to_owned());
    }
    let blessed = blessed.join("\n---\n") + "\n";
    if std::env::var_os("BLESS").is_some() {
        std::fs::write(&path, blessed).expect("the data can be written");
    } else {
        assert_eq!(blessed, text);
    }
}
