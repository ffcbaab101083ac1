//! Real kernels with a few changes: operands swapped, numbers, labels, registers and types replaced, lines lost,
//! doubled or moved. What the checker then refuses is not used.

use std::path::Path;

use ptxvm_isa::{ISA, Type};
use ptxvm_vm::{Device, Profile};

use super::names::interesting;
use super::run::DEVICES;
use super::words::words;
use crate::oracle::Random;

/// Where kernels to change come from.
const FOLDERS: &[&str] = &[
    "tests/corpus/cute",
    "tests/corpus/numba",
    "tests/corpus/nvrtc",
    "tests/corpus/triton",
    "examples",
    "tests/ptx/valid",
    "tests/ir",
    "tests/run/matrix",
    "tests/run/wmma",
    "tests/run/wgmma",
    "tests/run/tcgen05",
];

/// How often another change is tried when the checker refuses one.
const TRIES: usize = 6;

/// The modules, line by line, each with the device that it runs on.
pub struct Corpus {
    modules: Vec<(&'static Profile, Vec<String>)>,
}

impl Corpus {
    /// Reads the modules that some device loads and of which it can run some kernel to its end. Those of more lines
    /// take too long for what they would show.
    pub fn read(root: &Path, most_lines: usize) -> Result<Corpus, String> {
        let mut modules = Vec::new();
        for folder in FOLDERS {
            let folder = root.join(folder);
            let entries = std::fs::read_dir(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
            let mut paths: Vec<_> = entries.flatten().map(|e| e.path()).collect();
            paths.sort();
            for path in paths.iter().filter(|p| p.extension().is_some_and(|e| e == "ptx")) {
                let Ok(text) = std::fs::read_to_string(path) else { continue };
                let lines = with_block(&text);
                if lines.len() > most_lines {
                    continue;
                }
                let profile = DEVICES.iter().filter_map(|name| Profile::named(name)).find(|p| runs(p, &text));
                modules.extend(profile.map(|profile| (profile, lines)));
            }
        }
        if modules.is_empty() { Err("no kernels to change".into()) } else { Ok(Corpus { modules }) }
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.modules.len()
    }

    /// One of them with some changes that, as far as was tried, the checker accepts.
    pub fn changed(&self, random: &mut Random) -> (&'static Profile, Vec<String>) {
        let (profile, mut lines) = random.pick(&self.modules).clone();
        for _ in 0..1 + random.below(3) {
            for _ in 0..TRIES {
                let mut changed = lines.clone();
                change(&mut changed, random);
                if changed != lines && checks(&changed) {
                    lines = changed;
                    break;
                }
            }
        }
        (profile, lines)
    }
}

/// The lines of a module; a launch line that says how many threads a CTA has becomes a directive, because nobody reads it.
fn with_block(text: &str) -> Vec<String> {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let launch = text.lines().find_map(|line| line.strip_prefix("// ptxvm: run")?.split_once("--block "));
    let block = launch.and_then(|(_, rest)| rest.split(' ').next()).filter(|_| !text.contains("ntid "));
    let entry = lines.iter().position(|line| line.contains(".entry"));
    let body = entry.and_then(|entry| Some(entry + lines[entry..].iter().position(|line| line == "{")?));
    if let (Some(block), Some(body)) = (block, body) {
        lines.insert(body, format!(".reqntid {block}"));
    }
    lines
}

fn runs(profile: &'static Profile, text: &str) -> bool {
    let Ok(module) = Device::new(profile).load(text) else { return false };
    let names: Vec<String> = module.kernels().map(|k| k.name.clone()).collect();
    names.iter().any(|name| module.kernel(name).is_ok_and(|kernel| kernel.unsupported().is_empty()))
}

fn checks(lines: &[String]) -> bool {
    let text = lines.join("\n") + "\n";
    let parsed = ptxvm_syntax::parse(&text, &ptxvm_syntax::Interner::with_words(ISA.words));
    if !parsed.diagnostics.is_empty() {
        return false;
    }
    let checked = ptxvm_module::check(&parsed.file, &text, &ISA, &ptxvm_module::Options::default());
    checked.diagnostics.iter().all(|d| d.severity != ptxvm_syntax::Severity::Error)
}

/// Changes one thing.
fn change(lines: &mut Vec<String>, random: &mut Random) {
    if random.one_in(8) {
        // Declarations and directives too.
        let at = random.below(lines.len());
        lines[at] =
            if random.one_in(2) { retyped(&lines[at], random) } else { renumbered(&lines[at], random) };
        return;
    }
    let Some(at) = instruction(lines, random) else { return };
    let near = |random: &mut Random, length: usize| (at + random.below(16)).saturating_sub(8).min(length - 1);
    match random.below(12) {
        0 => drop(lines.remove(at)),
        1 => lines.insert(near(random, lines.len()), lines[at].clone()),
        2 => {
            let other = near(random, lines.len());
            lines.swap(at, other);
        }
        3 => {
            if let Some(other) = instruction(lines, random) {
                lines[at] = lines[other].clone();
            }
        }
        4 => lines[at] = guarded(&lines[at], random),
        5 | 6 => lines[at] = swapped(&lines[at], random),
        7 => lines[at] = retyped(&lines[at], random),
        8 | 9 => lines[at] = renumbered(&lines[at], random),
        _ => {
            let other = instruction(lines, random).unwrap_or(at);
            lines[at] = renamed(&lines[at], &lines[other].clone(), random);
        }
    }
}

/// A line with an instruction.
fn instruction(lines: &[String], random: &mut Random) -> Option<usize> {
    let is_instruction = |line: &str| {
        let line = line.trim_start();
        line.contains(';') && line.starts_with(|c: char| c.is_ascii_lowercase() || c == '@')
    };
    (0..100).map(|_| random.below(lines.len())).find(|&i| lines.get(i).is_some_and(|l| is_instruction(l)))
}

fn replaced(line: &str, (at, word): (usize, &str), with: &str) -> String {
    format!("{}{with}{}", &line[..at], &line[at + word.len()..])
}

/// With a guard, without one, or with the opposite of it.
fn guarded(line: &str, random: &mut Random) -> String {
    let text = line.trim_start();
    match text.strip_prefix('@') {
        Some(rest) if random.one_in(2) => match rest.strip_prefix('!') {
            Some(rest) => format!("@{rest}"),
            None => format!("@!{rest}"),
        },
        Some(rest) => {
            rest.split_once(char::is_whitespace).map_or(line.to_owned(), |(_, rest)| rest.to_owned())
        }
        None => format!("@%p{} {text}", 1 + random.below(4)),
    }
}

/// With two operands in each other's place.
fn swapped(line: &str, random: &mut Random) -> String {
    let words: Vec<_> = words(line).into_iter().filter(|(_, w)| w.starts_with('%') || number(w)).collect();
    if words.len() < 2 {
        return line.to_owned();
    }
    let first = random.below(words.len() - 1);
    let second = first + 1 + random.below(words.len() - 1 - first);
    let once = replaced(line, words[second], words[first].1);
    replaced(&once, words[first], words[second].1)
}

fn number(word: &str) -> bool {
    word.starts_with(|c: char| c.is_ascii_digit())
}

/// With another type of the same width, or any.
fn retyped(line: &str, random: &mut Random) -> String {
    let typed: Vec<_> =
        words(line).into_iter().filter_map(|w| Type::from_name(w.1).map(|ty| (w, ty))).collect();
    if typed.is_empty() {
        return line.to_owned();
    }
    let (word, ty) = *random.pick(&typed);
    let others: Vec<Type> =
        Type::ALL.iter().copied().filter(|t| t.bits() == ty.bits() || random.one_in(8)).collect();
    replaced(line, word, random.pick(&others).name())
}

/// With another number.
fn renumbered(line: &str, random: &mut Random) -> String {
    let numbers: Vec<_> = words(line).into_iter().filter(|(_, w)| number(w)).collect();
    if numbers.is_empty() {
        return line.to_owned();
    }
    let word = *random.pick(&numbers);
    let with = match word.1.as_bytes() {
        [b'0', b'f' | b'F', ..] => format!("0f{:08X}", interesting(random) as u32),
        [b'0', b'd' | b'D', ..] => format!("0d{:016X}", interesting(random)),
        _ if random.one_in(2) => (word.1.parse().unwrap_or(0i64) ^ 1 << random.below(12)).to_string(),
        _ => (interesting(random) as i32).to_string(),
    };
    replaced(line, word, &with)
}

/// With a register, a label or a name of another line in the place of one of its own.
fn renamed(line: &str, other: &str, random: &mut Random) -> String {
    let is_name = |word: &str| word.starts_with(['%', '$', '_']) || word.contains('_');
    let names: Vec<_> = words(line).into_iter().filter(|(_, w)| is_name(w)).collect();
    let others: Vec<_> = words(other).into_iter().filter(|(_, w)| is_name(w)).collect();
    if names.is_empty() || others.is_empty() {
        return line.to_owned();
    }
    let word = *random.pick(&names);
    replaced(line, word, random.pick(&others).1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_are_found_where_they_stand() {
        let line = "@%p1 add.s32 %r1, %r2, 0x1f;";
        let found = words(line);
        assert_eq!(
            found.iter().map(|w| w.1).collect::<Vec<_>>(),
            ["%p1", "add", "s32", "%r1", "%r2", "0x1f"]
        );
        assert!(found.iter().all(|(at, word)| line[*at..].starts_with(word)));
        assert_eq!(replaced(line, found[3], "%q"), "@%p1 add.s32 %q, %r2, 0x1f;");
    }

    #[test]
    fn swapping_keeps_everything_else() {
        let mut random = Random::new(1);
        for _ in 0..20 {
            let line = swapped("sub.s32 %r1, %r22, 7;", &mut random);
            let mut words: Vec<&str> = words(&line).into_iter().map(|w| w.1).collect();
            words.sort_unstable();
            assert_eq!(words, ["%r1", "%r22", "7", "s32", "sub"]);
        }
    }
}
