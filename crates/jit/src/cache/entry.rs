//! The bytes of a kept file: what says that it is one, whose it is and that it is whole, and then the object file.
//!
//! | bytes | |
//! |---|---|
//! | 8 | `ptxvmobj` |
//! | 4 | the format, little endian, as all numbers |
//! | 32 | the key, which is the file's name too |
//! | 8 | how many bytes the object file has |
//! | 32 | their BLAKE3 hash |
//! | … | the object file |

use super::key::{FORMAT, KEY_BYTES, Key};

const MAGIC: &[u8; 8] = b"ptxvmobj";
const CHECKSUM_BYTES: usize = blake3::OUT_LEN;
const HEAD: usize = MAGIC.len() + size_of::<u32>() + KEY_BYTES + size_of::<u64>() + CHECKSUM_BYTES;

/// A kept file that has been checked.
pub struct Entry(Vec<u8>);

impl Entry {
    /// Checks the bytes of a file. They may be anything: what is not whole, of another key or of another format is none.
    pub fn read(file: Vec<u8>, key: &Key) -> Option<Self> {
        let object = file.get(HEAD..)?;
        (file[..HEAD] == head(key, object)).then_some(Self(file))
    }

    /// The bytes of the file for an object file.
    pub fn written(key: &Key, object: &[u8]) -> Vec<u8> {
        [&head(key, object), object].concat()
    }

    /// The object file.
    pub fn object(&self) -> &[u8] {
        &self.0[HEAD..]
    }
}

/// All that comes before an object file.
fn head(key: &Key, object: &[u8]) -> Vec<u8> {
    let format = FORMAT.to_le_bytes();
    let length = (object.len() as u64).to_le_bytes();
    let checksum = blake3::hash(object);
    [&MAGIC[..], &format, key.bytes(), &length, checksum.as_bytes()].concat()
}

#[cfg(test)]
mod tests {
    use super::super::key::Maker;
    use super::*;

    #[test]
    fn a_file_with_any_other_byte_or_length_is_none() {
        let key = Maker::new([]).key("passes", "text");
        let whole = Entry::written(&key, b"an object file");
        let read = |file: &[u8]| Entry::read(file.to_vec(), &key).map(|entry| entry.object().to_vec());
        assert_eq!(read(&whole).as_deref(), Some(&b"an object file"[..]));
        for at in 0..whole.len() {
            let mut damaged = whole.clone();
            damaged[at] ^= 1;
            assert_eq!(read(&damaged), None, "{at}");
            assert_eq!(read(&whole[..at]), None, "{at}");
        }
        assert_eq!(read(&[&whole[..], b"!"].concat()), None);
        assert!(Entry::read(whole, &Maker::new([]).key("passes", "texts")).is_none());
    }
}
