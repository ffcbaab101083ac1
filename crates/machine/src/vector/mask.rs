//! Converts masks to lanes and back, and writes the lanes of a mask while the others stay as they are.
//!
//! Every operation contains this code, at every level of vector instructions, so it must be short. A mask that is split by
//! arithmetic costs several instructions for each of the 32 lanes. A mask that is looked up in a table, a few lanes at a
//! time, becomes plain vector code.

/// Bits that a lane may hold.
pub trait Plain: Copy {
    /// Sets the lanes in the mask.
    fn merge(to: &mut [Self; 32], mask: u32, values: &[Self; 32]);
}

/// For every mask of a few lanes, an element for each lane: all its bits are set, or none.
macro_rules! spread {
    ($lanes:literal) => {{
        let mut spread = [[0; $lanes]; 1 << $lanes];
        let mut mask = 0;
        while mask < 1 << $lanes {
            let mut lane = 0;
            while lane < $lanes {
                spread[mask][lane] = if mask >> lane & 1 != 0 { !0 } else { 0 };
                lane += 1;
            }
            mask += 1;
        }
        spread
    }};
}

/// Eight lanes at a time, to be extended to their width: one instruction since SSE 4.1.
static EIGHT: [[i8; 8]; 256] = spread!(8);
/// Four lanes of 64 bits, because extending bytes so far takes long without that instruction.
static FOUR: [[u64; 4]; 16] = spread!(4);

macro_rules! plain {
    ($ty:ident from $table:ident by $lanes:literal) => {
        impl Plain for $ty {
            #[inline(always)]
            fn merge(to: &mut [Self; 32], mask: u32, values: &[Self; 32]) {
                // All is read before anything is written: the compiler cannot know that the registers are not the table.
                let mut merged = *to;
                for part in 0..32 / $lanes {
                    let taken = &$table[(mask >> ($lanes * part)) as usize % $table.len()];
                    for lane in 0..$lanes {
                        let (taken, lane) = (taken[lane] as $ty, $lanes * part + lane);
                        merged[lane] = values[lane] & taken | merged[lane] & !taken;
                    }
                }
                *to = merged;
            }
        }
    };
}

plain!(u8 from EIGHT by 8);
plain!(u16 from EIGHT by 8);
plain!(u32 from EIGHT by 8);
plain!(u64 from FOUR by 4);

impl Plain for u128 {
    #[inline(always)]
    fn merge(to: &mut [Self; 32], mask: u32, values: &[Self; 32]) {
        for (lane, (to, value)) in to.iter_mut().zip(values).enumerate() {
            if mask >> lane & 1 != 0 {
                *to = *value;
            }
        }
    }
}

/// A mask as one element for each lane.
#[inline(always)]
pub fn apart(mask: u32) -> [bool; 32] {
    let mut lanes = [false; 32];
    for (part, lanes) in lanes.as_chunks_mut::<8>().0.iter_mut().enumerate() {
        *lanes = EIGHT[(mask >> (8 * part)) as usize % EIGHT.len()].map(|taken| taken != 0);
    }
    lanes
}

/// The mask that has a bit for each lane. Eight at a time: a product puts the lowest bit of each of eight bytes side by
/// side into the highest byte.
#[inline(always)]
pub fn together(lanes: &[bool; 32]) -> u32 {
    let mut mask = 0;
    for (part, lanes) in lanes.as_chunks::<8>().0.iter().enumerate() {
        let bytes = u64::from_le_bytes(lanes.map(u8::from));
        mask |= (bytes.wrapping_mul(0x0102_0408_1020_4080) >> 56) << (8 * part);
    }
    mask as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    const MASKS: [u32; 8] = [0, 1, 1 << 31, 0x8000_0001, 0xffff_fffe, 0x0123_4567, 0xaaaa_5555, u32::MAX];

    fn merges<T: Plain + PartialEq + std::fmt::Debug + From<u8>>() {
        let (old, new): ([T; 32], [T; 32]) = (
            std::array::from_fn(|lane| T::from(lane as u8)),
            std::array::from_fn(|lane| T::from(200 - lane as u8)),
        );
        for mask in MASKS {
            let mut merged = old;
            T::merge(&mut merged, mask, &new);
            let expected =
                std::array::from_fn(|lane| if mask >> lane & 1 != 0 { new[lane] } else { old[lane] });
            assert_eq!(merged, expected, "{mask:#x}");
        }
    }

    #[test]
    fn only_the_lanes_of_a_mask_are_written() {
        merges::<u8>();
        merges::<u16>();
        merges::<u32>();
        merges::<u64>();
        merges::<u128>();
    }

    #[test]
    fn a_mask_taken_apart_and_put_together_is_the_same() {
        for mask in MASKS {
            let lanes = apart(mask);
            assert_eq!(lanes, std::array::from_fn(|lane| mask >> lane & 1 != 0));
            assert_eq!(together(&lanes), mask);
        }
    }
}
