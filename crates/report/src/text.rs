//! Makes text from a guest or a file safe to show: not too long, and without control characters for the terminal.

/// The longest message shown; a guest's name of ten megabytes does not help anyone.
const LONGEST: usize = 600;
/// The same for a message that stands alone and may hold a list.
const LONGEST_LIST: usize = 8000;

/// Cuts the middle out of a text that is too long to read, and makes it harmless to a terminal.
pub fn clip(text: &mut String) {
    clip_to(text, LONGEST);
}

fn clip_to(text: &mut String, longest: usize) {
    if text.len() > longest {
        let boundary = |mut at: usize| {
            while !text.is_char_boundary(at) {
                at += 1;
            }
            at
        };
        let (start, end) = (boundary(longest / 2), boundary(text.len() - longest / 4));
        text.replace_range(start..end, " … ");
    }
    if text.chars().any(|c| shown(c) != c) {
        *text = text.chars().map(shown).collect();
    }
}

/// A message of our own with words of a guest's or a file's in it, as it can be shown.
#[must_use]
pub fn plain(mut text: String) -> String {
    clip_to(&mut text, LONGEST_LIST);
    text
}

/// What a guest prints, as a terminal may have it: whole lines, and no sequence that moves the cursor, sets a title or
/// answers as if it had been typed.
#[must_use]
pub fn for_terminal(bytes: &[u8]) -> String {
    let text = String::from_utf8_lossy(bytes);
    text.chars().map(|c| if c == '\r' { c } else { shown(c) }).collect()
}

/// A character as it is shown: controls as their pictures, and nothing that turns the direction of what follows.
fn shown(c: char) -> char {
    match c {
        '\n' | '\t' => c,
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).unwrap_or('\u{fffd}'),
        '\x7f' => '\u{2421}',
        '\u{80}'..='\u{9f}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' => '\u{fffd}',
        _ => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_terminal_obeys_nothing_in_it() {
        assert_eq!(plain("a\x1b[2J\x07\u{9b}\u{202e}b\tc\n".to_owned()), "a␛[2J␇\u{fffd}\u{fffd}b\tc\n");
        assert_eq!(for_terminal(b"50 %\r\x1b]0;title\x07\xff\n"), "50 %\r␛]0;title␇\u{fffd}\n");
    }

    #[test]
    fn long_texts_lose_their_middle() {
        let mut text = "ä".repeat(1000);
        clip(&mut text);
        assert!(text.len() < 700 && text.contains(" … ") && text.starts_with('ä') && text.ends_with('ä'));
    }
}
