//! Byte permutes, 9.7.9.7: `prmt` and its modes.

/// What the low two bits of the selector mean; `prmt` without a mode takes four selectors of its own.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Permute {
    /// Forward four extract: the bytes from the selected one upwards.
    F4e,
    /// Backward four extract: the bytes from the selected one downwards, around the end.
    B4e,
    /// The selected byte four times.
    Rc8,
    /// Edge clamp left: no byte below the selected one.
    Ecl,
    /// Edge clamp right: no byte above the selected one.
    Ecr,
    /// One of the two halves of `a`, twice.
    Rc16,
}

impl Permute {
    /// The mode of a modifier without its dot.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Some(match name {
            "f4e" => Self::F4e,
            "b4e" => Self::B4e,
            "rc8" => Self::Rc8,
            "ecl" => Self::Ecl,
            "ecr" => Self::Ecr,
            "rc16" => Self::Rc16,
            _ => return None,
        })
    }

    /// The number of the source byte that goes to byte `place` of the result.
    #[inline(always)]
    fn source(self, selector: u32, place: u32) -> u32 {
        match self {
            Self::F4e => selector + place,
            Self::B4e => selector.wrapping_sub(place) & 7,
            Self::Rc8 => selector,
            Self::Ecl => selector.max(place),
            Self::Ecr => selector.min(place),
            Self::Rc16 => (selector & 1) * 2 + (place & 1),
        }
    }
}

/// Source byte `number` of the eight in `b` above `a`.
#[inline(always)]
fn byte(a: u32, b: u32, number: u32) -> u32 {
    (if number & 4 == 0 { a } else { b } >> (8 * (number & 3))) & 0xff
}

/// `prmt.b32` without a mode: four nibbles of `c` name the bytes; the top bit of a nibble asks for that byte's
/// sign, spread over the byte, in its place.
#[inline(always)]
pub fn prmt(a: u32, b: u32, c: u32) -> u32 {
    let mut d = 0;
    for place in 0..4 {
        let nibble = c >> (4 * place);
        let byte = byte(a, b, nibble);
        let sign = (byte >> 7) * 0xff;
        d |= if nibble & 8 == 0 { byte } else { sign } << (8 * place);
    }
    d
}

/// `prmt.b32` with a mode.
#[inline(always)]
pub fn prmt_mode(a: u32, b: u32, c: u32, mode: Permute) -> u32 {
    let mut d = 0;
    for place in 0..4 {
        d |= byte(a, b, mode.source(c & 3, place)) << (8 * place);
    }
    d
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Bytes 0 to 7 hold their own numbers, so that a result spells out where it came from.
    const A: u32 = 0x0302_0100;
    const B: u32 = 0x0706_0504;

    #[test]
    fn nibbles_name_the_bytes() {
        assert_eq!(prmt(A, B, 0x7610), 0x0706_0100);
        assert_eq!(prmt(A, B, 0x0123), 0x0001_0203);
        // The upper half of the selector does not count.
        assert_eq!(prmt(A, B, 0xffff_5410), 0x0504_0100);
        // The top bit of a nibble asks for the sign.
        assert_eq!(prmt(0x80, 0x7f00_0000, 0x08f0), 0x80ff_0080);
    }

    #[test]
    fn modes_are_as_the_manual_tables_them() {
        let modes: &[(&str, [u32; 4])] = &[
            ("f4e", [0x0302_0100, 0x0403_0201, 0x0504_0302, 0x0605_0403]),
            ("b4e", [0x0506_0700, 0x0607_0001, 0x0700_0102, 0x0001_0203]),
            ("rc8", [0x0000_0000, 0x0101_0101, 0x0202_0202, 0x0303_0303]),
            ("ecl", [0x0302_0100, 0x0302_0101, 0x0302_0202, 0x0303_0303]),
            ("ecr", [0x0000_0000, 0x0101_0100, 0x0202_0100, 0x0302_0100]),
            ("rc16", [0x0100_0100, 0x0302_0302, 0x0100_0100, 0x0302_0302]),
        ];
        for (name, results) in modes {
            let mode = Permute::from_name(name).expect(name);
            for (selector, result) in (0..).zip(results) {
                assert_eq!(prmt_mode(A, B, selector, mode), *result, "{name} {selector}");
                assert_eq!(prmt_mode(A, B, selector | 0xffff_fff0, mode), *result, "{name} {selector}");
            }
        }
    }
}
