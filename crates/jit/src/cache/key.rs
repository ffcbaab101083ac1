//! The name of an object file: a hash of all that it depends on. Nothing of a guest's choosing becomes a path.

use blake3::Hasher;

/// How the layout of the files and the key are numbered: another number is another cache.
pub const FORMAT: u32 = 1;

/// What the names of kept files end with.
const SUFFIX: &str = ".code";

/// The bytes of a key.
pub const KEY_BYTES: usize = 32;

/// A hash of all that an object file depends on.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Key([u8; KEY_BYTES]);

/// What makes object files of texts, as far as it decides what they are: everything but the text and the passes.
#[derive(Clone)]
pub struct Maker(Hasher);

impl Maker {
    /// A maker that these parts describe, all of them and in this order.
    pub fn new<'a>(parts: impl IntoIterator<Item = &'a [u8]>) -> Self {
        let mut hasher = Hasher::new();
        hasher.update(&FORMAT.to_le_bytes());
        for part in parts {
            add(&mut hasher, part);
        }
        Self(hasher)
    }

    /// The key of what it makes of a text with some passes.
    pub fn key(&self, passes: &str, text: &str) -> Key {
        let mut hasher = self.0.clone();
        add(&mut hasher, passes.as_bytes());
        add(&mut hasher, text.as_bytes());
        Key(*hasher.finalize().as_bytes())
    }
}

/// Adds a part with its length, so that no two lists of parts are the same bytes.
fn add(hasher: &mut Hasher, part: &[u8]) {
    hasher.update(&(part.len() as u64).to_le_bytes());
    hasher.update(part);
}

impl Key {
    pub fn bytes(&self) -> &[u8; KEY_BYTES] {
        &self.0
    }

    /// The name of its file.
    pub fn file_name(&self) -> String {
        let digits = self.0.iter().map(|byte| format!("{byte:02x}"));
        digits.chain([SUFFIX.to_owned()]).collect()
    }
}

/// Whether a file's name is that of a key.
pub fn is_file_name(name: &str) -> bool {
    name.strip_suffix(SUFFIX).is_some_and(|digits| {
        let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
        digits.len() == 2 * KEY_BYTES && digits.bytes().all(is_digit)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn whatever_differs_makes_another_key() {
        let parts: [&[&[u8]]; 5] = [&[b"a", b"b"], &[b"ab"], &[b"", b"ab"], &[b"ab", b""], &[]];
        let mut keys = Vec::new();
        for parts in parts {
            for (passes, text) in [("p", "t"), ("pt", ""), ("", "pt"), ("p", "u")] {
                keys.push(Maker::new(parts.iter().copied()).key(passes, text));
            }
        }
        for (number, key) in keys.iter().enumerate() {
            assert!(!keys[..number].contains(key), "{number}");
            assert!(is_file_name(&key.file_name()));
        }
    }

    #[test]
    fn other_files_are_none_of_ours() {
        let name = Maker::new([]).key("", "").file_name();
        let others = [&name[1..], &name.to_uppercase(), &name.replace(".code", ".o"), ".code", "triton"];
        assert!(others.iter().all(|other| !is_file_name(other)));
    }
}
