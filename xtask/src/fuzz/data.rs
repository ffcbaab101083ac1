//! The registers of random programs that hold data: which of them a text names, and one number that is made of all of
//! them, so that a program can end with everything in memory for little code.

use super::words::all_words;

/// The registers that hold data: what their names begin with, their types, and their bytes in memory.
pub const DATA: &[(&str, &str, usize)] = &[
    ("%c", "b8", 1),
    ("%h", "b16", 2),
    ("%r", "b32", 4),
    ("%f", "f32", 4),
    ("%rd", "b64", 8),
    ("%fd", "f64", 8),
    ("%q", "b128", 16),
    ("%p", "pred", 4),
    // Counters of loops begin with nothing.
    ("%n", "b32", 4),
];

/// The data registers that some lines name, each with its kind.
pub fn named(lines: &[String]) -> Vec<(String, usize)> {
    let kind = |word: &str| {
        let stem = word.trim_end_matches(|c: char| c.is_ascii_digit());
        DATA.iter().position(|(data, ..)| *data == stem && stem.len() < word.len())
    };
    all_words(lines).into_iter().filter_map(|word| kind(&word).map(|kind| (word, kind))).collect()
}

/// Makes one number of registers, in `%mix`; each changes it.
pub fn mix_of<'a>(data: impl IntoIterator<Item = &'a (String, usize)>) -> Vec<String> {
    let begin = ["mov.b32 %mix, 0;".to_owned()].into_iter();
    begin.chain(data.into_iter().flat_map(|(name, kind)| mixed(name, DATA[*kind].0))).collect()
}

/// Adds a register to the number that is made of all of them.
fn mixed(name: &str, stem: &str) -> Vec<String> {
    let mix = |word: &str| format!("mad.lo.u32 %mix, %mix, 1664525, {word};");
    let (text, words): (String, &[&str]) = match stem {
        "%r" | "%n" => return vec![mix(name)],
        "%p" => (format!("selp.b32 %t1, 1, 0, {name};"), &["%t1"]),
        "%c" => (format!("cvt.u32.u8 %t1, {name};"), &["%t1"]),
        "%h" => (format!("mov.b32 %t1, {{{name}, {name}}};"), &["%t1"]),
        "%f" => (format!("mov.b32 %t1, {name};"), &["%t1"]),
        "%q" => (
            format!("mov.b128 {{%w0, %w1}}, {name}; xor.b64 %w0, %w0, %w1; mov.b64 {{%t1, %t2}}, %w0;"),
            &["%t1", "%t2"],
        ),
        _ => (format!("mov.b64 {{%t1, %t2}}, {name};"), &["%t1", "%t2"]),
    };
    [text].into_iter().chain(words.iter().map(|word| mix(word))).collect()
}
