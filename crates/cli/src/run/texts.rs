//! What the comments of a file say besides its launch line. A file of several texts: `// ptxvm: text NAME` begins another one, and they are linked as a program's driver has linked
//! them. Places in the file stay what they are.

/// What a line begins with that begins a text.
const MARK: &str = "// ptxvm: text ";

/// The texts of a file with their names. What stands before the first mark belongs to the first text, so that a file without
/// a mark is one text.
pub fn split(source: &str) -> Vec<(&str, &str)> {
    let mut marks: Vec<(usize, &str)> = Vec::new();
    let mut at = 0;
    for line in source.split_inclusive('\n') {
        if let Some(name) = line.strip_prefix(MARK) {
            marks.push((at, name.trim()));
        }
        at += line.len();
    }
    let ends = marks.iter().skip(1).map(|(next, _)| next - 1).chain([source.len()]);
    let mut texts: Vec<(&str, &str)> = Vec::new();
    let mut start = 0;
    for ((_, name), end) in marks.iter().zip(ends) {
        texts.push((name, &source[start..end]));
        start = end + 1;
    }
    if texts.is_empty() { vec![("", source)] } else { texts }
}

/// What a launch that was written by `ptxvm exec --save-launch` had, and its file has not.
const LACKS: &str = "// ptxvm: not replayed: ";

/// What of that a file names.
pub fn lacking(source: &str) -> impl Iterator<Item = &str> {
    source.lines().filter_map(|line| line.strip_prefix(LACKS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_follow_each_other_without_a_gap() {
        assert_eq!(split(".version 9.0\n"), [("", ".version 9.0\n")]);
        let source = "// about\n// ptxvm: text a\nA\n\n// ptxvm: text b c\nB\n";
        let texts = split(source);
        assert_eq!(texts, [("a", "// about\n// ptxvm: text a\nA\n"), ("b c", "// ptxvm: text b c\nB\n")]);
        let joined: Vec<&str> = texts.iter().map(|(_, text)| *text).collect();
        assert_eq!(joined.join("\n"), source);
        assert_eq!(split("").len(), 1);
    }

    #[test]
    fn what_a_file_lacks_it_says() {
        let source = "// ptxvm: not replayed: textures\n.version 8.0\n// ptxvm: not replayed: the one before";
        assert_eq!(lacking(source).collect::<Vec<_>>(), ["textures", "the one before"]);
        assert_eq!(lacking("x // ptxvm: not replayed: no").count(), 0);
    }
}
