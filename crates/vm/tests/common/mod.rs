//! What the tests that compare with an H200 share: its recorded answers.

use std::io::Read;
use std::path::Path;

/// A file of `tests/golden`, unpacked if its name ends with `.zst`.
pub fn golden(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden").join(name);
    let stored = std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()));
    if !name.ends_with(".zst") {
        return stored;
    }
    let mut bytes = Vec::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(stored.as_slice()).expect("a zstd frame");
    decoder.read_to_end(&mut bytes).expect("a whole zstd frame");
    bytes
}
