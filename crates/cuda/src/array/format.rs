//! The formats of arrays, by the driver's numbers.
//!
//! The video formats cannot be sampled: such an array contains planes, or words with packed pixels.

use ptxvm_texture::{Channel, Format};

use super::descriptor::{ArrayDescriptor, flag};
use crate::abi::{Answer, CUresult};

/// A plane of an array of video: an array by itself.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plane {
    /// How many pixels of a row share a texel.
    pub across: usize,
    /// How many rows share a row.
    pub down: usize,
    /// `CUarray_format`
    pub format: u32,
    pub channels: u32,
}

/// `CU_AD_FORMAT_UNSIGNED_INT8`, `_INT16` and `_INT32`
const U8: u32 = 1;
const U16: u32 = 2;
const U32: u32 = 3;

/// The format of texels that an array has; of an array of video, that of its first plane.
///
/// # Errors
/// There is no such format, or none with as many channels.
pub fn format(described: &ArrayDescriptor) -> Answer<Format> {
    if described.has(flag::VIDEO_ENCODE_DECODE)
        && let Some(plane) = video(described.format, described.channels)
    {
        return of(plane.format, plane.channels);
    }
    of(described.format, described.channels)
}

/// The format of a number, with as many channels.
///
/// # Errors
/// There is no such format, or none with as many channels.
pub fn of(number: u32, channels: u32) -> Answer<Format> {
    Format::of_array(number, channels).ok_or(CUresult::INVALID_VALUE)
}

/// The format of texels in memory that is no array. The driver takes fewer formats there.
///
/// # Errors
/// There is no such format.
pub fn in_memory(number: u32, channels: u32) -> Answer<Format> {
    const UNORM_INT_101010_2: u32 = 0x50;
    if !matches!(channels, 1 | 2 | 4) {
        return Err(CUresult::INVALID_VALUE);
    }
    let format = of(number, if number == UNORM_INT_101010_2 { 4 } else { channels })?;
    let normalized =
        matches!(format.channel, Channel::Unorm8 | Channel::Unorm16 | Channel::Snorm8 | Channel::Snorm16);
    if normalized || format.block_side() > 1 { Err(CUresult::INVALID_VALUE) } else { Ok(format) }
}

/// The first plane of a format of video, or the only one of a packed format.
fn video(number: u32, channels: u32) -> Option<Plane> {
    let packed = |format, channels| Plane { across: 1, down: 1, format, channels };
    match (number, channels) {
        (0xa5, 4) => Some(packed(U8, 2)),
        (0xa9, 1) => Some(packed(U32, 1)),
        (0xa6 | 0xa7, 2) => Some(packed(U16, 2)),
        (0xa8, 4) => Some(packed(U8, 4)),
        (0xb1, 4) => Some(packed(U16, 4)),
        (_, 3) => planes(number).first().copied(),
        _ => None,
    }
}

/// Whether a format is one of video.
pub fn is_video(number: u32) -> bool {
    matches!(number, 0x51..=0x5e | 0x9f | 0xa1..=0xa9 | 0xb0..=0xb5)
}

/// The planes of a format of video; none if there is one.
pub fn planes(number: u32) -> &'static [Plane] {
    const fn plane(shared: (usize, usize), format: u32, channels: u32) -> Plane {
        Plane { across: shared.0, down: shared.1, format, channels }
    }
    const WHOLE: (usize, usize) = (1, 1);
    const HALF: (usize, usize) = (2, 1);
    const QUARTER: (usize, usize) = (2, 2);
    match number {
        0xb0 => const { &[plane(WHOLE, U8, 1), plane(QUARTER, U8, 2)] },
        0x9f | 0xa1 => const { &[plane(WHOLE, U16, 1), plane(QUARTER, U16, 2)] },
        0xa2 => const { &[plane(WHOLE, U8, 1), plane(HALF, U8, 2)] },
        0xa3 | 0xa4 => const { &[plane(WHOLE, U16, 1), plane(HALF, U16, 2)] },
        0xb2 => const { &[plane(WHOLE, U8, 1); 3] },
        0xb3 => const { &[plane(WHOLE, U16, 1); 3] },
        0xb4 => const { &[plane(WHOLE, U8, 1), plane(WHOLE, U8, 2)] },
        0xb5 => const { &[plane(WHOLE, U16, 1), plane(WHOLE, U16, 2)] },
        _ => &[],
    }
}
