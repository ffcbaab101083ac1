//! Inputs that a script on another machine can make again: elements drawn from splitmix64, written as text.
//!
//! `f32[64]=real(-1,1)` are 64 numbers; `tests/golden/generate/corpus.py` reads the same words.

/// A type of elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    Unsigned(u32),
    Signed(u32),
    /// Its width and the bits of its fraction.
    Float(u32, u32),
}

impl Element {
    pub fn named(name: &str) -> Option<Self> {
        Some(match name {
            "bf16" => Self::Float(16, 7),
            "f16" => Self::Float(16, 10),
            "f32" => Self::Float(32, 23),
            "f64" => Self::Float(64, 52),
            _ => match name.split_at_checked(1)? {
                ("u", width) => Self::Unsigned(width.parse().ok()?),
                ("s", width) => Self::Signed(width.parse().ok()?),
                _ => return None,
            },
        })
    }

    pub fn bytes(self) -> usize {
        let (Self::Unsigned(width) | Self::Signed(width) | Self::Float(width, _)) = self;
        width as usize / 8
    }

    /// The bits of a number; floats of 16 bits must have it exactly.
    pub fn encode(self, value: f64) -> u64 {
        match self {
            Self::Unsigned(_) | Self::Signed(_) => value as i64 as u64,
            Self::Float(64, _) => value.to_bits(),
            Self::Float(32, _) => u64::from((value as f32).to_bits()),
            Self::Float(..) if value == 0.0 => 0,
            Self::Float(width, fraction) => {
                let bits = value.to_bits();
                let exponent = (bits >> 52 & 0x7ff) as i64 - 1023;
                let mantissa = bits & ((1 << 52) - 1);
                assert_eq!(mantissa << (12 + fraction), 0, "{value} is no number of {width} bits");
                self.assemble(bits >> 63, exponent, mantissa >> (52 - fraction))
            }
        }
    }

    fn assemble(self, sign: u64, exponent: i64, mantissa: u64) -> u64 {
        let Self::Float(width, fraction) = self else { panic!("{self:?} has no exponent") };
        let bias = (1i64 << (width - fraction - 2)) - 1;
        sign << (width - 1) | ((exponent + bias) as u64) << fraction | mantissa
    }
}

/// The generator of Steele, Lea and Flood.
struct SplitMix(u64);

impl SplitMix {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }
}

/// The bytes of `count` elements; `position` is the argument's, so that no two are alike.
pub fn fill(element: Element, count: usize, how: &str, position: usize) -> Vec<u8> {
    let (word, numbers) = how.split_once('(').unwrap_or((how, ""));
    let numbers: Vec<f64> = numbers
        .trim_end_matches(')')
        .split(',')
        .filter(|n| !n.is_empty())
        .map(|n| n.parse().expect("a number"))
        .collect();
    let mut random = SplitMix((position as u64 + 1) << 48);
    let mut bytes = Vec::with_capacity(count * element.bytes());
    for _ in 0..count {
        let z = random.next();
        let bits = match (word, numbers.as_slice()) {
            ("zero", []) => 0,
            ("bits", []) => z,
            ("int", [low, high]) => element.encode(low + (z % (high - low + 1.0) as u64) as f64),
            ("real", [low, high]) => {
                element.encode(low + (high - low) * ((z >> 11) as f64 * (0.5f64).powi(53)))
            }
            ("pick", list) => element.encode(list[(z % list.len() as u64) as usize]),
            // Any sign and fraction, an exponent between these.
            ("spread", [low, high]) => {
                let Element::Float(_, fraction) = element else { panic!("{how} of {element:?}") };
                let exponent = *low as i64 + ((z & 0x7ff) % (high - low + 1.0) as u64) as i64;
                element.assemble(z >> 63, exponent, z >> 11 & ((1 << fraction) - 1))
            }
            _ => panic!("no such filling: {how}"),
        };
        bytes.extend_from_slice(&bits.to_le_bytes()[..element.bytes()]);
    }
    bytes
}

#[test]
fn the_script_for_the_h200_draws_the_same() {
    let words = |text: &str, how: &str, position: usize| -> Vec<u64> {
        let (ty, count) = text.split_once('[').expect("a shape");
        let element = Element::named(ty).expect("a type");
        let count = count.trim_end_matches(']').parse().expect("a number");
        let word = |bytes: &[u8]| bytes.iter().rev().fold(0, |word, byte| word << 8 | u64::from(*byte));
        fill(element, count, how, position).chunks(element.bytes()).map(word).collect()
    };
    assert_eq!(words("f16[4]", "spread(-3,3)", 2), [13614, 49623, 17419, 17070]);
    assert_eq!(words("f32[3]", "real(-1,1)", 0), [1_049_237_407, 3_210_895_856, 1_034_955_187]);
    assert_eq!(words("s32[3]", "int(-9,9)", 1), [8, 4, 4_294_967_295]);
    assert_eq!(
        words("f64[2]", "spread(-90,90)", 1),
        [13_878_151_874_029_237_809, 13_733_848_175_242_904_404]
    );
    assert_eq!(words("f16[3]", "int(-9,9)", 1), [18432, 17408, 48128]);
    assert_eq!(words("u8[3]", "bits", 1), [193, 174, 204]);
}
