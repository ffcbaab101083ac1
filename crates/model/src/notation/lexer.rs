//! The words and signs of a model's text, with the line that each stands on.

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Token {
    Word(String),
    Sign(char),
    /// `^-1`
    Inverse,
    End,
}

impl std::fmt::Display for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Token::Word(word) => write!(f, "`{word}`"),
            Token::Sign(sign) => write!(f, "`{sign}`"),
            Token::Inverse => f.write_str("`^-1`"),
            Token::End => f.write_str("the end of the file"),
        }
    }
}

/// The tokens of a text, with their lines; the error is a sentence with its line.
pub fn tokens(text: &str) -> Result<Vec<(usize, Token)>, String> {
    let mut tokens = Vec::new();
    for (number, line) in text.lines().enumerate() {
        let line_number = number + 1;
        let code = line.split("//").next().unwrap_or("");
        let mut rest = code.trim_start();
        while let Some(first) = rest.chars().next() {
            let token = if let Some(after) = rest.strip_prefix("^-1") {
                rest = after;
                Token::Inverse
            } else if first.is_ascii_alphanumeric() {
                // A hyphen is part of a name; nothing is subtracted here.
                let part = |c: char| c.is_ascii_alphanumeric() || c == '-' || c == '.' || c == '_';
                let end = rest.find(|c| !part(c)).unwrap_or(rest.len());
                let (word, after) = rest.split_at(end);
                rest = after;
                Token::Word(word.to_owned())
            } else if "|&\\;*+?[]():=,".contains(first) {
                rest = &rest[1..];
                Token::Sign(first)
            } else {
                return Err(format!("line {line_number}: `{first}` starts nothing"));
            };
            tokens.push((line_number, token));
            rest = rest.trim_start();
        }
    }
    tokens.push((text.lines().count(), Token::End));
    Ok(tokens)
}
