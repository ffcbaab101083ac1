//! The items between the parentheses of an argument: `tensormap(#0, box [32,8])`, `texture(f32[4]=iota, filter linear)`.

/// Splits at commas that stand in no list and in no parentheses; the error is a sentence.
pub fn split(text: &str) -> Result<Vec<&str>, String> {
    let (mut items, mut from, mut open) = (Vec::new(), 0, Vec::new());
    for (at, c) in text.char_indices() {
        match c {
            '[' => open.push(']'),
            '(' => open.push(')'),
            ']' | ')' if open.pop() != Some(c) => return Err(format!("`{text}` has a `{c}` too many")),
            ',' if open.is_empty() => {
                items.push(text[from..at].trim());
                from = at + 1;
            }
            _ => {}
        }
    }
    if let Some(lacking) = open.pop() {
        return Err(format!("`{text}` lacks a `{lacking}`"));
    }
    items.push(text[from..].trim());
    Ok(items)
}

/// The word that an item begins with, and what follows it.
pub fn word(item: &str) -> (&str, &str) {
    let end = item.find(|c: char| c.is_whitespace() || c == '[').unwrap_or(item.len());
    let (word, value) = item.split_at(end);
    (word, value.trim())
}

/// The elements of `[64,64]`.
pub fn elements<'t>(word: &str, text: &'t str) -> Result<Vec<&'t str>, String> {
    let inner = text.strip_prefix('[').and_then(|t| t.strip_suffix(']'));
    let inner = inner.ok_or_else(|| format!("{word} should be a list such as [64,64], not `{text}`"))?;
    if inner.trim().is_empty() {
        return Ok(Vec::new());
    }
    Ok(inner.split(',').map(str::trim).collect())
}

/// The numbers of `[64,64]`.
pub fn list<N: std::str::FromStr>(word: &str, text: &str) -> Result<Vec<N>, String> {
    elements(word, text)?.into_iter().map(|n| number(word, n)).collect()
}

/// One number.
pub fn number<N: std::str::FromStr>(word: &str, text: &str) -> Result<N, String> {
    let text = text.trim();
    text.replace('_', "").parse().map_err(|_| format!("`{text}` is not a number for {word}"))
}

/// Which of some words a value is.
pub fn choice(word: &str, value: &str, words: &[&str]) -> Result<u32, String> {
    let found = words.iter().position(|w| *w == value).map(|n| n as u32);
    found.ok_or_else(|| format!("{word} cannot be `{value}`; expected {}", words.join(", ")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lists_and_parentheses_stay_whole() {
        let items = split("f32[2,2]=rand(7,-1,1), box[1, 2] , x").expect("it is right");
        assert_eq!(items, ["f32[2,2]=rand(7,-1,1)", "box[1, 2]", "x"]);
        assert_eq!(word("box[1, 2]"), ("box", "[1, 2]"));
        assert_eq!(word("filter  linear"), ("filter", "linear"));
        assert_eq!(split("").expect("it is right"), [""]);
        for (text, wrong) in [("a[1", "lacks a `]`"), ("a1]", "`]` too many"), ("a(1]", "too many")] {
            assert!(split(text).is_err_and(|why| why.contains(wrong)), "{text}");
        }
    }
}
