//! Compressed payloads: LZ4 in the fatbins of older tools, zstd since CUDA 12.8.
//!
//! The size that a header announces is a limit, never a promise: nothing is allocated before the data is there, or
//! the data could not become that much.

use std::io::Read;

use super::Refusal;

/// No PTX is larger.
const MOST: u64 = 1 << 30;
/// A byte of LZ4 never becomes more than this many.
const LZ4_RATIO: u64 = 255;

/// Decompresses a block of LZ4.
///
/// # Errors
/// It is damaged, or larger than announced.
pub fn lz4(bytes: &[u8], size: u64) -> Result<Vec<u8>, Refusal> {
    let possible = (bytes.len() as u64).saturating_mul(LZ4_RATIO).saturating_add(LZ4_RATIO);
    let size = usize::try_from(size.min(possible).min(MOST)).unwrap_or(0);
    lz4_flex::block::decompress(bytes, size).map_err(|_| Refusal::Fatbin("its LZ4 data is damaged"))
}

/// Decompresses frames of zstd.
///
/// # Errors
/// They are damaged, or larger than announced.
pub fn zstd(mut bytes: &[u8], size: u64) -> Result<Vec<u8>, Refusal> {
    let damaged = Refusal::Fatbin("its zstd data is damaged");
    let limit = size.min(MOST);
    let Ok(decoder) = ruzstd::decoding::StreamingDecoder::new(&mut bytes) else { return Err(damaged) };
    let mut text = Vec::new();
    match decoder.take(limit.saturating_add(1)).read_to_end(&mut text) {
        Ok(_) if text.len() as u64 <= limit => Ok(text),
        _ => Err(damaged),
    }
}
