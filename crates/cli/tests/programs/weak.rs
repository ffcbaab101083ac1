//! Programs under weak memory (`--memory-model weak`): a right one gives its result whichever writes its reads see, and one
//! that lacks an order fails with one of the seeds, and is told which read missed which write, and why.
//!
//! `// weak NAME "TEXT" …` names a twin that lacks an order (`//- NAME` marks its lines, as in `asynchrony.rs`), and says
//! what the report of its failure must contain. The read that it names is marked `//? read`, the write that it missed
//! `//? write`.

use std::path::Path;

use serde_json::Value;

use crate::asynchrony;
use crate::expectation::{Expectations, quoted};
use crate::outcome::{Folder, Outcome};
use crate::{programs, root};

/// The seeds that every right program is run with.
const RIGHT: u32 = 5;

/// The seeds of which one must show that a program is wrong.
const WRONG: u32 = 64;

fn run(file: &Path, expected: &Expectations, seed: u32) -> Result<(Outcome, Vec<String>), String> {
    let seed = seed.to_string();
    let settings = ["--memory-model", "weak", "--seed", &seed];
    let outcome = Outcome::of(file, &expected.buffers(), &settings)?;
    let broken = expected.broken_by(&outcome);
    Ok((outcome, broken))
}

/// Runs the programs of a folder, and fails with all that went wrong.
pub fn folder(name: &str) {
    let files = programs(&root().join(name));
    let wrong: Vec<String> = files.iter().flat_map(|file| program(file)).collect();
    assert!(wrong.is_empty(), "{} complaints:\n{}", wrong.len(), wrong.join("\n"));
}

fn program(file: &Path) -> Vec<String> {
    let shown = file.strip_prefix(root()).unwrap_or(file).display().to_string();
    let source = std::fs::read_to_string(file).expect("the file is text");
    let expected = match Expectations::read(&source) {
        Ok(expected) => expected,
        Err(why) => return vec![format!("{shown}: {why}")],
    };
    let mut wrong = Vec::new();
    for seed in 1..=RIGHT {
        match run(file, &expected, seed) {
            Ok((_, broken)) => {
                wrong.extend(broken.into_iter().map(|why| format!("{shown} --seed {seed}: {why}")))
            }
            Err(why) => wrong.push(format!("{shown} --seed {seed}: {why}")),
        }
    }
    for line in source.lines().filter_map(|line| line.strip_prefix("// weak ")) {
        let (name, texts) = line.split_once(' ').unwrap_or((line, ""));
        let complaint = quoted(texts).and_then(|texts| twin(name, &source, &texts, &expected));
        wrong.extend(complaint.err().map(|why| format!("{shown}, {name}: {why}")));
    }
    wrong
}

/// An error if a twin shows nothing, or is not explained.
fn twin(name: &str, source: &str, texts: &[String], expected: &Expectations) -> Result<(), String> {
    let source = asynchrony::without(name, source)?;
    let folder = Folder::new();
    let file = folder.0.join(format!("{name}.ptx"));
    std::fs::write(&file, &source).map_err(|why| why.to_string())?;
    let marked = |mark: &str, line: &Value| {
        let line = line.as_u64().and_then(|line| source.lines().nth(line as usize - 1));
        line.is_some_and(|line| line.ends_with(mark))
    };
    for seed in 1..=WRONG {
        let (outcome, broken) = run(&file, expected, seed)?;
        if broken.is_empty() {
            continue;
        }
        let stale = outcome.objects.iter().filter(|object| object["kind"] == "stale-read");
        let mut of_the_mistake = stale.filter(|stale| {
            marked("//? read", &stale["read"]["line"]) && marked("//? write", &stale["missed"]["line"])
        });
        let told = of_the_mistake.any(|stale| {
            let said = stale["missing"].to_string();
            texts.iter().all(|text| said.contains(text.as_str()))
        });
        return match told {
            true => Ok(()),
            false => Err(format!("--seed {seed} fails without saying {texts:?}: {:?}", outcome.objects)),
        };
    }
    Err(format!("passes with {WRONG} seeds"))
}
