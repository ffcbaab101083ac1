//! The blocks of a document: indented text and what stands between fences, each with where it begins.

/// A block.
pub struct Block {
    /// The line where it begins, from 1.
    pub line: usize,
    pub text: Vec<String>,
}

/// The blocks of a text. Indented text is one where a blank line stands before it, and as far as it goes on.
pub fn of(text: &str) -> Vec<Block> {
    let mut all: Vec<Block> = Vec::new();
    let (mut fenced, mut blank) = (false, true);
    // The indented block that may go on, and how many blank lines stand after it.
    let mut open: Option<usize> = None;
    for (number, line) in text.lines().enumerate() {
        if line.starts_with("```") {
            fenced = !fenced;
            if fenced {
                all.push(Block { line: number + 2, text: Vec::new() });
            }
            open = None;
        } else if fenced {
            all.last_mut().expect("it is open").text.push(line.to_owned());
        } else if let Some(inner) = line.strip_prefix("    ") {
            match open {
                Some(blanks) => {
                    let block = all.last_mut().expect("it is open");
                    block.text.extend(std::iter::repeat_n(String::new(), blanks));
                    block.text.push(inner.to_owned());
                    open = Some(0);
                }
                None if blank => {
                    all.push(Block { line: number + 1, text: vec![inner.to_owned()] });
                    open = Some(0);
                }
                None => {}
            }
        } else if line.is_empty() {
            open = open.map(|blanks| blanks + 1);
        } else {
            open = None;
        }
        blank = line.is_empty();
    }
    all.retain(|block| block.text.iter().any(|line| !line.trim().is_empty()));
    all
}

impl Block {
    /// Its first line that says something.
    pub fn first(&self) -> &str {
        self.text.iter().find(|line| !line.trim().is_empty()).map_or("", String::as_str)
    }
}
