//! Compressed payloads: LZ4 in the fatbins of older tools, zstd since CUDA 12.8.
//!
//! A size in a header is only a limit. Memory is allocated as data arrives, or if the data can really become that long.
//! The same holds for the window that a zstd frame asks its decoder for.

use std::io::Read;

use super::{Refusal, Room};

/// No PTX is larger.
const MOST: u64 = 1 << 30;
/// A byte of LZ4 never becomes more than this many.
const LZ4_RATIO: u64 = 255;
/// The largest window that zstd's own tools decode without being asked to; a frame that is smaller than its window is
/// written by tools that did not know its size.
const LARGEST_WINDOW: u64 = 1 << 27;
/// What frames of zstd begin with.
const ZSTD: [u8; 4] = 0xfd2f_b528u32.to_le_bytes();

/// Decompresses a block of LZ4.
///
/// # Errors
/// It is damaged, or larger than announced, or than there is room for.
pub fn lz4(bytes: &[u8], size: u64, room: &Room) -> Result<Vec<u8>, Refusal> {
    let possible = (bytes.len() as u64).saturating_mul(LZ4_RATIO).saturating_add(LZ4_RATIO);
    let size = size.min(possible).min(MOST);
    room.has(size)?;
    let size = usize::try_from(size).unwrap_or(0);
    lz4_flex::block::decompress(bytes, size).map_err(|_| Refusal::Fatbin("its LZ4 data is damaged"))
}

/// Decompresses a frame of zstd.
///
/// # Errors
/// It is damaged, or larger than announced, or than there is room for.
pub fn zstd(mut bytes: &[u8], size: u64, room: &Room) -> Result<Vec<u8>, Refusal> {
    let damaged = Refusal::Fatbin("its zstd data is damaged");
    let limit = size.min(MOST);
    let Some(Frame { window, content }) = Frame::of(bytes) else { return Err(damaged) };
    if content.is_some_and(|content| content > limit) {
        return Err(Refusal::Fatbin("its zstd data is larger than its header says"));
    }
    if window > limit.max(LARGEST_WINDOW) {
        return Err(Refusal::Fatbin("its zstd data asks for a window larger than any PTX"));
    }
    // Without a size of its own a frame gives what it gives: as much as is announced at most.
    room.has(content.unwrap_or(0))?;
    room.has_besides(window)?;
    let Ok(decoder) = ruzstd::decoding::StreamingDecoder::new(&mut bytes) else { return Err(damaged) };
    let most = limit.min(room.left());
    let mut text = Vec::new();
    match decoder.take(most.saturating_add(1)).read_to_end(&mut text) {
        Ok(_) if text.len() as u64 <= most => Ok(text),
        Ok(_) if most < limit => Err(Refusal::Room(text.len() as u64)),
        _ => Err(damaged),
    }
}

/// What the header of a frame asks for (RFC 8878, 3.1.1.1). The decoder takes memory for it before it has read anything
/// else, so it is looked at first.
struct Frame {
    /// How much of what was decoded has to be kept.
    window: u64,
    /// How much there will be, if the frame says so.
    content: Option<u64>,
}

impl Frame {
    fn of(bytes: &[u8]) -> Option<Frame> {
        let (&descriptor, rest) = bytes.strip_prefix(&ZSTD)?.split_first()?;
        let single = descriptor & 1 << 5 != 0;
        let (window, rest) =
            if single { (None, rest) } else { rest.split_first().map(|(w, r)| (Some(*w), r))? };
        let dictionary = [0, 1, 2, 4][usize::from(descriptor & 3)];
        let width = match descriptor >> 6 {
            0 => usize::from(single),
            flag => 1 << flag,
        };
        let number = rest.get(dictionary..)?.get(..width)?;
        let value = number.iter().rev().fold(0u64, |value, byte| value << 8 | u64::from(*byte));
        let content = match width {
            0 => None,
            2 => Some(value + 256),
            _ => Some(value),
        };
        let window = match window {
            Some(window) => {
                let base = 1u64 << (10 + (window >> 3));
                base + base / 8 * u64::from(window & 7)
            }
            None => content?,
        };
        Some(Frame { window, content })
    }
}
