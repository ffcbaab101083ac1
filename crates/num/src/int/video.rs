//! Scalar video operations, 9.7.18.1: a byte, half or word of each source, an operation, a clamp, and a second
//! operation or a merge with a third source.
//!
//! For an H200, ptxas expands them into ordinary instructions, whose result is not always what the manual says. Comments
//! name the differences. The golden vectors show some of them; we read the others from the code that ptxas 13.1 makes for
//! `sm_90a`.

/// The part of a word that a selector names.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Part {
    /// No selector.
    Word,
    /// `.h0` and `.h1`.
    Half(u32),
    /// `.b0` to `.b3`.
    Byte(u32),
}

impl Part {
    /// The part that a selector without its dot names.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "h0" => Self::Half(0),
            "h1" => Self::Half(1),
            "b0" => Self::Byte(0),
            "b1" => Self::Byte(1),
            "b2" => Self::Byte(2),
            "b3" => Self::Byte(3),
            _ => return None,
        })
    }

    /// How many bits it has.
    fn bits(self) -> u32 {
        match self {
            Self::Word => 32,
            Self::Half(_) => 16,
            Self::Byte(_) => 8,
        }
    }

    /// How far it lies from the lowest bit.
    fn shift(self) -> u32 {
        match self {
            Self::Word => 0,
            Self::Half(number) | Self::Byte(number) => number * self.bits(),
        }
    }

    /// The largest number it can hold.
    fn max(self, signed: bool) -> i64 {
        (1 << (self.bits() - u32::from(signed))) - 1
    }

    /// The smallest number it can hold.
    fn min(self, signed: bool) -> i64 {
        if signed { -1 << (self.bits() - 1) } else { 0 }
    }

    /// `word` with that part taken from `value`: from its low bits, but for `.h1` from its upper half.
    fn merge(self, value: u32, word: u32) -> u32 {
        let mask = u32::MAX >> (32 - self.bits()) << self.shift();
        let moved = if self == Self::Half(1) { value } else { value << self.shift() };
        (moved & mask) | (word & !mask)
    }
}

/// Which part of a source register is read, and whether it is extended by its sign or by zeros.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Source {
    pub part: Part,
    pub signed: bool,
}

impl Source {
    fn read(self, word: u32) -> i64 {
        let unused = 64 - self.part.bits();
        let top = u64::from(word >> self.part.shift()) << unused;
        if self.signed { top as i64 >> unused } else { (top >> unused) as i64 }
    }
}

/// How `vset` and its like compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Compare {
    Eq,
    Ne,
    Lt,
    Le,
    Gt,
    Ge,
}

impl Compare {
    /// The comparison of a modifier without its dot.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "eq" => Self::Eq,
            "ne" => Self::Ne,
            "lt" => Self::Lt,
            "le" => Self::Le,
            "gt" => Self::Gt,
            "ge" => Self::Ge,
            _ => return None,
        })
    }

    /// Whether it holds.
    #[must_use]
    pub fn holds(self, a: i64, b: i64) -> bool {
        match self {
            Self::Eq => a == b,
            Self::Ne => a != b,
            Self::Lt => a < b,
            Self::Le => a <= b,
            Self::Gt => a > b,
            Self::Ge => a >= b,
        }
    }
}

/// The first operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Operation {
    Add,
    Sub,
    AbsDiff,
    Min,
    Max,
    /// `vshl`; a distance wraps at 32 or stops there.
    Shl {
        wrap: bool,
    },
    /// `vshr`, likewise.
    Shr {
        wrap: bool,
    },
    /// `vset`: one where it holds, zero where not.
    Set(Compare),
}

impl Operation {
    fn apply(self, a: i64, b: i64) -> i64 {
        let distance = |wrap| if wrap { b & 31 } else { b.min(32) };
        match self {
            Self::Add => a + b,
            Self::Sub => a - b,
            Self::AbsDiff => (a - b).abs(),
            Self::Min => a.min(b),
            Self::Max => a.max(b),
            Self::Shl { wrap } => a << distance(wrap),
            Self::Shr { wrap } => a >> distance(wrap),
            Self::Set(compare) => compare.holds(a, b).into(),
        }
    }
}

/// What is done with the result of the first operation and the third source.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Then {
    /// It is merged into that part of the third source; with [`Part::Word`], it is all there is.
    Merge(Part),
    Add,
    Min,
    Max,
}

impl Then {
    /// The operation of a modifier without its dot.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "add" => Self::Add,
            "min" => Self::Min,
            "max" => Self::Max,
            _ => return None,
        })
    }
}

/// A scalar video operation but for `vmad`: `vadd`, `vsub`, `vabsdiff`, `vmin`, `vmax`, `vshl`, `vshr`, `vset`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Scalar {
    pub operation: Operation,
    pub a: Source,
    pub b: Source,
    /// `.sat`
    pub saturate: bool,
    /// Whether the destination's type is `.s32`; for `vset`, which has none, that of the first source counts.
    pub signed: bool,
    pub then: Then,
}

impl Scalar {
    /// The destination's value; `c` counts only where it is asked for.
    #[must_use]
    pub fn run(self, a: u32, b: u32, c: u32) -> u32 {
        let value = self.operation.apply(self.a.read(a), self.b.read(b));
        let value = if self.saturate { self.clamp(value) } else { value };
        match self.then {
            Then::Merge(part) => part.merge(value as u32, c),
            Then::Add => (value as u32).wrapping_add(c),
            Then::Min if self.less(value, c) => value as u32,
            Then::Max if !self.less(value, c) => value as u32,
            Then::Min | Then::Max => c,
        }
    }

    /// The value brought into the range of the destination, or where the hardware brings it.
    fn clamp(self, value: i64) -> i64 {
        let word = |value: i64| value.clamp(Part::Word.min(self.signed), Part::Word.max(self.signed));
        match (self.operation, self.then) {
            // A shift leaves 34 bits, of which the top one is the sign, and they are always clamped to a word.
            (Operation::Shl { .. } | Operation::Shr { .. }, _) => word(value << 30 >> 30),
            // What goes into a byte or half becomes its largest number even if it is too small.
            (_, Then::Merge(part @ (Part::Half(_) | Part::Byte(_)))) => {
                let max = part.max(self.signed);
                if (0..=max).contains(&value) { value } else { max }
            }
            _ if self.signed => word(value),
            // Only what is negative is caught: beyond the word's end an unsigned result still wraps.
            _ => value.max(0),
        }
    }

    /// Whether the value is less than `c`: as signed numbers of 64 bits, or as unsigned ones with `c` extended
    /// by zeros. Sums, differences and clamped shifts are extended from 32 bits by their sign, whatever the type.
    fn less(self, value: i64, c: u32) -> bool {
        let value = match self.operation {
            Operation::Add | Operation::Sub => i64::from(value as i32),
            Operation::Shl { .. } | Operation::Shr { .. } if self.saturate => i64::from(value as i32),
            _ => value,
        };
        if self.signed { value < i64::from(c as i32) } else { (value as u64) < u64::from(c) }
    }
}

/// What `vmad` turns round before it adds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Negate {
    Nothing,
    /// One of the factors, but not both.
    Product,
    /// The word added.
    Addend,
}

/// `vmad`
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Mad {
    pub a: Source,
    pub b: Source,
    pub negate: Negate,
    /// `.po`: one is added to the sum.
    pub plus_one: bool,
    /// How far the sum is shifted right: 0, 7 or 15.
    pub scale: u32,
    /// `.sat`
    pub saturate: bool,
}

impl Mad {
    /// The destination's value. The sum has 64 bits and is signed as soon as a source is, or anything is turned
    /// round; but a whole word is always read as signed, and so is `c`.
    #[must_use]
    pub fn run(self, a: u32, b: u32, c: u32) -> u32 {
        let signed = self.a.signed || self.b.signed || self.negate != Negate::Nothing;
        let factor = |source: Source, word| i64::from(source.read(word) as i32);
        let product = factor(self.a, a) * factor(self.b, b);
        let sum = match self.negate {
            Negate::Nothing => product.wrapping_add((c as i32).into()).wrapping_add(self.plus_one.into()),
            Negate::Product => i64::from(c as i32).wrapping_sub(product),
            Negate::Addend => product.wrapping_sub((c as i32).into()),
        };
        let scaled = if signed { sum >> self.scale } else { (sum as u64 >> self.scale) as i64 };
        if self.saturate {
            scaled.clamp(Part::Word.min(signed), Part::Word.max(signed)) as u32
        } else {
            scaled as u32
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const S32: Source = Source { part: Part::Word, signed: true };
    const U32: Source = Source { part: Part::Word, signed: false };
    const ADD: Scalar = Scalar {
        operation: Operation::Add,
        a: S32,
        b: S32,
        saturate: false,
        signed: true,
        then: Then::Merge(Part::Word),
    };

    #[test]
    fn parts_are_extended_by_their_type() {
        let read =
            |name, signed| Source { part: Part::from_name(name).expect(name), signed }.read(0x80f1_72e3);
        assert_eq!([read("b0", true), read("b1", true), read("b3", true)], [-0x1d, 0x72, -0x80]);
        assert_eq!([read("b0", false), read("b2", false), read("b3", false)], [0xe3, 0xf1, 0x80]);
        assert_eq!([read("h0", true), read("h1", true), read("h1", false)], [0x72e3, -0x7f0f, 0x80f1]);
    }

    #[test]
    fn words_are_clamped_by_the_destination() {
        let sat = Scalar { saturate: true, ..ADD };
        assert_eq!(sat.run(0x7fff_ffff, 1, 0), 0x7fff_ffff);
        assert_eq!(sat.run(0x8000_0000, 0xffff_ffff, 0), 0x8000_0000);
        let unsigned = Scalar { signed: false, ..sat };
        assert_eq!(unsigned.run(5, -6i32 as u32, 0), 0);
        // Two unsigned words that are too large together wrap, even though they should stop.
        assert_eq!(Scalar { a: U32, b: U32, ..unsigned }.run(u32::MAX, 3, 0), 2);
    }

    /// Measured on an H200: whatever does not fit a byte, on either side, becomes the byte's largest number.
    #[test]
    fn bytes_are_clamped_upwards_only() {
        let byte = Scalar { saturate: true, then: Then::Merge(Part::Byte(2)), ..ADD };
        assert_eq!(byte.run(3, 4, 0x5555_5555), 0x5507_5555);
        assert_eq!(byte.run(0x8000_0000, 0xffff_ffff, 0x5555_5555), 0x557f_5555);
        let min = Scalar { operation: Operation::Min, ..byte };
        assert_eq!(min.run(3, 0xffff_ffff, 0x7fff), 0x007f_7fff);
        let unsigned = Scalar { operation: Operation::Sub, signed: false, a: U32, ..byte };
        assert_eq!(unsigned.run(3, 0x8000, 0x100), 0x00ff_0100);
    }

    /// Measured on an H200: a shift leaves 34 bits, and the top one is the sign that the clamp goes by.
    #[test]
    fn shifted_bits_are_lost_before_the_clamp() {
        let shl = Scalar { operation: Operation::Shl { wrap: false }, b: U32, saturate: true, ..ADD };
        assert_eq!(shl.run(1, 32, 0), 0x7fff_ffff);
        assert_eq!(shl.run(2, 32, 0), 0x8000_0000);
        assert_eq!(shl.run(0x45da_85fc, 66, 0), 0);
        assert_eq!(Scalar { saturate: false, ..shl }.run(1, 33, 0), 0);
        assert_eq!(Scalar { operation: Operation::Shl { wrap: true }, ..shl }.run(1, 33, 0), 2);
        let shr = Scalar { operation: Operation::Shr { wrap: false }, ..shl };
        assert_eq!(shr.run(0xffff_fe2a, 3_769_784_872, 0), u32::MAX);
    }

    #[test]
    fn second_operations_see_the_third_source() {
        let then = |then| Scalar { then, ..ADD }.run(5, -7i32 as u32, 10);
        assert_eq!([then(Then::Add), then(Then::Min), then(Then::Max)], [8, -2i32 as u32, 10]);
        // An unsigned minimum takes a sum whose top bit is set for larger than any word.
        let unsigned = Scalar { signed: false, then: Then::Min, ..ADD };
        assert_eq!(unsigned.run(0x8000_0000, 0, 0xffff_ffff), 0xffff_ffff);
        assert_eq!(
            Scalar { operation: Operation::Max, a: U32, ..unsigned }.run(0x8000_0000, 0, !0),
            0x8000_0000
        );
        let set = Scalar { operation: Operation::Set(Compare::Lt), then: Then::Add, ..ADD };
        assert_eq!([set.run(1, 2, 40), set.run(2, 1, 40)], [41, 40]);
    }

    #[test]
    fn merges_keep_the_rest_of_the_third_source() {
        let merge = |part| Scalar { then: Then::Merge(part), ..ADD }.run(0x0102_0304, 0, 0xaabb_ccdd);
        assert_eq!(merge(Part::Byte(0)), 0xaabb_cc04);
        assert_eq!(merge(Part::Byte(3)), 0x04bb_ccdd);
        assert_eq!(merge(Part::Half(0)), 0xaabb_0304);
        assert_eq!(merge(Part::Half(1)), 0x0102_ccdd);
    }

    #[test]
    fn sums_of_products_have_64_bits_and_a_sign() {
        let plain =
            Mad { a: S32, b: S32, negate: Negate::Nothing, plus_one: false, scale: 0, saturate: false };
        assert_eq!(plain.run(6, 7, 8), 50);
        assert_eq!(Mad { plus_one: true, ..plain }.run(6, 7, 8), 51);
        assert_eq!(Mad { negate: Negate::Product, ..plain }.run(6, 7, 8), -34i32 as u32);
        assert_eq!(Mad { negate: Negate::Addend, ..plain }.run(6, 7, 8), 34);
        assert_eq!(Mad { saturate: true, ..plain }.run(0x10000, 0x10000, 0), 0x7fff_ffff);
        assert_eq!(Mad { saturate: true, scale: 15, ..plain }.run(0x10000, 0x10000, 0), 0x20000);
        // Measured on an H200: `c` is extended by its sign though everything is unsigned.
        let half = |number| Source { part: Part::Half(number), signed: false };
        let unsigned = Mad { a: half(0), b: half(1), scale: 7, ..plain };
        assert_eq!(unsigned.run(3, 0xffff_ffff, 0xffff_ffff), 0x5ff);
        assert_eq!(unsigned.run(3, 0x8000, 0xaaaa_aaaa), 0xff55_5555);
    }
}
