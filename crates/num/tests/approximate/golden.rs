//! The recordings: a description in JSON and data in a zstd frame.

use std::io::Read;
use std::path::PathBuf;

use serde_json::Value;

/// A file of `tests/golden`.
fn file(name: &str) -> Vec<u8> {
    let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden").join(name);
    std::fs::read(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

pub fn description(name: &str) -> Value {
    serde_json::from_slice(&file(name)).unwrap()
}

pub fn data(name: &str) -> Vec<u8> {
    let mut data = Vec::new();
    let file = file(name);
    ruzstd::decoding::StreamingDecoder::new(file.as_slice()).unwrap().read_to_end(&mut data).unwrap();
    data
}

/// The little-endian words in the data.
pub fn words(data: &[u8]) -> Vec<u32> {
    data.chunks_exact(4).map(|b| u32::from_le_bytes([b[0], b[1], b[2], b[3]])).collect()
}

/// The mixing function of the hashes.
#[inline(always)]
pub fn mix(mut h: u32) -> u32 {
    h ^= h >> 16;
    h = h.wrapping_mul(0x85eb_ca6b);
    h ^= h >> 13;
    h = h.wrapping_mul(0xc2b2_ae35);
    h ^ h >> 16
}

/// The hash of a block's answers.
#[inline(always)]
pub fn hash(answers: impl Iterator<Item = u32>) -> u32 {
    (0u32..).zip(answers).fold(0, |sum, (i, y)| sum.wrapping_add(mix(y ^ mix(i))))
}
