//! Findings that somebody has looked at and does not want to be told of again. A file names each by its code and place, and
//! says why:
//!
//! ```text
//! race in variance_kernel because lanes that hold copies store values that differ in the last bit
//! race at cta_barrier.cu:14 because NVIDIA's sample arrives before the others can know of the initialisation
//! ```
//!
//! A line is `CODE [in KERNEL] [at FILE[:LINE]] because REASON`, with `in`, `at` or both. `*` in a kernel's or a file's name
//! stands for any characters, and a file's name may leave out folders before it. Names with spaces stand in double quotes.
//! `#` begins a comment. Only what a kernel goes on after can be suppressed; what ends it is always told.

use serde_json::Value;

/// The suppressions of a file.
#[derive(Debug, Default)]
pub struct Suppressions(Vec<Suppression>);

/// One line of it.
#[derive(Debug)]
pub struct Suppression {
    /// Its line in the file.
    pub line: usize,
    /// Why.
    pub reason: String,
    code: String,
    kernel: Option<String>,
    place: Option<(String, Option<u64>)>,
}

/// A line that cannot be read.
#[derive(Debug, PartialEq, Eq)]
pub struct Unreadable {
    /// Where it stands, from 1.
    pub line: usize,
    /// Where in it, from 1, in characters.
    pub column: usize,
    /// What is wrong, and what would be right.
    pub message: String,
}

impl std::fmt::Display for Unreadable {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.line, self.column, self.message)
    }
}

impl Suppressions {
    /// Reads a file's text.
    ///
    /// # Errors
    /// All lines that cannot be read.
    pub fn read(text: &str) -> Result<Self, Vec<Unreadable>> {
        let (mut all, mut wrong) = (Vec::new(), Vec::new());
        for (number, line) in (1..).zip(text.lines()) {
            match suppression(number, line) {
                Ok(one) => all.extend(one),
                Err(why) => wrong.push(why),
            }
        }
        if wrong.is_empty() { Ok(Self(all)) } else { Err(wrong) }
    }

    /// The first that a finding's object is meant by.
    #[must_use]
    pub fn of(&self, object: &Value) -> Option<&Suppression> {
        self.0.iter().find(|one| one.means(object))
    }
}

impl Suppression {
    fn means(&self, object: &Value) -> bool {
        let kernel = object["kernel"].as_str().unwrap_or_default();
        object["code"] == self.code.as_str()
            && self.kernel.as_deref().is_none_or(|pattern| matches(pattern, kernel))
            && self.place.as_ref().is_none_or(|(file, line)| {
                places(object).iter().any(|at| is_file(file, at.0) && line.is_none_or(|line| line == at.1))
            })
    }
}

/// The places of a finding: in the PTX, and in what that was made from, of each of its sides.
fn places(object: &Value) -> Vec<(&str, u64)> {
    let file = object["file"].as_str().unwrap_or_default();
    let related = object["related"].as_array().map_or(&[][..], Vec::as_slice);
    let sides = std::iter::once(object).chain(related);
    let mut all = Vec::new();
    for side in sides {
        all.extend(side["line"].as_u64().map(|line| (file, line)));
        let outer = side["source"]["inlined_at"].as_array().map_or(&[][..], Vec::as_slice);
        for source in std::iter::once(&side["source"]).chain(outer) {
            let Some(name) = source["file"].as_str() else { continue };
            all.extend(source["line"].as_u64().map(|line| (name, line)));
        }
    }
    all
}

/// Whether a file's name is meant, with or without the folders before it.
fn is_file(pattern: &str, name: &str) -> bool {
    let tails = name.match_indices(['/', '\\']).map(|(at, _)| &name[at + 1..]);
    std::iter::once(name).chain(tails).any(|tail| matches(pattern, tail))
}

/// Whether a name is of a pattern, in which `*` stands for any characters.
fn matches(pattern: &str, name: &str) -> bool {
    let Some((first, rest)) = pattern.split_once('*') else { return pattern == name };
    let Some(mut left) = name.strip_prefix(first) else { return false };
    let mut parts: Vec<&str> = rest.split('*').collect();
    let last = parts.pop().unwrap_or_default();
    for part in parts {
        let Some(at) = left.find(part) else { return false };
        left = &left[at + part.len()..];
    }
    left.ends_with(last)
}

/// A word of a line, and the column that it begins at.
struct Word<'l> {
    column: usize,
    text: &'l str,
}

/// The words of a line up to `because`, and what follows that.
type Parts<'l> = (Vec<Word<'l>>, Option<&'l str>);

/// Divides a line; an error is a column and what is wrong there.
fn words(line: &str) -> Result<Parts<'_>, (usize, String)> {
    let mut words = Vec::new();
    let mut left = line;
    loop {
        left = left.trim_start();
        let column = line[..line.len() - left.len()].chars().count() + 1;
        if left.is_empty() || left.starts_with('#') {
            return Ok((words, None));
        }
        let (text, rest) = match left.strip_prefix('"') {
            Some(quoted) => quoted.split_once('"').ok_or((column, "the quote is not closed".to_owned()))?,
            None => left.split_at(left.find(char::is_whitespace).unwrap_or(left.len())),
        };
        if text == "because" && !left.starts_with('"') {
            return Ok((words, Some(rest.trim())));
        }
        words.push(Word { column, text });
        left = rest;
    }
}

/// What a line says; nothing, if it is empty or a comment.
fn suppression(number: usize, line: &str) -> Result<Option<Suppression>, Unreadable> {
    let wrong = |column: usize, message: &str| {
        let form = "CODE [in KERNEL] [at FILE[:LINE]] because REASON";
        Unreadable { line: number, column, message: format!("{message}; a line is `{form}`") }
    };
    let end = line.chars().count() + 1;
    let (words, reason) = words(line).map_err(|(column, message)| wrong(column, &message))?;
    let mut words = words.into_iter();
    let Some(code) = words.next() else {
        return match reason {
            None => Ok(None),
            Some(_) => Err(wrong(1, "the code of the finding is missing")),
        };
    };
    let (mut kernel, mut place) = (None, None);
    while let Some(word) = words.next() {
        let value = words.next();
        match (word.text, value) {
            ("in", Some(name)) if kernel.is_none() => kernel = Some(name.text.to_owned()),
            ("at", Some(at)) if place.is_none() => {
                place = Some(match at.text.rsplit_once(':') {
                    Some((file, line)) if line.parse::<u64>().is_ok() => (file.to_owned(), line.parse().ok()),
                    _ => (at.text.to_owned(), None),
                });
            }
            ("in" | "at", None) => {
                return Err(wrong(end, &format!("a name is missing after `{}`", word.text)));
            }
            ("in" | "at", Some(_)) => {
                return Err(wrong(word.column, &format!("`{}` stands twice", word.text)));
            }
            _ => return Err(wrong(word.column, &format!("`{}` is not expected here", word.text))),
        }
    }
    match reason {
        None | Some("") => Err(wrong(end, "the reason is missing")),
        _ if kernel.is_none() && place.is_none() => {
            Err(wrong(code.column, "neither a kernel nor a file is named"))
        }
        Some(reason) => Ok(Some(Suppression {
            line: number,
            reason: reason.to_owned(),
            code: code.text.to_owned(),
            kernel,
            place,
        })),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn a_finding_is_meant_by_either_of_its_places() {
        let text =
            "# ours\n\nrace at src/sum.cu:7 because of that\nrace in *variance* at k.ptx because\tso it is\n";
        let all = Suppressions::read(text).expect("it can be read");
        let race = |kernel: &str, line: u64| {
            json!({
                "code": "race", "kernel": kernel, "file": "/tmp/k.ptx", "line": 3,
                "source": { "file": "/home/me/src/sum.cu", "line": 12 },
                "related": [{ "line": 5, "source": { "file": "/home/me/src/sum.cu", "line": line } }],
            })
        };
        assert_eq!(all.of(&race("sum", 7)).map(|one| (one.line, one.reason.as_str())), Some((3, "of that")));
        assert!(all.of(&race("sum", 8)).is_none());
        assert_eq!(all.of(&race("a_variance_b", 8)).map(|one| one.line), Some(4));
        let mut other = race("sum", 7);
        other["code"] = json!("misuse");
        assert!(all.of(&other).is_none());
    }

    #[test]
    fn each_wrong_line_is_told() {
        let text = "race in k\nrace because all\nrace near k because\n\"race in k because x\nrace in because b\nrace at a at b because c";
        let wrong = Suppressions::read(text).expect_err("nothing of it can be read");
        let told: Vec<_> = wrong.iter().map(|wrong| (wrong.line, wrong.column)).collect();
        assert_eq!(told, [(1, 10), (2, 1), (3, 6), (4, 1), (5, 18), (6, 11)]);
    }

    #[test]
    fn a_star_stands_for_any_characters() {
        assert!(
            matches("a*c", "abbc") && matches("*", "") && matches("a*b*c", "axbyc") && matches("ab", "ab")
        );
        assert!(!matches("a*c", "ab") && !matches("ab*ba", "aba") && !matches("a", "b"));
        assert!(is_file("b/c.cu", "/a/b/c.cu") && !is_file("c.cu", "/a/bc.cu"));
    }
}
