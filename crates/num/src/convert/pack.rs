//! `cvt.pack` (manual 9.7.9.22): two integers clamped to a narrow type, the first above the second.

/// A clamped integer's low `size` bits.
const fn clamp(value: i32, size: u32, signed: bool) -> u32 {
    let (low, high) = if signed { (-1 << (size - 1), (1 << (size - 1)) - 1) } else { (0, (1 << size) - 1) };
    let clamped = if value < low {
        low
    } else if value > high {
        high
    } else {
        value
    };
    clamped as u32 & ((1 << size) - 1)
}

/// Two integers clamped to 16 bits.
#[must_use]
pub const fn pack_integers(a: u32, b: u32, signed: bool) -> u32 {
    clamp(a as i32, 16, signed) << 16 | clamp(b as i32, 16, signed)
}

/// Two integers clamped to `size` bits, at most 8, below the low bits of `c`.
#[must_use]
pub const fn pack_integers_over(a: u32, b: u32, c: u32, size: u32, signed: bool) -> u32 {
    c << (2 * size) | clamp(a as i32, size, signed) << size | clamp(b as i32, size, signed)
}
