//! Whole tiles give the bits of single dot products, at every level of vector instructions.

use ptxvm_num::level::{Level, at_most};
use ptxvm_num::matrix::tile::multiply;
use ptxvm_num::matrix::{Accumulator, Element, Family, Left, Order, Precision, Right, Scheme, Unit, fused};

/// SplitMix64.
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ z >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ z >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ z >> 31
    }

    pub fn below(&mut self, end: u32) -> u32 {
        (self.next() % u64::from(end)) as u32
    }

    fn chance(&mut self, one_in: u32) -> bool {
        self.below(one_in) == 0
    }
}

/// What numbers a tile has.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Regime {
    /// Exponents around that of one.
    Narrow,
    /// Exponents of half the format's range.
    Wide,
    /// The largest ones.
    Top,
    /// Subnormal numbers and the smallest normal ones.
    Bottom,
    /// Any bits.
    Raw,
    /// Numbers of the narrow regime, some of them NaN, infinity or of the other regimes.
    Specials,
    /// Mostly zeros of either sign.
    Zeros,
    /// Every second product is the negative of the one before.
    Cancelling,
    /// All significands as large as they can be, with one sign.
    Full,
}

pub const REGIMES: [Regime; 9] = [
    Regime::Narrow,
    Regime::Wide,
    Regime::Top,
    Regime::Bottom,
    Regime::Raw,
    Regime::Specials,
    Regime::Zeros,
    Regime::Cancelling,
    Regime::Full,
];

/// Fields of a format: bits of the exponent and of the mantissa, and how far left its register has them.
pub fn fields(element: Element) -> (u32, u32, u32) {
    match element {
        Element::F16 => (5, 10, 0),
        Element::Bf16 => (8, 7, 0),
        Element::Tf32 => (8, 10, 13),
        Element::E4m3 => (4, 3, 0),
        Element::E5m2 => (5, 2, 0),
        Element::E3m2 => (3, 2, 0),
        Element::E2m3 => (2, 3, 0),
        Element::E2m1 => (2, 1, 0),
    }
}

/// Random bits of a format with so many bits of exponent and mantissa.
pub fn number(random: &mut Random, (exponent_bits, mantissa_bits): (u32, u32), regime: Regime) -> u32 {
    let top: u32 = (1 << exponent_bits) - 1;
    let middle = top / 2;
    let exponent = match regime {
        Regime::Narrow | Regime::Cancelling => middle.saturating_sub(1) + random.below(3.min(top)),
        Regime::Full => middle,
        Regime::Wide => top / 4 + random.below(top / 2 + 1),
        Regime::Top => top - 1 - random.below(2.min(top)),
        Regime::Bottom => random.below(3.min(top)),
        Regime::Raw => random.below(top + 1),
        Regime::Specials => match random.below(64) {
            0 => top,
            1 => return number(random, (exponent_bits, mantissa_bits), Regime::Raw),
            2 => return number(random, (exponent_bits, mantissa_bits), Regime::Bottom),
            _ => return number(random, (exponent_bits, mantissa_bits), Regime::Narrow),
        },
        Regime::Zeros if random.chance(8) => random.below(top),
        Regime::Zeros => return random.below(2) << (exponent_bits + mantissa_bits),
    };
    let all = (1 << mantissa_bits) - 1;
    let (mut mantissa, mut sign) = (random.next() as u32 & all, random.below(2));
    match regime {
        Regime::Specials if random.chance(2) => mantissa = 0,
        Regime::Full => (mantissa, sign) = (all - u32::from(random.chance(16)), 0),
        _ if random.chance(16) => mantissa = 0,
        _ if random.chance(16) => mantissa = all,
        _ => {}
    }
    sign << (exponent_bits + mantissa_bits) | exponent << mantissa_bits | mantissa
}

struct Tile {
    a: Left,
    b: Right,
    c: Vec<u32>,
}

fn tile(
    random: &mut Random,
    (element, accumulator): (Element, Accumulator),
    regime: Regime,
    (rows, columns, depth): (usize, usize, usize),
    sparse: bool,
) -> Tile {
    let (exponent_bits, mantissa_bits, shift) = fields(element);
    let rows_of_b = if sparse { 2 * depth } else { depth };
    let mut a = Left::new(rows, depth);
    let mut b = Right::new(rows_of_b, columns);
    let bits = |random: &mut Random| {
        let low = random.next() as u32 & ((1 << shift) - 1);
        number(random, (exponent_bits, mantissa_bits), regime) << shift | low
    };
    for row in 0..rows {
        for k in 0..depth {
            a.set(row, k, element, bits(random));
        }
    }
    for k in 0..rows_of_b {
        for column in 0..columns {
            b.set(k, column, element, bits(random));
        }
    }
    let apart = if sparse { 4 } else { 2 };
    if regime == Regime::Cancelling {
        for k in (0..depth).filter(|k| k % 2 == 1) {
            for row in 0..rows {
                let at = row * depth + k;
                a.significands[at] = -a.significands[at - 1];
                a.exponents[at] = a.exponents[at - 1];
            }
        }
        for k in (0..rows_of_b).filter(|k| k % apart >= apart / 2 && !random.chance(8)) {
            for column in 0..columns {
                let (to, from) = (k * columns + column, (k - apart / 2) * columns + column);
                b.significands[to] = b.significands[from];
                b.exponents[to] = b.exponents[from];
            }
        }
    }
    if sparse {
        let place = |at: usize, random: &mut Random| (at % depth * 2) as u16 + random.below(2) as u16;
        a.belongs = Some((0..rows * depth).map(|at| place(at, random)).collect());
    }
    let format = match accumulator {
        Accumulator::F32 => (8, 23),
        Accumulator::F16 => (5, 10),
    };
    let others = [regime, Regime::Narrow, Regime::Bottom, Regime::Raw, Regime::Zeros];
    let c = (0..rows * columns).map(|_| {
        let regime = others[random.below(32).saturating_sub(27) as usize];
        // The products of the narrowest formats reach a little way only; so do most of these.
        let bits = number(random, format, regime);
        if accumulator == Accumulator::F32 && regime == Regime::Wide && !random.chance(8) {
            let exponent = 127 - 24 + random.below(48);
            bits & 0x807f_ffff | exponent << 23
        } else {
            bits
        }
    });
    let c = c.collect();
    Tile { a, b, c }
}

/// Compares a tile with its dot products.
fn check(scheme: &Scheme, tile: &Tile, level: Level, what: &dyn std::fmt::Debug) {
    let mut d = tile.c.clone();
    at_most(level, || multiply(scheme, Precision::Exact, &tile.a, &tile.b, &mut d));
    for (at, (&c, &d)) in tile.c.iter().zip(&d).enumerate() {
        let (row, column) = (at / tile.b.columns, at % tile.b.columns);
        let expected = fused::dot(scheme, &tile.a, row, &tile.b, column, c);
        assert_eq!(d, expected, "{what:?} {level:?} row {row} column {column}: {d:#x}, not {expected:#x}");
    }
}

/// Miri takes few of the tiles, and small ones: it looks for undefined behaviour and is slow.
const STEP: usize = if cfg!(miri) { 23 } else { 1 };

/// The rows and columns of a tile: whole vectors of every level, and some numbers more.
const TILE: (usize, usize) = if cfg!(miri) { (1, 20) } else { (3, 72) };

pub const FAMILIES: [Family; 4] = [Family::Mma, Family::Wmma, Family::Wgmma, Family::Tcgen05];

/// Every scheme that an instruction with factors of this format has, at these depths.
fn schemes(element: Element, depth: usize) -> Vec<Scheme> {
    let mut all = Vec::new();
    for unit in Unit::ALL {
        for family in FAMILIES {
            for accumulator in [Accumulator::F32, Accumulator::F16] {
                let scheme = Scheme::of(unit, family, element, accumulator, depth);
                if !all.contains(&scheme) {
                    all.push(scheme);
                }
            }
        }
    }
    all.into_iter().step_by(STEP).collect()
}

#[test]
fn every_scheme_in_every_regime() {
    let mut random = Random(1);
    for element in Element::ALL {
        let wide = if element.bits() == 32 { 8 } else { 256 / element.bits().max(8) as usize };
        for depth in [wide / 2, wide] {
            for scheme in schemes(element, depth) {
                for regime in REGIMES.into_iter().step_by(STEP) {
                    for sparse in [false, true] {
                        let formats = (element, scheme.rounded.accumulator());
                        let tile = tile(&mut random, formats, regime, (TILE.0, TILE.1, depth), sparse);
                        for level in Level::ALL {
                            check(&scheme, &tile, level, &(element, depth, scheme, regime, sparse));
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn every_width() {
    let mut random = Random(2);
    for columns in (1..=24).chain([31, 32, 33, 40, 63, 64, 65, 96, 128, 200, 256]).step_by(STEP) {
        for (element, depth) in [(Element::F16, 16), (Element::E4m3, 32), (Element::Tf32, 4)] {
            for scheme in schemes(element, depth) {
                let formats = (element, scheme.rounded.accumulator());
                let tile = tile(&mut random, formats, Regime::Specials, (2, columns, depth), false);
                for level in Level::ALL {
                    check(&scheme, &tile, level, &(element, columns, scheme));
                }
            }
        }
    }
}

#[test]
fn depths_that_are_no_whole_steps() {
    let mut random = Random(3);
    for depth in (1..=40).step_by(STEP) {
        for scheme in schemes(Element::E5m2, 16).into_iter().chain(schemes(Element::Bf16, 16)) {
            let element = if scheme.order == Order::Interleaved { Element::E5m2 } else { Element::Bf16 };
            let formats = (element, scheme.rounded.accumulator());
            let tile = tile(&mut random, formats, Regime::Wide, (2, 17, depth), false);
            for level in Level::ALL {
                check(&scheme, &tile, level, &(element, depth, scheme));
            }
        }
    }
}

/// The product in f64, for numbers that do not overflow there.
fn exactly(tile: &Tile, row: usize, column: usize, c: f64) -> f64 {
    let value =
        |significand: f32, exponent: i16| f64::from(significand) * f64::from(exponent.max(-1000)).exp2();
    (0..tile.a.depth).fold(c, |sum, k| {
        let (left, right) = (row * tile.a.depth + k, tile.a.row_of_b(row, k) * tile.b.columns + column);
        let a = value(tile.a.significands[left], tile.a.exponents[left]);
        sum + a * value(tile.b.significands[right], tile.b.exponents[right])
    })
}

#[test]
fn fast_products_are_close() {
    let mut random = Random(4);
    for element in Element::ALL {
        for columns in [8, 32, 72].into_iter().filter(|columns| *columns <= TILE.1) {
            for sparse in [false, true] {
                let scheme = Scheme::of(Unit::Blackwell, Family::Tcgen05, element, Accumulator::F32, 16);
                let formats = (element, Accumulator::F32);
                let mut tile = tile(&mut random, formats, Regime::Narrow, (3, columns, 16), sparse);
                tile.c.fill(2.5f32.to_bits());
                for level in Level::ALL {
                    let mut d = tile.c.clone();
                    at_most(level, || multiply(&scheme, Precision::Fast, &tile.a, &tile.b, &mut d));
                    for (at, &d) in d.iter().enumerate() {
                        let expected = exactly(&tile, at / columns, at % columns, 2.5);
                        let error = (f64::from(f32::from_bits(d)) - expected).abs();
                        assert!(error < 1e-4, "{element:?} {columns} {level:?}: {error}");
                    }
                }
            }
        }
    }
}

#[test]
fn fast_products_of_specials() {
    let scheme = |accumulator| Scheme::of(Unit::Hopper, Family::Wgmma, Element::F16, accumulator, 16);
    let infinity = 0x7c00;
    for level in Level::ALL {
        let mut a = Left::new(1, 2);
        let mut b = Right::new(2, 8);
        a.set(0, 0, Element::F16, 0x3c00);
        for column in 0..8 {
            b.set(0, column, Element::F16, if column == 1 { infinity } else { 0x3c00 });
            b.set(1, column, Element::F16, if column == 2 { infinity } else { 0 });
        }
        let half = [0x3c00, 0x3c00, 0x3c00, 0x7c00, 0xfc00, 0x7e01, 0x8001, 0x7bff];
        let mut d = half;
        at_most(level, || multiply(&scheme(Accumulator::F16), Precision::Fast, &a, &b, &mut d));
        assert_eq!(d, [0x4000, 0x7c00, 0x7fff, 0x7c00, 0xfc00, 0x7fff, 0x3c00, 0x7bff], "{level:?}");
        let single = [1.0, 1.0, 1.0, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, -1.0, f32::MAX];
        let mut d = single.map(f32::to_bits);
        at_most(level, || multiply(&scheme(Accumulator::F32), Precision::Fast, &a, &b, &mut d));
        let expected =
            [2.0, f32::INFINITY, f32::NAN, f32::INFINITY, f32::NEG_INFINITY, f32::NAN, 0.0, f32::MAX];
        let bits = |value: f32| if value.is_nan() { 0x7fff_ffff } else { value.to_bits() };
        assert_eq!(d, expected.map(bits), "{level:?}");
    }
}
