//! One channel on a line between two numbers of 8 bits: BC4, each half of BC5, the alpha of BC3.

/// The weights of an index, of the first end and of the second, and what they sum to; or one of the two values beside
/// the line.
enum Place {
    Between(i32, i32, i32),
    Least,
    Most,
}

#[inline]
fn place(block: u64, texel: u32, eight: bool) -> Place {
    let index = (block >> (16 + 3 * texel) & 7) as i32;
    match (index, eight) {
        (0, _) => Place::Between(1, 0, 1),
        (1, _) => Place::Between(0, 1, 1),
        (_, true) => Place::Between(8 - index, index - 1, 7),
        (6, false) => Place::Least,
        (7, false) => Place::Most,
        (_, false) => Place::Between(6 - index, index - 1, 5),
    }
}

/// A texel as a byte.
#[inline]
pub fn byte(block: u64, texel: u32) -> u8 {
    let [first, second] = [block as u8, (block >> 8) as u8];
    match place(block, texel, first > second) {
        Place::Between(a, b, sum) => ((i32::from(first) * a + i32::from(second) * b) / sum) as u8,
        Place::Least => 0,
        Place::Most => 255,
    }
}

/// A texel as a float from 0 to 1.
#[inline]
pub fn unorm(block: u64, texel: u32) -> u32 {
    let [first, second] = [block as u8, (block >> 8) as u8];
    match place(block, texel, first > second) {
        Place::Between(a, b, sum) => {
            ((i32::from(first) * a + i32::from(second) * b) as f32 / (255 * sum) as f32).to_bits()
        }
        Place::Least => 0,
        Place::Most => 0x3f80_0000,
    }
}

/// A texel as a float from -1 to 1.
#[inline]
pub fn snorm(block: u64, texel: u32) -> u32 {
    let [first, second] = [block as i8, (block >> 8) as i8];
    match place(block, texel, first > second) {
        Place::Between(a, b, sum) => {
            let [first, second] = [first, second].map(|end| i32::from(end.max(-127)));
            ((first * a + second * b) as f32 / (127 * sum) as f32).to_bits()
        }
        Place::Least => 0xbf80_0000,
        Place::Most => 0x3f80_0000,
    }
}
