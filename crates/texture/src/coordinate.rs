//! Coordinates to texels, in each address mode.

use crate::sampler::AddressMode;

/// The texel of an integer coordinate; `None` if the border colour is meant.
#[must_use]
pub fn texel(at: i64, size: u32, mode: AddressMode) -> Option<u32> {
    let size = i64::from(size);
    let within = match mode {
        AddressMode::Wrap => at.rem_euclid(size),
        AddressMode::Clamp => at.clamp(0, size - 1),
        AddressMode::Mirror => {
            let at = at.rem_euclid(2 * size);
            at.min(2 * size - 1 - at)
        }
        AddressMode::Border => at,
    };
    (0..size).contains(&within).then_some(within as u32)
}
