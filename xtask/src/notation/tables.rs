//! Reads the smaller files of the table: what modifiers mean, special registers, directives, targets.

use ptxvm_isa::Type;
use ptxvm_isa::table::{Directive, Meaning, Sreg, TargetEntry, Tolerance, Tolerated};
use ptxvm_isa::target::{Need, Target, Version};

use super::{Loader, condition, leak, leak_all};

/// The first version of PTX, what stands where nothing is said.
pub const FIRST: Version = Version::new(1, 0);

/// A line `fields | sentence` under a `§ NUMBER`.
struct Line<'a> {
    number: usize,
    section: &'a str,
    fields: Vec<&'a str>,
    sentence: &'a str,
}

fn lines(text: &str) -> Vec<Line<'_>> {
    let mut section = "";
    let mut found = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let line = line.trim();
        if line.is_empty() || line.starts_with('#') {
            continue;
        }
        if let Some(rest) = line.strip_prefix('§') {
            section = rest.split_whitespace().next().unwrap_or("");
            continue;
        }
        let (left, sentence) = line.split_once(" | ").unwrap_or((line, ""));
        let fields = left.split_whitespace().collect();
        found.push(Line { number: index + 1, section, fields, sentence: sentence.trim() });
    }
    found
}

fn need_of(fields: &[&str]) -> Result<Need, String> {
    if fields.is_empty() { Ok(&[]) } else { condition::need(fields) }
}

impl Loader {
    /// Reads `.word  Sentence.` and `opcode.word  Sentence.`
    pub fn meanings(&mut self, file: &str, text: &str) {
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (key, sentence) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
            match key.split_once('.') {
                Some((opcode, word)) if !sentence.trim().is_empty() => self.meanings.push(Meaning {
                    opcode: leak(opcode),
                    word: leak(word),
                    sentence: leak(sentence.trim()),
                }),
                _ => self.error(file, index + 1, "expected '.word  Sentence.'"),
            }
        }
    }

    /// Reads `%name .type need | sentence`.
    pub fn sregs(&mut self, file: &str, text: &str) {
        for line in lines(text) {
            let [name, ty, need @ ..] = line.fields.as_slice() else {
                self.error(file, line.number, "expected '%name .type need | sentence'");
                continue;
            };
            let (vector, ty) = ty.strip_prefix(".v4").map_or((false, *ty), |t| (true, t));
            let ty = ty.strip_prefix('.').and_then(Type::from_name);
            let (Some(ty), Ok(need)) = (ty, need_of(need)) else {
                self.error(file, line.number, "no such type, or a need that cannot be read");
                continue;
            };
            for name in series(name) {
                self.sregs.push(Sreg {
                    name: leak(&name),
                    ty,
                    vector,
                    need,
                    section: leak(line.section),
                    sentence: leak(line.sentence),
                });
            }
        }
    }

    /// Reads `.name PLACE need | sentence`.
    pub fn directives(&mut self, file: &str, text: &str) {
        for line in lines(text) {
            match line.fields.as_slice() {
                [name, place, need @ ..] => match need_of(need) {
                    Ok(need) => self.directives.push(Directive {
                        name: leak(name),
                        place: leak(place),
                        need,
                        section: leak(line.section),
                        sentence: leak(line.sentence),
                    }),
                    Err(e) => self.error(file, line.number, &e),
                },
                _ => self.error(file, line.number, "expected '.name PLACE need | sentence'"),
            }
        }
    }

    /// Reads `ignore once .a .b on add sub`.
    pub fn tolerated(&mut self, file: &str, text: &str) {
        for line in lines(text) {
            let (how, rest) = match line.fields.as_slice() {
                ["repeat", rest @ ..] => (Tolerance::Repeat, rest),
                ["ignore", "once", rest @ ..] => (Tolerance::Once, rest),
                ["ignore", "any", rest @ ..] => (Tolerance::Any, rest),
                ["ignore", "last", rest @ ..] => (Tolerance::Last, rest),
                _ => {
                    self.error(file, line.number, "expected 'repeat' or 'ignore once', 'any' or 'last'");
                    continue;
                }
            };
            let mut parts = rest.split(|w| matches!(*w, "on" | "except" | "if" | "unless"));
            let mut keys = rest.iter().filter(|w| matches!(**w, "on" | "except" | "if" | "unless"));
            let words: Vec<_> = parts.next().unwrap_or(&[]).iter().map(|w| self.word(w)).collect();
            let (mut names, mut only) = (Vec::new(), false);
            let (mut given, mut unless) = (Vec::new(), Vec::new());
            for part in parts {
                match keys.next() {
                    Some(&"if") => given = part.iter().map(|w| self.word(w)).collect(),
                    Some(&"unless") => unless = part.iter().map(|w| self.word(w)).collect(),
                    key => {
                        only = key == Some(&"on");
                        let name = |n: &&str| leak_all(n.split('.').map(|w| self.word(w)).collect());
                        names = part.iter().map(name).collect();
                    }
                }
            }
            let (words, names) = (leak_all(words), leak_all(names));
            let (given, unless) = (leak_all(given), leak_all(unless));
            self.tolerated.push(Tolerated { words, how, names, only, given, unless });
        }
    }

    /// Reads `sm_90a ptx 8.0`; lines that begin with `family` say what `Target::meets` knows, for people.
    pub fn targets(&mut self, file: &str, text: &str) {
        for line in lines(text) {
            match line.fields.as_slice() {
                ["family", ..] => {}
                [name, "ptx", version, ..] => match (Target::parse(name), condition::version(version)) {
                    (Some(target), Ok(ptx)) => self.targets.push(TargetEntry { target, ptx }),
                    _ => self.error(file, line.number, "expected 'sm_NN ptx V'"),
                },
                _ => self.error(file, line.number, "expected 'sm_NN ptx V'"),
            }
        }
    }
}

/// `%envreg<32>` stands for %envreg0 … %envreg31.
fn series(name: &str) -> Vec<String> {
    let count =
        name.split_once('<').and_then(|(stem, n)| Some((stem, n.strip_suffix('>')?.parse::<u32>().ok()?)));
    match count {
        Some((stem, n)) => (0..n).map(|i| format!("{stem}{i}")).collect(),
        None => vec![name.to_owned()],
    }
}
