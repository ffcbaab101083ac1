//! Reading the files a command names; `-` is standard input.

use std::io::Read;

/// A file's name for messages, and its bytes.
pub struct Input {
    /// The path as given, `<stdin>` for `-`.
    pub name: String,
    /// What it holds.
    pub bytes: Vec<u8>,
}

/// Reads a file, or standard input for `-`; the error is a sentence for people.
pub fn read(path: &str) -> Result<Input, String> {
    if path == "-" {
        let mut bytes = Vec::new();
        return match std::io::stdin().lock().read_to_end(&mut bytes) {
            Ok(_) => Ok(Input { name: "<stdin>".into(), bytes }),
            Err(e) => Err(format!("cannot read standard input: {e}")),
        };
    }
    match std::fs::read(path) {
        Ok(bytes) => Ok(Input { name: path.into(), bytes }),
        Err(e) => Err(format!("cannot read {path}: {e}")),
    }
}
