//! Products of fragments give the bits of single dot products, at every level of vector instructions.

use std::sync::Arc;

use ptxvm_num::level::{Level, at_most};
use ptxvm_num::matrix::amx::{self, AmxB, AmxD};
use ptxvm_num::matrix::fragment::{
    self, Block, FragmentA, FragmentB, IntegerFragments, InterleavedFragments, LANES, ORDER_OF_ROWS, StoredB,
};
use ptxvm_num::matrix::integer::{self, IntegerElement};
use ptxvm_num::matrix::{Accumulator, Element, Family, Left, Packed, Precision, Right, Scheme, Unit, fused};

use crate::tiles::{FAMILIES, REGIMES, Random, Regime, fields, number};

/// Rows and columns of D.
pub const ROWS: usize = 16;
pub const COLUMNS: usize = 40;

/// Few of the products are enough for Miri, which is slow.
pub const STEP: usize = if cfg!(miri) { 61 } else { 1 };

/// A product: A row after row, B column after column and C row after row, as bits.
pub struct Product {
    pub packed: Packed,
    pub depth: usize,
    pub a: Vec<u32>,
    pub b: Vec<u32>,
    pub c: Vec<u32>,
}

impl Product {
    pub fn new(
        random: &mut Random,
        element: Element,
        accumulator: Accumulator,
        depth: usize,
        regime: Regime,
    ) -> Self {
        let (exponent, mantissa, shift) = fields(element);
        let packed = if element.bits() <= 8 { Packed::bytes(element) } else { Packed::tight(element) };
        // An e2m1 stands above two bits of padding.
        let shift = if element == Element::E2m1 { 2 } else { shift };
        let mut some = |count: usize| -> Vec<u32> {
            (0..count).map(|_| number(random, (exponent, mantissa), regime) << shift).collect()
        };
        let (a, b) = (some(ROWS * depth), some(COLUMNS * depth));
        let format = if accumulator == Accumulator::F32 { (8, 23) } else { (5, 10) };
        let others = [regime, Regime::Narrow, Regime::Bottom, Regime::Raw, Regime::Zeros];
        let c = (0..ROWS * COLUMNS).map(|_| {
            let regime = others[random.below(32).saturating_sub(27) as usize];
            number(random, format, regime)
        });
        let c = c.collect();
        Self { packed, depth, a, b, c }
    }

    /// Registers of lanes that hold lines of elements, eight lines each, all lines of the first sixteen bytes first.
    pub fn registers(&self, lines: &[u32]) -> Vec<[u32; LANES]> {
        let per = 32 / self.packed.bits;
        let word = |line: usize, word: usize| {
            (0..per)
                .fold(0, |bits, i| bits | lines[line * self.depth + word * per + i] << (i * self.packed.bits))
        };
        let (blocks, quads) = (lines.len() / self.depth / 8, self.depth / per / 4);
        let of = |quad: usize, block: usize| {
            std::array::from_fn(|lane| word(8 * block + lane / 4, 4 * quad + lane % 4))
        };
        (0..quads).flat_map(|quad| (0..blocks).map(move |block| of(quad, block))).collect()
    }

    /// The rows of B, elements of sixteen bits, in the order in which they are multiplied.
    pub fn rows(&self) -> Vec<[u32; 4]> {
        let element = |k: usize, column: usize| self.b[column * self.depth + k];
        let row = |block: usize, place: usize| {
            let k = place / 8 * 8 + ORDER_OF_ROWS[place % 8];
            std::array::from_fn(|i| element(k, 8 * block + 2 * i) | element(k, 8 * block + 2 * i + 1) << 16)
        };
        (0..COLUMNS / 8).flat_map(|block| (0..self.depth).map(move |place| row(block, place))).collect()
    }

    /// The element of a row and a column, as single dot products have it.
    fn expected(&self, scheme: &Scheme, negate: bool) -> Vec<u32> {
        let (mut left, mut right) = (Left::new(ROWS, self.depth), Right::new(self.depth, COLUMNS));
        let bits = |bits: u32| if self.packed.element == Element::E2m1 { bits >> 2 } else { bits };
        for k in 0..self.depth {
            (0..ROWS)
                .for_each(|row| left.set(row, k, self.packed.element, bits(self.a[row * self.depth + k])));
            for column in 0..COLUMNS {
                right.set(k, column, self.packed.element, bits(self.b[column * self.depth + k]));
            }
        }
        if negate {
            left.negate();
        }
        (0..ROWS * COLUMNS)
            .map(|at| fused::dot(scheme, &left, at / COLUMNS, &right, at % COLUMNS, self.c[at]))
            .collect()
    }
}

/// Where the element of a row and a column lies in the blocks of D.
pub fn place(row: usize, column: usize) -> (usize, usize) {
    (column / 8 * 2 + row / 8, column % 2 * LANES + row % 8 * 4 + column % 8 / 2)
}

fn check(product: &Product, scheme: &Scheme, negate: bool, level: Level, what: &dyn std::fmt::Debug) {
    let expected = product.expected(scheme, negate);
    let (mut a, mut b) = (FragmentA::default(), FragmentB::default());
    for by_rows in [false, true] {
        if by_rows && product.packed.bits != 16 {
            continue;
        }
        let mut d: Vec<Block> = vec![[0; 64]; ROWS * COLUMNS / 64];
        for (at, c) in product.c.iter().enumerate() {
            let (block, place) = place(at / COLUMNS, at % COLUMNS);
            d[block][place] = *c;
        }
        at_most(level, || {
            a.decode(product.packed, Precision::Exact, negate, ROWS / 8, &product.registers(&product.a));
            if by_rows {
                b.decode(product.packed, false, COLUMNS / 8, StoredB::Rows(&product.rows()));
            } else {
                b.decode(
                    product.packed,
                    false,
                    COLUMNS / 8,
                    StoredB::Columns(&product.registers(&product.b)),
                );
            }
            fragment::multiply(scheme, Precision::Exact, &a, &b, &mut d);
        });
        for (at, expected) in expected.iter().enumerate() {
            let (block, place) = place(at / COLUMNS, at % COLUMNS);
            let d = d[block][place];
            assert_eq!(d, *expected, "{what:?} {level:?} {at}: {d:#x}, not {expected:#x}");
        }
    }
}

/// Every format and scheme that can be computed in blocks, with numbers of every kind.
#[test]
fn blocks_have_the_bits_of_dot_products() {
    let mut random = Random(42);
    let mut count = 0;
    for element in Element::ALL {
        let bits = if element.bits() <= 8 { 8 } else { element.bits() as usize };
        for depth in [128 / bits, 256 / bits] {
            for accumulator in [Accumulator::F32, Accumulator::F16] {
                for unit in Unit::ALL {
                    for family in FAMILIES {
                        let scheme = Scheme::of(unit, family, element, accumulator, depth);
                        for regime in REGIMES {
                            let product = Product::new(&mut random, element, accumulator, depth, regime);
                            if !fragment::suits(&scheme, Precision::Exact, product.packed, depth) {
                                continue;
                            }
                            count += 1;
                            let level = Level::ALL[count % Level::ALL.len()];
                            if count.is_multiple_of(STEP) {
                                let what = (element, accumulator, depth, unit, family, regime);
                                check(&product, &scheme, random.below(4) == 0, level, &what);
                            }
                        }
                    }
                }
            }
        }
    }
    assert!(count > 500, "{count} products are too few");
}

/// Formats of eight bits where the cores only know f16, in two fragments of it.
#[test]
fn interleaved_blocks_have_the_bits_of_dot_products() {
    let mut random = Random(44);
    let mut count = 0;
    for element in [Element::E4m3, Element::E5m2] {
        for accumulator in [Accumulator::F32, Accumulator::F16] {
            for (depth, regime) in
                [16, 32].into_iter().flat_map(|depth| REGIMES.map(|regime| (depth, regime)))
            {
                let scheme = Scheme::of(Unit::Hopper, Family::Mma, element, accumulator, depth);
                let product = Product::new(&mut random, element, accumulator, depth, regime);
                assert!(fragment::is_interleaved(&scheme, product.packed, product.packed));
                count += 1;
                if !usize::is_multiple_of(count, STEP) {
                    continue;
                }
                let expected = product.expected(&scheme, false);
                for level in Level::ALL {
                    let mut d = vec![[0; 64]; ROWS * COLUMNS / 64];
                    for (at, c) in product.c.iter().enumerate() {
                        let (block, place) = place(at / COLUMNS, at % COLUMNS);
                        d[block][place] = *c;
                    }
                    at_most(level, || {
                        let mut fragments = InterleavedFragments::default();
                        fragments.decode_a(product.packed, ROWS / 8, &product.registers(&product.a));
                        fragments.decode_b(product.packed, COLUMNS / 8, &product.registers(&product.b));
                        fragments.multiply(&scheme, &mut d);
                    });
                    for (at, expected) in expected.iter().enumerate() {
                        let (block, place) = place(at / COLUMNS, at % COLUMNS);
                        let what = (element, accumulator, depth, regime, level);
                        assert_eq!(d[block][place], *expected, "{what:?} {at}");
                    }
                }
            }
        }
    }
}

/// Integers in blocks, and bytes in tiles, are what the plain product is, wrapped or clamped.
#[test]
fn integers_in_blocks() {
    let mut random = Random(43);
    for a in [IntegerElement::S8, IntegerElement::U8, IntegerElement::S4, IntegerElement::U4] {
        for b in [IntegerElement::S8, IntegerElement::U8, IntegerElement::S4, IntegerElement::U4] {
            // Miri has time for few.
            if a.bits() != b.bits() || cfg!(miri) && (a, b) != (IntegerElement::S8, IntegerElement::U8) {
                continue;
            }
            for (rows, satfinite) in [(8, false), (8, true), (16, false), (16, true)] {
                // Sixteen bytes along k in a quad, two of them.
                let depth = 256 / a.bits();
                let words = depth * a.bits() / 32;
                let lines = |random: &mut Random, count: usize| -> Vec<u32> {
                    (0..count * words).map(|_| random.next() as u32).collect()
                };
                let (left, right) = (lines(&mut random, rows), lines(&mut random, COLUMNS));
                let registers = |lines: &[u32]| -> Vec<[u32; LANES]> {
                    let blocks = lines.len() / words / 8;
                    let word = |quad: usize, block: usize, lane: usize| {
                        lines[(8 * block + lane / 4) * words + 4 * quad + lane % 4]
                    };
                    (0..words / 4)
                        .flat_map(|quad| (0..blocks).map(move |block| (quad, block)))
                        .map(|(quad, block)| std::array::from_fn(|lane| word(quad, block, lane)))
                        .collect()
                };
                let numbers = |element: IntegerElement, lines: &[u32]| {
                    let mut numbers = vec![0; lines.len() * 32 / element.bits()];
                    element.unpack(lines, &mut numbers);
                    numbers
                };
                // Some at the ends of what 32 bits hold.
                let c = |random: &mut Random| {
                    [random.next() as u32, i32::MAX as u32 - 7, i32::MIN as u32 + 7][random.below(3) as usize]
                };
                let c: Vec<u32> = (0..rows * COLUMNS).map(|_| c(&mut random)).collect();
                let mut expected = c.clone();
                integer::multiply(&numbers(a, &left), &numbers(b, &right), depth, satfinite, &mut expected);
                let by_unit =
                    |way: &str| !(satfinite || rows < 16 || way == "by the unit" && !amx::is_there());
                let in_tiles = ["by the unit", "as the unit does it"].into_iter().filter(|way| by_unit(way));
                let levels = Level::ALL.into_iter().map(|level| (level, "blocks"));
                for (level, way) in levels.chain(in_tiles.map(|way| (Level::V4, way))) {
                    let place = |at: usize| {
                        let (row, column) = (at / COLUMNS, at % COLUMNS);
                        let block = column / 8 * (rows / 8) + row / 8;
                        (block, column % 2 * LANES + row % 8 * 4 + column % 8 / 2)
                    };
                    let mut d: Vec<Block> = vec![[0; 64]; rows * COLUMNS / 64];
                    for (at, c) in c.iter().enumerate() {
                        let (block, place) = place(at);
                        d[block][place] = *c;
                    }
                    let tiles = |d: &mut Vec<Block>| {
                        let (mut b_tiles, mut sums) = (AmxB::default(), AmxD::default());
                        sums.read(Accumulator::F32, d);
                        sums.next_a().copy_bytes([a, b], &registers(&left));
                        b_tiles.copy_bytes([a, b], COLUMNS / 8, &registers(&right));
                        sums.add(&Arc::new(b_tiles));
                        sums.write(Accumulator::F32, d);
                    };
                    if way != "blocks" && !amx::fits_bytes([a, b], depth) {
                        assert_eq!(a.bits(), 4, "bytes fit");
                        continue;
                    }
                    let blocks = |d: &mut Vec<Block>| {
                        let mut fragments = IntegerFragments::default();
                        fragments.decode_a(a, rows / 8, &registers(&left));
                        fragments.decode_b(b, COLUMNS / 8, &registers(&right));
                        fragments.multiply(satfinite, d);
                    };
                    at_most(level, || match way {
                        "blocks" => blocks(&mut d),
                        "by the unit" => tiles(&mut d),
                        _ => amx::without(|| tiles(&mut d)),
                    });
                    for (at, expected) in expected.iter().enumerate() {
                        let (block, place) = place(at);
                        assert_eq!(
                            d[block][place], *expected,
                            "{a:?} {b:?} {rows} {satfinite} {level:?} {way} {at}"
                        );
                    }
                }
            }
        }
    }
}
