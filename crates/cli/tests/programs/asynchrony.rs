//! Programs whose copies complete at other times: a right one gives its result whenever they do, and a twin of it that
//! lacks a wait, or counts wrongly, shows it.
//!
//! A twin differs from its program in the lines that carry its name (`//- NAME`); `tests/run/README.md` says how.

use std::path::Path;

use crate::expectation::Expectations;
use crate::outcome::{Folder, Outcome};
use crate::{programs, root};

/// The seeds that every right program is run with.
const SEEDS: u32 = 50;

/// The ways in which asynchronous operations may complete, with these seeds. Where they complete at once, an observer is
/// told of all that they touch as well. Compiled code waits for them as the interpreter does.
fn modes(seeds: u32) -> impl Iterator<Item = Vec<String>> {
    let fixed = [vec!["--async=lazy"], vec!["--async=eager", "--audit"], vec!["--engine=compile"]];
    let fixed = fixed.map(|mode| mode.into_iter().map(str::to_owned).collect());
    let seeded = (0..seeds).map(|seed| vec!["--async=seeded".to_owned(), format!("--seed={seed}")]);
    fixed.into_iter().chain(seeded)
}

/// In which runs a twin must show that it is wrong.
#[derive(Clone, Copy, Debug, PartialEq)]
enum When {
    /// In every run.
    Every,
    /// In lazy mode, and with one of the seeds.
    Lazy,
    /// In lazy mode, and in no other run.
    OnlyLazy,
    /// In one run of all.
    Some,
}

/// A program with a mistake.
struct Twin {
    name: String,
    when: When,
    /// The code of its findings, and texts of theirs.
    finding: Option<(String, Vec<String>)>,
    source: String,
}

/// The twins that a source describes.
fn twins(source: &str) -> Result<Vec<Twin>, String> {
    // Those that show under weak memory only are `weak.rs`'s.
    let weak = |name: &str| source.lines().any(|line| line.starts_with(&format!("// weak {name} ")));
    let heads = source.lines().filter_map(|line| line.strip_prefix("// twin "));
    let twins: Vec<Twin> = heads.map(|head| twin(head, source)).collect::<Result<_, _>>()?;
    for line in source.lines().filter_map(mark) {
        let name = line.0;
        if !twins.iter().any(|twin| twin.name == name) && !weak(name) {
            return Err(format!("the twin {name} is not named at the head"));
        }
    }
    Ok(twins)
}

/// A twin by its line of the head: `NAME: WHEN` or `NAME: WHEN CODE "TEXT" …`.
fn twin(head: &str, source: &str) -> Result<Twin, String> {
    let (name, rest) = head.split_once(": ").ok_or_else(|| format!("`{head}` lacks a colon"))?;
    let (when, rest) = rest.split_once(' ').unwrap_or((rest, ""));
    let when = match when {
        "every" => When::Every,
        "lazy" => When::Lazy,
        "only-lazy" => When::OnlyLazy,
        "some" => When::Some,
        _ => return Err(format!("`{when}` says nothing of when {name} shows")),
    };
    let (code, texts) = rest.split_once(' ').unwrap_or((rest, ""));
    let finding = (!code.is_empty()).then(|| (code, crate::expectation::quoted(texts)));
    let finding = match finding {
        Some((code, texts)) => Some((code.to_owned(), texts?)),
        None => None,
    };
    Ok(Twin { name: name.into(), when, finding, source: without(name, source)? })
}

/// The source of the twin of this name.
pub fn without(name: &str, source: &str) -> Result<String, String> {
    let mut lines: Vec<&str> = source.lines().collect();
    let (mut last, mut found) = (0, false);
    for (index, line) in source.lines().enumerate() {
        match mark(line) {
            Some((named, instead)) if named == name => (lines[last], found) = (instead, true),
            Some(_) => {}
            None => last = index,
        }
    }
    if !found {
        return Err(format!("no line has the name of the twin {name}"));
    }
    Ok(lines.join("\n") + "\n")
}

/// The twin that a line `//- NAME` or `//- NAME: LINE` belongs to, and what stands there instead of the line above.
fn mark(line: &str) -> Option<(&str, &str)> {
    let mark = line.trim().strip_prefix("//- ")?;
    Some(mark.split_once(": ").unwrap_or((mark, "")))
}

/// The sources of a program's twins, with their names.
pub fn sources(source: &str) -> Vec<(String, String)> {
    let twins = twins(source).unwrap_or_else(|why| panic!("{why}"));
    twins.into_iter().map(|twin| (twin.name, twin.source)).collect()
}

/// What is wrong with a folder's programs, or right with their twins.
pub fn folder(name: &str) {
    let files = programs(&root().join(name));
    let wrong: Vec<String> = files.iter().flat_map(|file| program(file)).collect();
    assert!(wrong.is_empty(), "{} complaints:\n{}", wrong.len(), wrong.join("\n"));
}

fn program(file: &Path) -> Vec<String> {
    let shown = file.strip_prefix(root()).unwrap_or(file).display().to_string();
    let source = std::fs::read_to_string(file).expect("the file is text");
    let read = Expectations::read(&source).and_then(|expected| Ok((expected, twins(&source)?)));
    let (expected, twins) = match read {
        Ok(read) => read,
        Err(why) => return vec![format!("{shown}: {why}")],
    };
    let mut wrong: Vec<String> = modes(SEEDS)
        .flat_map(|mode| match run(file, &expected, &mode) {
            Ok(complaints) => complaints.into_iter().map(|c| format!("{shown} {mode:?}: {c}")).collect(),
            Err(why) => vec![format!("{shown} {mode:?}: {why}")],
        })
        .take(1)
        .collect();
    for twin in twins {
        wrong.extend(accidental(&twin, &expected).err().map(|why| format!("{shown}, {}: {why}", twin.name)));
    }
    wrong
}

/// What a run does against the expectations. An error is what no run may give, right or wrong.
fn run(file: &Path, expected: &Expectations, mode: &[String]) -> Result<Vec<String>, String> {
    let mut settings: Vec<&str> = mode.iter().map(String::as_str).collect();
    settings.extend(["--timeout", if cfg!(sanitized) { "400s" } else { "20s" }]);
    let outcome = Outcome::of(file, &expected.buffers(), &settings)?;
    let kinds = ["bug", "unsupported", "invalid", "usage", "limit"];
    match kinds.iter().find_map(|kind| outcome.kind(kind)) {
        Some(object) => Err(object.to_string()),
        None => Ok(expected.broken_by(&outcome)),
    }
}

/// An error if a twin passes where it must not, or shows something else than it should.
fn accidental(twin: &Twin, expected: &Expectations) -> Result<(), String> {
    let folder = Folder::new();
    let file = folder.0.join(format!("{}.ptx", twin.name));
    std::fs::write(&file, &twin.source).expect("written");
    let shows = |mode: &[String]| -> Result<bool, String> {
        let complaints = run(&file, expected, mode).map_err(|why| format!("{mode:?}: {why}"))?;
        if let (Some((code, texts)), Some(said)) = (&twin.finding, complaints.first()) {
            let tells = said.contains(&format!("\"code\":\"{code}\""))
                && texts.iter().all(|t| said.contains(t.as_str()));
            if !tells {
                return Err(format!("{mode:?} shows something else than {code} {texts:?}: {said}"));
            }
        }
        Ok(!complaints.is_empty())
    };
    let mut modes = modes(SEEDS);
    let lazy = shows(&modes.next().unwrap_or_default())?;
    match twin.when {
        When::Every => {
            for mode in modes.take(4) {
                if !shows(&mode)? {
                    return Err(format!("{mode:?} passes"));
                }
            }
            if lazy { Ok(()) } else { Err("lazy mode passes".into()) }
        }
        When::Lazy | When::OnlyLazy if !lazy => Err("lazy mode passes".into()),
        When::OnlyLazy => {
            for mode in modes.take(9) {
                if shows(&mode)? {
                    return Err(format!("{mode:?} shows it too"));
                }
            }
            Ok(())
        }
        When::Some if lazy => Ok(()),
        When::Lazy | When::Some => {
            for mode in modes {
                if shows(&mode)? {
                    return Ok(());
                }
            }
            Err("shows nothing".into())
        }
    }
}
