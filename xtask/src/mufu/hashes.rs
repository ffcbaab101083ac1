//! The recorded hashes of `tests/golden/mufu.*`: 65,536 for each function, one for each block of 65,536 inputs.

use std::path::Path;

use serde_json::Value;

/// Inputs in a block.
pub const BLOCK: u32 = 1 << 16;

/// The hashes of every function, in the order of `mufu.json`.
pub struct Hashes {
    pub names: Vec<String>,
    words: Vec<u32>,
}

impl Hashes {
    pub fn load(root: &Path) -> Result<Self, String> {
        let names = description(root)?["hashes"]
            .as_array()
            .map_or(Vec::new(), |names| names.iter().filter_map(Value::as_str).map(String::from).collect());
        let words: Vec<u32> = decompress(&read(&root.join("tests/golden/mufu.hash.zst"))?)?
            .chunks_exact(4)
            .map(|bytes| bytes.iter().rev().fold(0, |word, &byte| word << 8 | u32::from(byte)))
            .collect();
        if words.len() != names.len() << 16 {
            return Err("mufu.json and mufu.hash.zst do not belong together".into());
        }
        Ok(Self { names, words })
    }

    /// The recorded hash of a function's block.
    pub fn get(&self, function: usize, block: u32) -> u32 {
        self.words[function << 16 | block as usize]
    }
}

/// The hash of a block's answers.
pub fn hash(answers: impl Iterator<Item = u32>) -> u32 {
    (0u32..).zip(answers).fold(0, |sum, (i, y)| sum.wrapping_add(mix(y ^ mix(i))))
}

#[inline(always)]
fn mix(mut h: u32) -> u32 {
    h ^= h >> 16;
    h = h.wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2_ae35);
    h ^ h >> 16
}

/// `tests/golden/mufu.json`.
pub fn description(root: &Path) -> Result<Value, String> {
    serde_json::from_slice(&read(&root.join("tests/golden/mufu.json"))?).map_err(|e| e.to_string())
}

pub fn read(path: &Path) -> Result<Vec<u8>, String> {
    std::fs::read(path).map_err(|e| format!("{}: {e}", path.display()))
}

/// What the first zstd frame in `data` holds.
pub fn decompress(data: &[u8]) -> Result<Vec<u8>, String> {
    let mut out = Vec::new();
    let mut decoder = ruzstd::decoding::StreamingDecoder::new(data).map_err(|e| e.to_string())?;
    std::io::Read::read_to_end(&mut decoder, &mut out).map_err(|e| e.to_string())?;
    Ok(out)
}
