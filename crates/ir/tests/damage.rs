//! Lowering never panics, whatever the module: real modules with lines, words and numbers changed at random, lowered
//! although their check may have found errors.

use std::path::{Path, PathBuf};

use ptxvm_isa::ISA;
use ptxvm_module::{Options, check};
use ptxvm_syntax::{Interner, Severity};

/// Modules longer than this take too long for what they show.
const LONGEST: usize = 12_000;
const ROUNDS: usize = 3_000;

/// A linear congruential generator: the same damage every time.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 33) as usize % limit.max(1)
    }
}

fn sources(folder: &Path, found: &mut Vec<String>) {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(folder)
        .expect("the folder of the tests")
        .flatten()
        .map(|entry| entry.path())
        .collect();
    paths.sort();
    for path in paths {
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "ptx") {
            let text = std::fs::read_to_string(&path).expect("a module's text");
            found.extend(text.split("// ---\n").filter(|t| t.len() < LONGEST).map(str::to_owned));
        }
    }
}

/// Words of a line, with what stands between them.
fn words(line: &str) -> Vec<&str> {
    line.split_inclusive(|c: char| !c.is_alphanumeric() && !matches!(c, '_' | '%' | '$')).collect()
}

fn damage(source: &str, other: &str, random: &mut Random) -> String {
    let mut lines: Vec<String> = source.lines().map(str::to_owned).collect();
    let others: Vec<&str> = other.lines().collect();
    for _ in 0..=random.below(3) {
        let at = random.below(lines.len());
        let Some(line) = lines.get(at).cloned() else { break };
        match random.below(6) {
            0 => {
                lines.remove(at);
            }
            1 => lines.insert(random.below(lines.len()), line),
            2 => lines.insert(at, others.get(random.below(others.len())).copied().unwrap_or("").to_owned()),
            3 => {
                let mut words = words(&line);
                if !words.is_empty() {
                    let (a, b) = (random.below(words.len()), random.below(words.len()));
                    words.swap(a, b);
                }
                lines[at] = words.concat();
            }
            4 => {
                let numbers =
                    ["0", "-1", "4294967295", "18446744073709551615", "100000000", "3", "1.5", "WARP_SZ"];
                let number = numbers[random.below(numbers.len())];
                let digits = line.find(|c: char| c.is_ascii_digit()).unwrap_or(0);
                let end =
                    line[digits..].find(|c: char| !c.is_ascii_digit()).map_or(line.len(), |e| digits + e);
                lines[at] = format!("{}{number}{}", &line[..digits], &line[end..]);
            }
            _ => {
                let mut words = words(&line);
                let donor = others.get(random.below(others.len())).copied().unwrap_or("");
                let donors = self::words(donor);
                if let (Some(word), false) = (donors.get(random.below(donors.len())), words.is_empty()) {
                    let place = random.below(words.len());
                    words[place] = word;
                }
                lines[at] = words.concat();
            }
        }
    }
    lines.join("\n")
}

#[test]
fn nothing_makes_the_lowering_panic() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests");
    let interner = Interner::with_words(ISA.words);
    let mut modules = Vec::new();
    for folder in ["ir", "ptx/valid", "corpus"] {
        sources(&root.join(folder), &mut modules);
    }
    assert!(modules.len() > 1000);
    let mut random = Random(3);
    let (mut sound, mut lowered) = (0, 0);
    for _ in 0..ROUNDS {
        let source = &modules[random.below(modules.len())];
        let other = &modules[random.below(modules.len())];
        let text = damage(source, other, &mut random);
        let parsed = ptxvm_syntax::parse(&text, &interner);
        let checked = check(&parsed.file, &text, &ISA, &Options::default());
        let mut found = parsed.diagnostics.iter().chain(&checked.diagnostics);
        let correct = !found.any(|d| d.severity == Severity::Error);
        let outcome = ptxvm_ir::lower(&parsed.file, &text, &checked.module, &ISA);
        sound += usize::from(correct);
        lowered += usize::from(correct && outcome.is_ok());
        if let Ok(program) = outcome {
            // The text form must cope with what came through, too.
            assert!(!program.to_string().is_empty());
        }
    }
    // Enough of them are still correct modules, and these can be lowered but for what ptxas itself gets wrong.
    assert!(sound > ROUNDS / 10 && lowered * 100 > sound * 98, "{sound} sound, {lowered} lowered");
}
