//! Fast products, by the host's matrix unit and without it, are near to those of f64: as near as additions in f32 are.

use std::sync::Arc;

use ptxvm_num::float::half::f16;
use ptxvm_num::matrix::amx::{self, AmxA, AmxB, AmxD};
use ptxvm_num::matrix::fragment::{self, Block, FragmentA, FragmentB, StoredB};
use ptxvm_num::matrix::{Accumulator, Element, Family, Precision, Scheme, Unit};

use crate::fragments::{COLUMNS, Product, ROWS, STEP, place};
use crate::tiles::{REGIMES, Random};

/// The number of an element.
fn element(kind: Element, bits: u32) -> f64 {
    let bits = if kind == Element::E2m1 { bits >> 2 } else { bits };
    let (significand, exponent) = kind.decode(bits);
    f64::from(significand) * if exponent < -1000 { 1.0 } else { f64::from(exponent).exp2() }
}

fn accumulator(kind: Accumulator, bits: u32) -> f64 {
    match kind {
        Accumulator::F32 => f32::from_bits(bits).into(),
        Accumulator::F16 => f16::to_f32(bits as u16).into(),
    }
}

/// The blocks of C.
fn blocks(product: &Product) -> Vec<Block> {
    let mut d = vec![[0; 64]; ROWS * COLUMNS / 64];
    for (at, c) in product.c.iter().enumerate() {
        let (block, place) = place(at / COLUMNS, at % COLUMNS);
        d[block][place] = *c;
    }
    d
}

/// The product by vectors.
fn by_vectors(product: &Product, kind: Accumulator, negate: bool) -> Vec<Block> {
    let scheme = Scheme::of(Unit::Hopper, Family::Wgmma, product.packed.element, kind, product.depth);
    let (mut a, mut b) = (FragmentA::default(), FragmentB::default());
    a.decode(product.packed, Precision::Fast, negate, ROWS / 8, &product.registers(&product.a));
    b.decode(product.packed, false, COLUMNS / 8, StoredB::Columns(&product.registers(&product.b)));
    let mut d = blocks(product);
    fragment::multiply(&scheme, Precision::Fast, &a, &b, &mut d);
    d
}

/// The product by tiles; nothing if its factors do not suit them.
fn by_tiles(product: &Product, kind: Accumulator, negate: bool, by_rows: bool) -> Option<Vec<Block>> {
    let (mut b, mut tiles) = (AmxB::default(), AmxD::default());
    let a = tiles.next_a();
    a.decode(product.packed, negate, &product.registers(&product.a));
    if by_rows {
        b.decode(product.packed, false, COLUMNS / 8, StoredB::Rows(&product.rows()));
    } else {
        b.decode(product.packed, false, COLUMNS / 8, StoredB::Columns(&product.registers(&product.b)));
    }
    let suits = a.suits() && b.suits();
    let mut d = blocks(product);
    tiles.read(kind, &d);
    tiles.add(&Arc::new(b));
    tiles.round(kind);
    tiles.write(kind, &mut d);
    suits.then_some(d)
}

/// Compares with f64. The products are exact, of halves of numbers too, whose magnitudes add up to the number's. Each of
/// 4 K products and C is added once, in some order: an addition in f32 is off by 2^-24 of its result at most, which is at
/// most the sum of all magnitudes, and by less than 2^-126 if it is taken for zero, which C may be too.
fn check(product: &Product, kind: Accumulator, negate: bool, d: &[Block], what: &dyn std::fmt::Debug) {
    let depth = product.depth;
    let factors =
        |of: &[u32]| -> Vec<f64> { of.iter().map(|bits| element(product.packed.element, *bits)).collect() };
    let (a, b) = (factors(&product.a), factors(&product.b));
    let sign = if negate { -1.0 } else { 1.0 };
    for (at, c) in product.c.iter().enumerate() {
        let (row, column) = (at / COLUMNS, at % COLUMNS);
        let c = accumulator(kind, *c);
        let terms = (0..depth).map(|k| sign * a[row * depth + k] * b[column * depth + k]);
        let (sum, magnitude) =
            terms.fold((c, c.abs()), |(sum, magnitude), term| (sum + term, magnitude + term.abs()));
        let (block, place) = place(row, column);
        let bits = d[block][place];
        let got = accumulator(kind, bits);
        let additions = (4 * depth + 2) as f64;
        // The second power of an error is less than this.
        let mut error = 1.001 * additions * (magnitude * (-24f64).exp2() + (-126f64).exp2());
        let mut most = f64::from(f32::MAX);
        if kind == Accumulator::F16 {
            error += (sum.abs() + error) * (-11f64).exp2() + (-25f64).exp2();
            most = 65504.0;
        }
        let told = || format!("{what:?} {at}: {got:e} ({bits:#x}), not {sum:e}, of magnitude {magnitude:e}");
        if sum.is_nan() {
            let nan = if kind == Accumulator::F16 { 0x7fff } else { 0x7fff_ffff };
            assert_eq!(bits, nan, "{}", told());
        } else if sum.is_infinite() {
            // Additions that come to more than there is before the infinity is met make a NaN of it, in any order.
            assert!(
                got == sum || got.is_nan() && magnitude_of_finite(&a, &b, at, depth, c) > most,
                "{}",
                told()
            );
        } else if magnitude + error < most {
            assert!((got - sum).abs() <= error, "{}", told());
        }
    }
}

/// The sum of the magnitudes that are no infinities.
fn magnitude_of_finite(a: &[f64], b: &[f64], at: usize, depth: usize, c: f64) -> f64 {
    let (row, column) = (at / COLUMNS, at % COLUMNS);
    let terms = (0..depth).map(|k| (a[row * depth + k] * b[column * depth + k]).abs());
    terms.chain([c.abs()]).filter(|term| term.is_finite()).sum()
}

/// Every format that tiles take, with numbers of every kind.
#[test]
fn fast_products_are_near() {
    let mut random = Random(7);
    let mut by_unit = 0;
    let mut count = 0;
    for kind in Element::ALL {
        let bits = if kind.bits() <= 8 { 8 } else { kind.bits() as usize };
        for (depth, accumulator) in
            [(128, Accumulator::F32), (256, Accumulator::F32), (256, Accumulator::F16)]
        {
            for regime in REGIMES {
                count += 1;
                if !usize::is_multiple_of(count, STEP) {
                    continue;
                }
                let depth = depth / bits;
                let product = Product::new(&mut random, kind, accumulator, depth, regime);
                assert!(amx::fits(product.packed, depth), "{kind:?} {depth}");
                let negate = random.below(2) == 1;
                let what = (kind, accumulator, depth, regime, negate);
                let d = by_vectors(&product, accumulator, negate);
                check(&product, accumulator, negate, &d, &("vectors", what));
                for by_rows in [false, true] {
                    if by_rows && product.packed.bits != 16 {
                        continue;
                    }
                    if let Some(d) = by_tiles(&product, accumulator, negate, by_rows) {
                        by_unit += 1;
                        check(&product, accumulator, negate, &d, &("tiles", what));
                    }
                    if let Some(d) = amx::without(|| by_tiles(&product, accumulator, negate, by_rows)) {
                        check(&product, accumulator, negate, &d, &("tiles without the unit", what));
                    }
                }
            }
        }
    }
    assert!(by_unit * 3 > count / STEP, "only {by_unit} products suited tiles, of {count}");
}

/// Tiles do not take what they would make something else of: NaN, infinity, and numbers that bf16 has no normal ones for.
#[test]
fn what_does_not_suit_is_told() {
    for (kind, good, bad) in [
        (Element::F16, vec![0, 0x8000, 1, 0x3c01, 0x7bff], vec![0x7c00, 0xfc00, 0x7e00]),
        (Element::Bf16, vec![0, 0x8000, 0x80, 0x7f7f], vec![1, 0x7f, 0x807f, 0x7f80, 0x7fc0]),
        (
            Element::Tf32,
            vec![0, 0x0580_0000, 0x7f7f_e000],
            vec![0x2000, 0x057f_e000, 0x7f80_0000, 0x7fc0_0000],
        ),
        (Element::E4m3, vec![0, 1, 0x80, 0x7e], vec![0x7f, 0xff]),
        (Element::E5m2, vec![0, 1, 0x80, 0x7b], vec![0x7c, 0x7d, 0xfc]),
    ] {
        let numbers =
            good.into_iter().map(|bits| (bits, true)).chain(bad.into_iter().map(|bits| (bits, false)));
        for (bits, suits) in numbers {
            let mut product =
                Product::new(&mut Random(1), kind, Accumulator::F32, 256 / kind.bits() as usize, REGIMES[0]);
            product.a[5] = bits;
            let (mut a, mut b) = (AmxA::default(), AmxB::default());
            a.decode(product.packed, true, &product.registers(&product.a));
            assert_eq!(a.suits(), suits, "{kind:?} {bits:#x}");
            product.b[21] = bits;
            b.decode(product.packed, false, COLUMNS / 8, StoredB::Columns(&product.registers(&product.b)));
            assert_eq!(b.suits(), suits, "{kind:?} {bits:#x}");
            if product.packed.bits == 16 {
                b.decode(product.packed, false, COLUMNS / 8, StoredB::Rows(&product.rows()));
                assert_eq!(b.suits(), suits, "{kind:?} {bits:#x}");
            }
        }
    }
}
