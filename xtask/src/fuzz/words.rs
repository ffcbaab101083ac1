//! The words of a program's text: names, registers and numbers, found without reading its grammar.

use std::collections::BTreeSet;

/// The words of a line with where they stand: what a name, a register or a number may be made of.
pub fn words(line: &str) -> Vec<(usize, &str)> {
    let part = |c: char| c.is_alphanumeric() || matches!(c, '%' | '_' | '$');
    let mut words = Vec::new();
    let mut rest = line;
    while let Some(start) = rest.find(part) {
        let word = &rest[start..];
        let length = word.find(|c| !part(c)).unwrap_or(word.len());
        words.push((line.len() - word.len(), &word[..length]));
        rest = &word[length..];
    }
    words
}

/// The words of some lines that are no part of an instruction's name.
pub fn all_words<'a>(lines: impl IntoIterator<Item = &'a String>) -> BTreeSet<String> {
    let names = |line: &'a String| words(line).into_iter().filter(|(at, _)| !line[..*at].ends_with('.'));
    lines.into_iter().flat_map(names).map(|(_, word)| word.to_owned()).collect()
}
