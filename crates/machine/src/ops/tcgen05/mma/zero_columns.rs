//! The zero-column mask descriptor of `.ws` (manual 9.7.16.4.3): which columns of B count as zeros, and by how many
//! columns B is shifted.
//!
//! A mask is a period of columns that are used and columns that are zeros, of which the first few are left out. The
//! names of the two spans are those of the manual's examples; its table has them the other way round.

/// A mask, decoded.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZeroColumns {
    /// The columns that are left out at the beginning of each sub-mask.
    starts: [u32; 4],
    /// Whether each sub-mask begins with zeros.
    zeros_first: [bool; 4],
    /// Whether there are zeros at all.
    any: bool,
    /// How many consecutive columns are zeros.
    skip: u32,
    /// How many consecutive columns are used.
    used: u32,
    /// The column of B that is the product's first.
    pub shift: u32,
}

impl ZeroColumns {
    /// Decodes a descriptor for a product of M rows; otherwise says what is wrong and what the rule is.
    pub fn decode(bits: u64, m: u32) -> Result<Self, (String, String)> {
        let byte = |at: u32| (bits >> at & 0xff) as u32;
        let reserved = bits >> 36 & 7;
        if reserved != 0 {
            let message =
                format!("bits 36 to 38 of the zero-column mask descriptor {bits:#018x} are {reserved}");
            return Err((message, "they are reserved and must be 0".into()));
        }
        let shift = (bits >> 56 & 0x3f) as u32;
        let most = if m == 32 { 16 } else { 32 };
        if shift > most {
            let message = format!(
                "the column shift (bits 56 to 61) of the zero-column mask descriptor {bits:#018x} is {shift}"
            );
            return Err((message, format!("it must not be above {most} where M is {m}")));
        }
        Ok(Self {
            starts: std::array::from_fn(|mask| byte(8 * mask as u32)),
            zeros_first: std::array::from_fn(|mask| bits >> (32 + mask) & 1 != 0),
            any: bits >> 39 & 1 != 0,
            skip: byte(40) + 1,
            used: byte(48) + 1,
            shift,
        })
    }

    /// Whether a column counts as zeros: the column of a part, each of which has its own sub-mask.
    #[must_use]
    pub fn is_zero(&self, part: u32, column: u32) -> bool {
        let mask = part as usize % 4;
        let at = (column + self.starts[mask]) % (self.skip + self.used);
        self.any && if self.zeros_first[mask] { at < self.skip } else { at >= self.used }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The first columns of a sub-mask, the first rightmost.
    fn mask(zero: &ZeroColumns, part: u32, columns: u32) -> String {
        (0..columns).rev().map(|column| if zero.is_zero(part, column) { '1' } else { '0' }).collect()
    }

    /// Skip span 2 and use span 3, which both examples of the manual have.
    const SPANS: u64 = 2 << 40 | 3 << 48;

    #[test]
    fn the_manuals_examples() {
        let none = ZeroColumns::decode(4 << 40 | 3 << 48, 128).unwrap();
        assert_eq!(mask(&none, 0, 8), "00000000");
        let second = ZeroColumns::decode(SPANS | 1 << 39, 128).unwrap();
        assert_eq!(mask(&second, 0, 14), "11100001110000");
        let third = ZeroColumns::decode(SPANS | 1 << 39 | 1 << 32, 64).unwrap();
        assert_eq!(mask(&third, 0, 17), "11100001110000111");
        assert_eq!(mask(&third, 1, 18), "000011100001110000");
        let starts = 1 << 24 | 2 << 16 | 1 << 8;
        let fourth = ZeroColumns::decode(SPANS | 1 << 39 | 3 << 32 | starts | 2 << 56, 32).unwrap();
        assert_eq!(mask(&fourth, 0, 14), "00001110000111");
        assert_eq!(mask(&fourth, 1, 13), "0000111000011");
        assert_eq!(mask(&fourth, 2, 12), "111000011100");
        assert_eq!(mask(&fourth, 3, 13), "1110000111000");
        assert_eq!(fourth.shift, 2);
    }

    #[test]
    fn wrong_fields_are_named() {
        let (message, rule) = ZeroColumns::decode(17 << 56, 32).unwrap_err();
        assert!(message.contains("column shift") && rule.contains("16"), "{message}: {rule}");
        assert!(ZeroColumns::decode(17 << 56, 64).is_ok());
        let (message, _) = ZeroColumns::decode(1 << 37, 64).unwrap_err();
        assert!(message.contains("bits 36 to 38"), "{message}");
    }
}
