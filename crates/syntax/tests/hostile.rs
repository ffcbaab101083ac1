//! Input made to hurt: depth, length, numbers of errors, odd bytes, and random damage. Nothing may
//! panic, overflow the stack, or take time or memory out of proportion.

use std::time::{Duration, Instant};

use ptxvm_syntax::{ERROR_LIMIT, Interner, Parsed, codes, decode, fmt, parse, print, same_tree};

/// Parses on a small stack, against the clock: 10 MB must not take longer than a generous minute
/// even in a debug build on a busy machine.
fn parse_hard(source: String) -> Parsed {
    let start = Instant::now();
    let parsed = std::thread::Builder::new()
        .stack_size(256 * 1024)
        .spawn(move || {
            let words = Interner::default();
            let parsed = parse(&source, &words);
            if parsed.is_ok() {
                let printed = print(&parsed.file, &source);
                let again = parse(&printed, &words);
                assert!(same_tree(&parsed.file, &source, &again.file, &printed));
                fmt(&source, &words).expect("the source has no errors");
            }
            parsed
        })
        .expect("a thread")
        .join()
        .expect("no panic");
    assert!(start.elapsed() < Duration::from_secs(60), "took {:?}", start.elapsed());
    parsed
}

fn body(text: &str) -> String {
    format!(".version 9.1\n.target sm_90\n.entry k() {{\n{text}\n}}\n")
}

const MILLION: usize = 1_000_000;

#[test]
fn depth() {
    let open = |text: &str| text.repeat(200_000);
    let good = [
        body(&format!("{}{}", open("{"), open("}"))),
        body(&format!("mov.u32 %r1, {}1{};", open("("), open(")"))),
        body(&format!("mov.u32 %r1, {}1;", open("- "))),
        body(&format!("mov.u32 %r1, {}1;", open("(.s64)"))),
        body(&format!("mov.u32 %r1, 1{};", open("+1"))),
        body(&format!("mov.u32 %r1, {}1;", open("1?1:"))),
        body(&format!("mov.u32 %r1, {}1{};", open("1?"), open(":1"))),
        format!(".global .b32 x = {}1{};", open("{"), open("}")),
        format!(".global .b32 x{};", open("[1]")),
    ];
    for source in good {
        let shown: String = source.chars().skip(50).take(30).collect();
        let parsed = parse_hard(source);
        assert!(parsed.is_ok(), "{shown}: {:?}", parsed.diagnostics.first());
    }
    let bad = [
        body(&open("{")),
        body(&open("}")),
        body(&format!("mov.u32 %r1, {};", open("("))),
        body(&format!("mov.u32 %r1, {};", open("1?"))),
        body(&format!("mov.u32 %r1, {};", open("["))),
        body(&format!("call {};", open("("))),
        format!(".global .b32 x = {};", open("{")),
        format!(".section .debug_info {}", open("{")),
        open("{"),
        open("/*"),
        open("\""),
        open("# 1 \""),
    ];
    for source in bad {
        let shown: String = source.chars().skip(50).take(30).collect();
        assert!(!parse_hard(source).is_ok(), "{shown}");
    }
}

#[test]
fn length() {
    let long = "a".repeat(10 * MILLION);
    assert!(parse_hard(format!(".global .b32 {long};")).is_ok());
    assert!(parse_hard(format!("// {long}")).is_ok());
    assert!(parse_hard(format!(".pragma \"{long}\";")).is_ok());
    let zeros = vec!["0"; MILLION].join(",");
    assert!(parse_hard(format!(".global .b8 x[] = {{{zeros}}};")).is_ok());
    assert!(parse_hard(body(&format!("foo {{{zeros}}};"))).is_ok());
    assert!(parse_hard(body(&format!("foo {zeros};"))).is_ok());
    let digits = "0".repeat(10 * MILLION);
    assert!(parse_hard(format!(".global .f64 x = 1.{digits};")).is_ok());
    assert!(parse_hard(format!(".global .f64 x = 0.{digits}1;")).diagnostics.len() == 1);
    assert!(parse_hard(format!(".global .u64 x = 1{digits};")).diagnostics.len() == 1);
}

#[test]
fn a_million_errors() {
    let pieces = [
        "foo bar baz;\n",
        "$ ",
        "\u{e4} ",
        "}",
        ".foo;",
        ";",
        "\u{1}",
        "add.s32 %r1 %r2;",
        "mov.u32 %r1, 1/0;",
        ".reg .b32 x y;",
        ". . ",
    ];
    for piece in pieces {
        for source in [piece.repeat(MILLION), body(&piece.repeat(MILLION))] {
            let parsed = parse_hard(source);
            assert_eq!(parsed.diagnostics.len(), ERROR_LIMIT + 1, "{piece:?}");
            assert_eq!(parsed.diagnostics[ERROR_LIMIT].code, codes::TOO_MANY_ERRORS, "{piece:?}");
        }
    }
}

#[test]
fn odd_bytes() {
    let parsed = parse_hard(".version 9.1\0\n.target sm_90\n// \0 comment\0".to_owned());
    assert_eq!(parsed.diagnostics.len(), 1);
    assert_eq!(parsed.diagnostics[0].code, codes::NUL);
    assert!(parse_hard("\0".repeat(MILLION)).diagnostics.len() == 1);
    assert!(parse_hard("// ä ✓ 𝄞\n/* ü */".to_owned()).is_ok());
    assert_eq!(parse_hard("\u{feff}.version 9.1".to_owned()).diagnostics[0].code, codes::UNKNOWN_CHARACTER);

    assert_eq!(decode("// ä".as_bytes()), Ok("// ä"));
    let error = decode(b".version 9.1\n.target\xff sm_90").expect_err("not UTF-8");
    assert_eq!(error.code, codes::NOT_UTF8);
    assert!(error.message.contains("line 2, column 8"), "{}", error.message);
    assert_eq!((error.primary.span.start, error.primary.span.end), (20, 21));
    assert_eq!(decode(b"\xe2\x82").expect_err("cut short").primary.span.end, 2);
}

/// A small generator of numbers that are random enough, and the same in every run.
struct Random(u64);

impl Random {
    fn below(&mut self, bound: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % bound as u64) as usize
    }
}

/// Damages a text by deleting, doubling, moving and inserting pieces.
fn damage(source: &str, random: &mut Random) -> String {
    const PIECES: &[&str] = &[
        "{",
        "}",
        "(",
        ")",
        "[",
        "]",
        ",",
        ";",
        ":",
        ".",
        "_",
        "!",
        "-",
        "+",
        "|",
        "@",
        "?",
        "%",
        "\"",
        "/*",
        "*/",
        "//",
        "#",
        "\n",
        "0",
        "0f3F800000",
        "1.5",
        "0x",
        "9",
        "WARP_SZ",
        ".reg",
        ".global",
        ".b32",
        ".align",
        ".func",
        ".entry",
        ".extern",
        ".pragma",
        ".section",
        ".loc",
        "@@DWARF",
        "ä",
        "\0",
        "\u{1}",
        "# 1 \"a\"\n",
        ".version 9.1",
        ".const[3]",
        "generic(",
        "::",
        "<",
        ">",
        "=",
        "call",
        "%r1",
    ];
    let mut text: Vec<char> = source.chars().collect();
    for _ in 0..1 + random.below(6) {
        let at = random.below(text.len().max(1)).min(text.len());
        let len = random.below(12).min(text.len() - at);
        match random.below(4) {
            0 => drop(text.drain(at..at + len)),
            1 => {
                let copy: Vec<char> = text[at..at + len].to_vec();
                let to = random.below(text.len() + 1);
                text.splice(to..to, copy);
            }
            _ => {
                let piece = PIECES[random.below(PIECES.len())];
                text.splice(at..at, piece.chars());
            }
        }
    }
    text.into_iter().collect()
}

#[test]
fn random_damage() {
    let sample = include_str!("data/everything.ptx");
    let comments = include_str!("data/comments.ptx");
    let words = Interner::with_words(&["add", "s32"]);
    let mut random = Random(0x5eed_0000_0000_0001);
    let mut good = 0;
    for round in 0..20_000 {
        let source = damage(if round % 2 == 0 { sample } else { comments }, &mut random);
        let parsed = parse(&source, &words);
        assert!(parsed.diagnostics.len() <= ERROR_LIMIT + 1);
        for diagnostic in &parsed.diagnostics {
            let span = diagnostic.primary.span;
            assert!(
                span.start <= span.end && span.end as usize <= source.len(),
                "{diagnostic:?} in {source}"
            );
            assert!(source.is_char_boundary(span.start as usize), "{diagnostic:?} in {source}");
        }
        if !parsed.is_ok() {
            assert!(fmt(&source, &words).is_err());
            continue;
        }
        good += 1;
        let printed = print(&parsed.file, &source);
        let again = parse(&printed, &words);
        assert!(same_tree(&parsed.file, &source, &again.file, &printed), "{source}\n=>\n{printed}");
        let formatted = fmt(&source, &words).expect("the source has no errors");
        let again = parse(&formatted, &words);
        assert!(same_tree(&parsed.file, &source, &again.file, &formatted), "{source}\n=>\n{formatted}");
        assert_eq!(fmt(&formatted, &words).as_ref(), Ok(&formatted), "{source}");
    }
    assert!(good > 500, "only {good} damaged files were good: the test tests nothing");
}
