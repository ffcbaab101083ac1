//! The tests of NVlabs' mixedproxy: `assert` must hold in every execution, `permit` in some, of those in which each load
//! returns what the test says beside it. A file may be a template with a line of words for each test.
//!
//! Each becomes a litmus test in herd's format, and goes through the same reader as all others.

use std::fmt::Write;
use std::path::Path;

use super::Tally;
use super::dat3m::holds;

/// The model that these tests were written for.
const MODEL: &str = "ptx-7.5";

/// Where the verdict is theirs to change, and why.
const THEIRS: [(&str, &str); 1] = [(
    "Release_acquire_pattern.test 1",
    "8.8: a release operation on M and a strong write on M after it are a release pattern, a strong read and a fence after \
     it an acquire pattern. Their Alloy text asks fences for a proxy, which they have none of; Dat3M expects of the same \
     test what we do.",
)];

/// A test's name, and its text in herd's format or why there is none.
type Translated = (String, Result<String, String>);

/// The tests of a checkout.
pub fn tests(checkout: &Path) -> Result<Vec<Translated>, String> {
    let folder = checkout.join("tests");
    let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let mut files: Vec<_> = entries.flatten().map(|entry| entry.path()).collect();
    files.sort();
    let mut tests = Vec::new();
    for path in files {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if !name.ends_with(".test") {
            continue;
        }
        let text = std::fs::read_to_string(&path).map_err(|e| format!("{}: {e}", path.display()))?;
        for (number, test) in instances(&text).iter().enumerate() {
            tests.push((format!("{name} {}", number + 1), translate(test)));
        }
    }
    Ok(tests)
}

pub fn compare(checkout: &Path, pattern: &str, tally: &mut Tally) -> Result<(), String> {
    for (name, translated) in tests(checkout)?.into_iter().filter(|(name, _)| name.contains(pattern)) {
        match translated {
            Ok(herd) => {
                let theirs = THEIRS.iter().find(|(known, _)| *known == name);
                if let Some((_, why)) = theirs {
                    println!("{name}: expected to differ: {why}");
                }
                tally.one(&name, theirs.is_none(), || holds(&herd, MODEL));
            }
            Err(why) => tally.one(&name, true, || Err(why)),
        }
    }
    Ok(())
}

/// The tests that a template stands for: each line after `$$` has the words for `$0`, `$1` …
fn instances(text: &str) -> Vec<String> {
    let Some((template, rows)) = text.split_once("$$") else {
        return vec![text.to_owned()];
    };
    let rows = rows.lines().filter(|line| !line.trim().is_empty());
    rows.map(|row| {
        let words = row.split('|').map(str::trim).enumerate();
        words.fold(template.to_owned(), |text, (i, word)| text.replace(&format!("${i}"), word))
    })
    .collect()
}

/// A test in herd's format.
fn translate(text: &str) -> Result<String, String> {
    let mut declarations = String::new();
    let mut threads: Vec<(String, Vec<String>)> = Vec::new();
    // Registers are unique over all threads: each with its thread.
    let mut registers: Vec<(String, usize)> = Vec::new();
    let mut returns: Vec<String> = Vec::new();
    let mut question = None;
    let text: String =
        text.lines().map(|line| line.split("//").next().unwrap_or("")).collect::<Vec<_>>().join("\n");
    for statement in text.replace('{', "{;").replace('}', ";};").split(';').map(str::trim) {
        let words: Vec<&str> = statement.split_whitespace().collect();
        match words.as_slice() {
            [] | ["}"] => {}
            [".global" | ".shared", name] => {
                let _ = write!(declarations, "{name} = 0; ");
            }
            [kind, name, _, "aliases", target] => {
                let proxy = match *kind {
                    ".texref" => "texture",
                    ".surfref" => "surface",
                    _ => "generic",
                };
                let _ = write!(declarations, "{name} @ {proxy} aliases {target}; ");
            }
            [scope, "{"] => threads.push((place(scope)?, Vec::new())),
            [first, ..] if ["assert", "permit"].iter().any(|word| first.starts_with(word)) => {
                question = Some(statement.to_owned());
            }
            _ => {
                let thread = threads.len().checked_sub(1).ok_or("an instruction without a thread")?;
                let (instruction, value) = match statement.split_once("==") {
                    Some((instruction, value)) => (instruction.trim(), Some(value.trim())),
                    None => (statement, None),
                };
                let register = instruction.split([' ', ',']).find(|word| is_register(word));
                if let Some(register) = register {
                    registers.push((register.to_owned(), thread));
                    if let Some(value) = value {
                        returns.push(format!("P{thread}:{register} == {value}"));
                    }
                }
                threads[thread].1.push(instruction.to_owned());
            }
        }
    }
    let question = question.ok_or("there is no question")?;
    let inner = question.split_once('(').and_then(|(_, rest)| rest.rsplit_once(')')).ok_or("no condition")?.0;
    let mut condition = inner.replace("&&", "/\\").replace("||", "\\/");
    for (register, thread) in &registers {
        condition = condition.replace(register.as_str(), &format!("P{thread}:{register}"));
    }
    let quantifier = if question.starts_with("assert") { "forall" } else { "exists" };
    let filter =
        if returns.is_empty() { String::new() } else { format!("filter ({})", returns.join(" /\\ ")) };
    let heads: Vec<String> =
        threads.iter().enumerate().map(|(i, (place, _))| format!("P{i}@{place}")).collect();
    let mut herd = format!("PTX test\n{{ {declarations} }}\n{} ;\n", heads.join(" | "));
    for row in 0..threads.iter().map(|(_, code)| code.len()).max().unwrap_or(0) {
        let cells: Vec<&str> =
            threads.iter().map(|(_, code)| code.get(row).map_or("", String::as_str)).collect();
        let _ = writeln!(herd, "{} ;", cells.join(" | "));
    }
    let _ = writeln!(herd, "{filter}\n{quantifier} ({condition})");
    Ok(herd)
}

/// `d0.b1.t0` as herd says it.
fn place(scope: &str) -> Result<String, String> {
    let mut parts = scope.split('.');
    match (parts.next(), parts.next()) {
        (Some(device), Some(block)) => {
            Ok(format!("cta {},gpu {}", block.trim_start_matches('b'), device.trim_start_matches('d')))
        }
        _ => Err(format!("`{scope}` is no thread")),
    }
}

fn is_register(word: &str) -> bool {
    word.strip_prefix('r').is_some_and(|rest| !rest.is_empty() && rest.bytes().all(|b| b.is_ascii_digit()))
}
