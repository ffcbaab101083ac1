//! One channel on a line between two numbers of 8 bits: BC4, each half of BC5, the alpha of BC3.
//!
//! There are six or four values between the ends. An H200 does not place them at sevenths or fifths of the way, but at 36,
//! 72 or 144 257ths (for six) or 48 or 96 257ths (for four) from the nearer or farther end. BC4 and BC5 keep sixteen bits
//! of the result, BC3 rounds it to eight.

/// Where a texel lies.
enum OnLine {
    /// At the first or the second end.
    End(bool),
    /// Some 257ths of the way from the first end to the second, or from the second to the first.
    Between(bool, i32),
    /// At the least value of all.
    Least,
    /// At the greatest value of all.
    Most,
}

#[inline]
fn place(block: u64, texel: u32, eight: bool) -> OnLine {
    match (block >> (16 + 3 * texel) & 7, eight) {
        (0, _) => OnLine::End(false),
        (1, _) => OnLine::End(true),
        (2, true) => OnLine::Between(false, 36),
        (3, true) => OnLine::Between(false, 72),
        (4, true) => OnLine::Between(true, 144),
        (5, true) => OnLine::Between(false, 144),
        (6, true) => OnLine::Between(true, 72),
        (_, true) => OnLine::Between(true, 36),
        (2, false) => OnLine::Between(false, 48),
        (3, false) => OnLine::Between(false, 96),
        (4, false) => OnLine::Between(true, 96),
        (5, false) => OnLine::Between(true, 48),
        (6, false) => OnLine::Least,
        (_, false) => OnLine::Most,
    }
}

/// A texel as a byte.
#[inline]
pub fn byte(block: u64, texel: u32) -> u8 {
    let ends = [block as u8, (block >> 8) as u8];
    match place(block, texel, ends[0] > ends[1]) {
        OnLine::End(second) => ends[usize::from(second)],
        OnLine::Between(back, weight) => {
            let [from, to] = [usize::from(back), usize::from(!back)].map(|end| i32::from(ends[end]));
            let way = to - from;
            // A 288th more is an eighth of 36 and of what is twice or four times as much.
            let more = match weight {
                36 | 48 => way >> 3,
                72 | 96 => way >> 2,
                _ => way >> 1,
            };
            ((256 * from + way * weight + more + 128) >> 8) as u8
        }
        OnLine::Least => 0,
        OnLine::Most => 255,
    }
}

/// A texel as a float from 0 to 1.
#[inline]
pub fn unorm(block: u64, texel: u32) -> u32 {
    let ends = [block as u8, (block >> 8) as u8].map(i32::from);
    let value = match place(block, texel, ends[0] > ends[1]) {
        OnLine::End(second) => 257 * ends[usize::from(second)],
        OnLine::Between(back, weight) => {
            let [from, to] = [ends[usize::from(back)], ends[usize::from(!back)]];
            257 * from + weight * (to - from)
        }
        OnLine::Least => 0,
        OnLine::Most => 65535,
    };
    (value as f32 / 65535.0).to_bits()
}

/// A texel as a float from -1 to 1.
#[inline]
pub fn snorm(block: u64, texel: u32) -> u32 {
    let ends = [block as i8, (block >> 8) as i8].map(|end| i32::from(end.max(-127)));
    // Seven bits become fifteen: the highest are repeated below.
    let wide = |end: i32| (258 * end.abs() + (end.abs() >> 6)) * end.signum();
    let value = match place(block, texel, ends[0] > ends[1]) {
        OnLine::End(second) => wide(ends[usize::from(second)]),
        OnLine::Between(back, weight) => {
            let [from, to] = [ends[usize::from(back)], ends[usize::from(!back)]];
            wide(from) + weight * (to - from)
        }
        OnLine::Least => -32767,
        OnLine::Most => 32767,
    };
    (value as f32 / 32767.0).to_bits()
}
