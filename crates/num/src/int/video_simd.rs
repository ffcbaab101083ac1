//! Video operations on two halves or four bytes at once, 9.7.18.2: each source vector is gathered from the parts
//! of both source registers, and the results are merged into a third register or added to it.

use super::video::Compare;

/// Where a source vector's parts come from, lowest place first, and how they are extended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Gather<const N: usize> {
    /// The numbers of the parts: those of `b` follow those of `a`.
    pub from: [u8; N],
    pub signed: bool,
}

impl<const N: usize> Gather<N> {
    /// How many bits a part has.
    const BITS: u32 = 32 / N as u32;

    /// The parts of `a` in their places: what no selector on the first source means.
    #[must_use]
    pub fn first(signed: bool) -> Self {
        Self { from: std::array::from_fn(|place| place as u8), signed }
    }

    /// The parts of `b` in their places: what no selector on the second source means.
    #[must_use]
    pub fn second(signed: bool) -> Self {
        Self { from: std::array::from_fn(|place| (place + N) as u8), signed }
    }

    /// The part for one place.
    fn read(self, a: u32, b: u32, place: usize) -> i64 {
        let both = u64::from(b) << 32 | u64::from(a);
        let number = u32::from(self.from[place]) % (2 * N as u32);
        let top = both >> (number * Self::BITS) << (64 - Self::BITS);
        if self.signed { top as i64 >> (64 - Self::BITS) } else { (top >> (64 - Self::BITS)) as i64 }
    }
}

/// The operation on the pair of each place.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    Add,
    Sub,
    /// Half the sum, rounded away from zero.
    Average,
    AbsDiff,
    Min,
    Max,
    /// One where it holds, zero where not.
    Set(Compare),
}

impl Operation {
    fn apply(self, a: i64, b: i64) -> i64 {
        match self {
            Self::Add => a + b,
            Self::Sub => a - b,
            Self::Average => (a + b + i64::from(a + b >= 0)) >> 1,
            Self::AbsDiff => (a - b).abs(),
            Self::Min => a.min(b),
            Self::Max => a.max(b),
            Self::Set(compare) => compare.holds(a, b).into(),
        }
    }
}

/// What is done with the results and the third source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Then {
    /// They replace its parts in the places of the mask.
    Merge,
    /// Likewise, but brought into the range of a part first.
    Saturate,
    /// Those in the places of the mask are added to it.
    Add,
}

/// A video operation on `N` parts: `vadd2`, `vset4` and their like.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Simd<const N: usize> {
    pub operation: Operation,
    pub a: Gather<N>,
    pub b: Gather<N>,
    /// Whether the destination's type is `.s32`.
    pub signed: bool,
    /// The places whose results count.
    pub mask: u8,
    pub then: Then,
}

impl<const N: usize> Simd<N> {
    /// The destination's value.
    #[must_use]
    pub fn run(self, a: u32, b: u32, c: u32) -> u32 {
        let bits = Gather::<N>::BITS;
        let mut d = c;
        for place in (0..N).filter(|place| self.mask >> place & 1 == 1) {
            let value = self.operation.apply(self.a.read(a, b, place), self.b.read(a, b, place));
            let value = match self.then {
                Then::Add => {
                    d = d.wrapping_add(value as u32);
                    continue;
                }
                Then::Merge => value,
                Then::Saturate if self.signed => value.clamp(-1 << (bits - 1), (1 << (bits - 1)) - 1),
                Then::Saturate => value.clamp(0, (1 << bits) - 1),
            };
            let shift = bits * place as u32;
            let part = u32::MAX >> (32 - bits) << shift;
            d = ((value as u32) << shift & part) | (d & !part);
        }
        d
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ADD: Simd<4> = Simd {
        operation: Operation::Add,
        a: Gather { from: [0, 1, 2, 3], signed: false },
        b: Gather { from: [4, 5, 6, 7], signed: false },
        signed: false,
        mask: 0b1111,
        then: Then::Merge,
    };

    #[test]
    fn parts_are_gathered_from_both_sources() {
        let zeros = |from| Simd { a: Gather { from, signed: false }, ..ADD };
        assert_eq!(zeros([7, 5, 3, 0]).run(0x0302_0100, 0, 0), 0x0003_0000);
        assert_eq!(ADD.run(0x0102_0304, 0x1020_3040, 99), 0x1122_3344);
        assert_eq!(Gather::<2>::first(true), Gather { from: [0, 1], signed: true });
        assert_eq!(Gather::<2>::second(false), Gather { from: [2, 3], signed: false });
        let swapped = Simd::<2> {
            operation: Operation::Sub,
            a: Gather { from: [1, 0], signed: true },
            b: Gather { from: [2, 3], signed: true },
            signed: true,
            mask: 0b11,
            then: Then::Merge,
        };
        assert_eq!(swapped.run(0x0005_0007, 0x0001_0002, 0), 0x0006_0003);
    }

    #[test]
    fn the_mask_says_which_results_count() {
        let some = Simd { mask: 0b0101, ..ADD };
        assert_eq!(some.run(0x0101_0101, 0x0101_0101, 0xaabb_ccdd), 0xaa02_cc02);
        let sum = Simd { then: Then::Add, ..some };
        assert_eq!(sum.run(0x01ff_0101, 0x01ff_0101, 1000), 1000 + 2 + 510);
    }

    #[test]
    fn clamps_follow_the_destination() {
        let signed = |from| Gather { from, signed: true };
        let sub = Simd { operation: Operation::Sub, then: Then::Saturate, ..ADD };
        assert_eq!(sub.run(0x0005_00ff, 0x0105_01ff, 0), 0);
        let both = Simd { a: signed([0, 1, 2, 3]), b: signed([4, 5, 6, 7]), signed: true, ..sub };
        assert_eq!(both.run(0x807f_0005, 0x01ff_0006, 0), 0x807f_00ff);
    }

    #[test]
    fn averages_round_away_from_zero() {
        assert_eq!([3, 4, -3, -4].map(|sum| Operation::Average.apply(sum, 0)), [2, 2, -2, -2]);
    }
}
