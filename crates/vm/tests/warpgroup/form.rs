//! A form of `wgmma` with everything that can be chosen about it, and how its matrices lie in shared memory.

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() >> 33) as usize % bound
    }

    fn flip(&mut self) -> bool {
        self.below(2) == 1
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Element {
    F16,
    Bf16,
    Tf32,
    E4m3,
    E5m2,
    S8,
    U8,
    B1,
}

impl Element {
    pub fn name(self) -> &'static str {
        match self {
            Self::F16 => "f16",
            Self::Bf16 => "bf16",
            Self::Tf32 => "tf32",
            Self::E4m3 => "e4m3",
            Self::E5m2 => "e5m2",
            Self::S8 => "s8",
            Self::U8 => "u8",
            Self::B1 => "b1",
        }
    }

    pub fn bits(self) -> usize {
        match self {
            Self::F16 | Self::Bf16 => 16,
            Self::Tf32 => 32,
            Self::E4m3 | Self::E5m2 | Self::S8 | Self::U8 => 8,
            Self::B1 => 1,
        }
    }

    /// A number that it can hold: never zero where zero would hide a wrong place, but for single bits.
    pub fn number(self, random: &mut Random) -> i32 {
        let magnitude = 1 + random.below(4) as i32;
        match self {
            Self::B1 => random.below(2) as i32,
            Self::U8 => 120 + magnitude * 20,
            _ if random.flip() => -magnitude,
            _ => magnitude,
        }
    }

    /// The bits of such a number, or of zero. The low 13 bits of a tf32 do not count, so they are something else.
    pub fn encode(self, number: i32) -> u32 {
        let floating = |magnitudes: [u32; 5], sign: u32| {
            magnitudes[number.unsigned_abs() as usize] | if number < 0 { sign } else { 0 }
        };
        match self {
            Self::F16 => floating([0, 0x3c00, 0x4000, 0x4200, 0x4400], 0x8000),
            Self::Bf16 => floating([0, 0x3f80, 0x4000, 0x4040, 0x4080], 0x8000),
            Self::Tf32 => (number as f32).to_bits() | 0x1abc,
            Self::E4m3 => floating([0, 0x38, 0x40, 0x44, 0x48], 0x80),
            Self::E5m2 => floating([0, 0x3c, 0x40, 0x42, 0x44], 0x80),
            Self::S8 | Self::U8 => number as u32 & 0xff,
            Self::B1 => number as u32,
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Accumulator {
    F16,
    F32,
    S32,
}

/// One instruction.
#[derive(Debug)]
pub struct Form {
    pub d: Accumulator,
    pub a: Element,
    pub b: Element,
    pub n: usize,
    pub sparse: bool,
    pub registers: bool,
    /// Of A and of B: M- or N-major.
    pub transposed: [bool; 2],
    pub negated: [bool; 2],
    pub scale_d: bool,
    pub saturating: bool,
    pub selector: usize,
    /// Of A and of B: the units of 16 bytes of the swizzle's span, 1 without swizzle.
    pub units: [usize; 2],
    /// Of A and of B: how many times 32 bytes the matrix begins inside of the span.
    pub advance: [usize; 2],
}

impl Form {
    /// The form of these types, this N and density, with everything else by chance.
    pub fn new(types: (Accumulator, Element, Element), n: usize, sparse: bool, random: &mut Random) -> Form {
        let (d, a, b) = types;
        let floating = d != Accumulator::S32;
        let registers = random.below(3) == 0;
        let majors = a.bits() == 16;
        let transposed = [majors && !registers && random.flip(), majors && random.flip()];
        let units: [usize; 2] = [[1, 2, 4, 8][random.below(4)], [1, 2, 4, 8][random.below(4)]];
        let bytes = [32, if sparse { 64 } else { 32 }];
        let advance = |i: usize, random: &mut Random| match (transposed[i], units[i]) {
            (true, _) | (_, 1) => 0,
            (false, units) => random.below((units * 16).saturating_sub(bytes[i]) / 32 + 1),
        };
        let advance = [advance(0, random), advance(1, random)];
        Form {
            d,
            a,
            b,
            n,
            sparse,
            registers,
            transposed,
            negated: [floating && random.flip(), floating && random.flip()],
            scale_d: random.below(4) != 0,
            saturating: !floating && a != Element::B1 && random.flip(),
            selector: if sparse && a.bits() != 8 { random.below(2) } else { 0 },
            units,
            advance,
        }
    }

    /// K: 32 bytes of stored A, of which a sparse one leaves out as much.
    pub fn k(&self) -> usize {
        256 / self.a.bits() * if self.sparse { 2 } else { 1 }
    }

    /// How A (0) or B (1) lies.
    pub fn layout(&self, matrix: usize) -> Layout {
        let of_k = if self.sparse && matrix == 1 { 64 } else { 32 };
        let units = self.units[matrix];
        let (leading, stride) = match (self.transposed[matrix], units) {
            // The next 8 of k lie after the first 8, the next unit of m or n after those.
            (true, 1) => (128, 8 * of_k),
            (true, units) => (units * 16 * of_k / 2, units * 128),
            (false, 1) => (128, 8 * of_k),
            // 64 bytes of K, which a sparse product has of B, do not fit into the span: the others are elsewhere.
            (false, 2) if of_k == 64 => (8192, 256),
            // The leading offset has no meaning here.
            (false, units) => (16, units * 128),
        };
        let start = 32 * self.advance[matrix];
        Layout { transposed: self.transposed[matrix], units, leading, stride, start }
    }
}

/// The canonical layout of a matrix in shared memory (manual 9.7.15.5.1.2.1.3), in bytes.
pub struct Layout {
    pub transposed: bool,
    pub units: usize,
    pub leading: usize,
    pub stride: usize,
    pub start: usize,
}

impl Layout {
    /// The upper half of the descriptor, and what its lower half has above the address.
    pub fn descriptor(&self) -> (u32, u32) {
        let mode = [0, 0, 3, 0, 2, 0, 0, 0, 1][self.units];
        ((self.stride >> 4 | mode << 30) as u32, (self.leading >> 4 << 16) as u32)
    }

    /// The byte of an element from the matrix's beginning, which is at a multiple of 1024.
    pub fn byte(&self, element: Element, mn: usize, k: usize, stored: usize) -> usize {
        assert!(k < stored, "inside of the matrix");
        let unit = 128 / element.bits();
        let row = self.units * 16;
        let within = |i: usize| i % unit * element.bits() / 8;
        let plain = match (self.transposed, self.units) {
            // ((8,m),(T,2k)) : ((1T,SBO),(1,LBO))
            (false, 1) => mn % 8 * row + mn / 8 * self.stride + within(k) + k / unit * self.leading,
            // ((8,m),(T,2k)) : ((wT,SBO),(1,T)), and on an H200 LBO from one span to the next
            (false, units) => {
                let along = within(k) + k / unit % units * 16 + k / unit / units * self.leading;
                mn % 8 * row + mn / 8 * self.stride + along
            }
            // ((T,1,m),(8,k)) : ((1,T,SBO),(1T,LBO))
            (true, 1) => within(mn) + mn / unit * self.stride + k % 8 * row + k / 8 * self.leading,
            // ((T,w,m),(8,k)) : ((1,T,LBO),(wT,SBO))
            (true, units) => {
                let atom = unit * units;
                let inner = within(mn) + mn % atom / unit * 16;
                inner + mn / atom * self.leading + k % 8 * row + k / 8 * self.stride
            }
        };
        let byte = self.start + plain;
        // Swizzle<b,4,3>
        byte ^ (byte >> 7 & (self.units - 1)) << 4
    }
}
