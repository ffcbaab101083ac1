//! Whatever a file holds, reading and deciding it ends, without a panic: files that are cut, with bytes changed, with words
//! of other files in them; and tests that are far too large.

use std::fmt::Write;
use std::path::Path;
use std::time::{Duration, Instant};

use ptxvm_isa::ISA;
use ptxvm_model::{Limits, TooLarge, decide, herd, model, ptx, search};
use ptxvm_syntax::{Diagnostic, Interner, Severity};

/// Reads and decides a text if it is a test.
fn attempt(text: &str) {
    if let Ok(test) = herd::parse(text) {
        let model = model("ptx-9.1").expect("a model");
        let limits = Limits { unroll: 1, paths: 500, steps: 2_000 };
        let _ = decide(&test, model, &limits);
        let _ = search::hang(&test, model, &limits);
    }
}

fn sources() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus");
    let folders = std::fs::read_dir(root).expect("litmus tests").flatten().map(|entry| entry.path());
    let files = folders.flat_map(|folder| std::fs::read_dir(folder).into_iter().flatten().flatten());
    let mut texts: Vec<String> = files.filter_map(|file| std::fs::read_to_string(file.path()).ok()).collect();
    texts.sort();
    texts
}

#[test]
fn damaged_files_are_read_to_the_end() {
    let sources = sources();
    assert!(sources.len() > 100);
    let mut random = 1_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below.max(1)
    };
    for _ in 0..6_000 {
        let mut bytes = sources[next(sources.len())].clone().into_bytes();
        match next(4) {
            0 => bytes.truncate(next(bytes.len())),
            1 => {
                let at = next(bytes.len());
                bytes[at] = b"{}[]().,;:|@=&~<>-+%x0\n\""[next(24)];
            }
            2 => {
                let other = sources[next(sources.len())].as_bytes();
                let (from, at) = (next(other.len()), next(bytes.len()));
                let part = &other[from..(from + next(40)).min(other.len())];
                bytes.splice(at..at, part.iter().copied());
            }
            _ => {
                let (from, length) = (next(bytes.len()), next(30));
                let end = (from + length).min(bytes.len());
                bytes.drain(from..end);
            }
        }
        attempt(&String::from_utf8_lossy(&bytes));
    }
}

/// Reads a module as the command does, and decides it if it is a litmus test.
fn attempt_module(text: &str) -> bool {
    let parsed = ptxvm_syntax::parse(text, &Interner::with_words(ISA.words));
    let checked = ptxvm_module::check(&parsed.file, text, &ISA, &ptxvm_module::Options::default());
    let wrong = |d: &Diagnostic| d.severity == Severity::Error;
    if parsed.diagnostics.iter().any(wrong) || checked.diagnostics.iter().any(wrong) {
        return false;
    }
    let Ok(program) = ptxvm_ir::lower(&parsed.file, text, &checked.module, &ISA) else { return false };
    let Ok(test) = ptx::read(&program, text) else { return true };
    let limits = Limits { unroll: 1, paths: 500, steps: 2_000 };
    let _ = decide(&test, model("ptx-9.1").expect("a model"), &limits);
    true
}

/// Words of a module are exchanged for words of others, so that most results are still PTX.
#[test]
fn changed_modules_are_read_to_the_end() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus/ptx");
    let files = std::fs::read_dir(folder).expect("litmus tests").flatten();
    let mut sources: Vec<String> =
        files.map(|file| std::fs::read_to_string(file.path()).expect("a module")).collect();
    sources.sort();
    let words = [
        "%r0",
        "%r1",
        "%r2",
        "%p",
        "%rd1",
        "%rd2",
        "0",
        "1",
        "-1",
        "4",
        "7",
        "[x]",
        "[m]",
        "[flag]",
        "_",
        "u32",
        "b64",
        "u64",
        "s32",
        "%ctaid.x",
        "%tid.x",
        "%laneid",
        "x+9223372036854775807",
        "[x+4]",
        "2147483647",
    ];
    let mut random = 5_u64;
    let mut next = |below: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % below.max(1)
    };
    let mut valid = 0;
    for _ in 0..4_000 {
        let source = &sources[next(sources.len())];
        let parts: Vec<&str> = source.split_inclusive([' ', ',', '.', ';']).collect();
        let mut changed: Vec<String> = parts.iter().map(|&part| part.to_owned()).collect();
        for _ in 0..=next(2) {
            let at = next(changed.len());
            let last = changed[at].chars().last().unwrap_or(' ');
            changed[at] = format!("{}{last}", words[next(words.len())]);
        }
        valid += usize::from(attempt_module(&changed.concat()));
    }
    assert!(valid > 300, "{valid} of the changed modules were PTX");
}

#[test]
fn nested_conditions_are_refused_not_followed() {
    let deep = "(".repeat(100_000);
    let text = format!("PTX deep\n{{ x = 0; }}\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\nexists {deep}x == 1\n");
    let errors = herd::parse(&text).expect_err("it is too deep");
    assert_eq!(errors[0].code.0, "E0701");
}

#[test]
fn long_conditions_and_long_files_are_refused_quickly() {
    let start = Instant::now();
    let code = |text: &str| herd::parse(text).expect_err("it is too large")[0].code.0;
    let head = "PTX long\n{ x = 0; }\n P0@cta 0,gpu 0 ;\n st.weak x, 1 ;\n";
    assert_eq!(code(&format!("{head}exists {}x == 1\n", "x == 1 /\\ ".repeat(100_000))), "E0701");
    let rows = "st.weak x, 1 ;\n".repeat(100_000);
    assert_eq!(code(&format!("{head}{rows}exists x == 1\n")), "E0706");
    let names: String = (0..100_000).map(|i| format!("x{i} = 0; ")).collect();
    assert_eq!(code(&format!("PTX long\n{{ {names} }}\n P0@cta 0,gpu 0 ;\n ;\nexists x1 == 1\n")), "E0706");
    assert!(start.elapsed() < Duration::from_secs(10), "{:?}", start.elapsed());
}

#[test]
fn many_ways_to_meet_end_with_a_bound() {
    let heads: Vec<String> = (0..24).map(|i| format!("P{i}@cta 0,gpu 0")).collect();
    let row = vec!["bar.sync 0, 12"; 24].join(" | ");
    let text = format!("PTX meet\n{{ x = 0; }}\n {} ;\n {row} ;\nexists (x == 0)\n", heads.join(" | "));
    let test = herd::parse(&text).expect("a right test");
    let reason = decide(&test, model("ptx-9.1").expect("a model"), &Limits::default()).err();
    assert_eq!(reason, Some(TooLarge::Meetings));
}

/// A test with `threads` threads that each read everything.
fn large(threads: usize, reads: usize) -> String {
    let heads: Vec<String> = (0..threads).map(|i| format!("P{i}@cta {i},gpu 0")).collect();
    let mut text = format!("PTX large\n{{ x = 0; }}\n {} ;\n", heads.join(" | "));
    let _ = writeln!(text, " {} ;", vec!["st.weak x, 1"; threads].join(" | "));
    for read in 0..reads {
        let row: Vec<String> = (0..threads).map(|_| format!("ld.weak r{read}, x")).collect();
        let _ = writeln!(text, " {} ;", row.join(" | "));
    }
    let _ = writeln!(text, "exists (P0:r0 == 2)");
    text
}

#[test]
fn what_is_too_large_ends_with_a_bound() {
    let model = model("ptx-9.1").expect("a model");
    let refused = |text: &str| {
        let start = Instant::now();
        let test = herd::parse(text).expect("a right test");
        let reason = decide(&test, model, &Limits::default()).expect_err("it is too large");
        assert!(start.elapsed() < Duration::from_secs(60), "{:?}", start.elapsed());
        reason
    };
    assert!(matches!(refused(&large(2, 20)), TooLarge::Paths(_)));
    let many = "x[0] = 0; x[1] = 0;";
    let counting = format!(
        "PTX count\n{{ {many} }}\n P0@cta 0,gpu 0 ;\n {}\nexists (x[0] == 1)\n",
        "atom.add r0, x[0], 1 ;\n".repeat(80)
    );
    assert!(matches!(refused(&counting), TooLarge::Values(_) | TooLarge::Events | TooLarge::Paths(_)));
    let writes = format!(
        "PTX events\n{{ x = 0; }}\n P0@cta 0,gpu 0 ;\n {}\nexists (x == 2)\n",
        "st.weak x, 1 ;\n".repeat(200)
    );
    assert_eq!(refused(&writes), TooLarge::Events);
}

#[test]
fn loops_without_an_end_are_cut_or_refused() {
    let model = model("ptx-9.1").expect("a model");
    let decided = |code: &str| {
        let text = format!("PTX loop\n{{ x = 0; }}\n P0@cta 0,gpu 0 ;\n {code}\nexists (x == 9)\n");
        decide(&herd::parse(&text).expect("a right test"), model, &Limits::default())
    };
    // A read decides whether there is another turn: after some, the rest is left out, and that is said.
    let cut = decided("LC00: ;\n atom.add r0, x, 1 ;\n bne r0, 100, LC00 ;").expect("a small test");
    assert!(cut.bounded && !cut.holds);
    // Nothing decides it: the thread has no end that could be looked at.
    let endless = decided("LC00: ;\n atom.add r0, x, 1 ;\n goto LC00 ;").err();
    assert_eq!(endless, Some(TooLarge::Events));
    let silent = decided("LC00: ;\n add r0, r0, 1 ;\n bge r0, 0, LC00 ;").expect("a small test");
    assert!(silent.bounded && silent.states.is_empty());
    let reads = "ld.weak r1, x ;\n st.weak x, r1 ;\n".repeat(12);
    let _ = decided(&format!("{reads} LC00: ;\n add r0, r0, 1 ;\n bge r0, 0, LC00 ;"));
}
