//! Sparse products in blocks, their A made a dense one, give the bits of single dot products over what is stored.

use ptxvm_num::level::{Level, at_most};
use ptxvm_num::matrix::fragment::{self, FragmentA, FragmentB, StoredB};
use ptxvm_num::matrix::{Accumulator, Element, Family, Left, Precision, Right, Scheme, Unit, fused};

use crate::fragments::{COLUMNS, Product, ROWS, STEP, place};
use crate::tiles::{REGIMES, Random};

/// The columns that the stored elements of all rows belong to: two of four, in any order, or one of two.
fn columns(random: &mut Random, element: Element, stored: usize) -> Vec<u16> {
    let mut columns = Vec::new();
    for begin in (0..ROWS).flat_map(|_| (0..2 * stored as u16).step_by(4)) {
        if element == Element::Tf32 {
            columns.extend([begin + random.below(2) as u16, begin + 2 + random.below(2) as u16]);
        } else {
            let first = random.below(4) as u16;
            let second = (first + 1 + random.below(3) as u16) % 4;
            columns.extend([begin + first, begin + second]);
        }
    }
    columns
}

#[test]
fn sparse_blocks_have_the_bits_of_dot_products() {
    let mut random = Random(45);
    let (mut count, mut special) = (0, 0);
    for element in [Element::F16, Element::Bf16, Element::Tf32, Element::E4m3, Element::E5m2] {
        for (unit, family) in [
            (Unit::Ampere, Family::Mma),
            (Unit::Ada, Family::Mma),
            (Unit::Hopper, Family::Mma),
            (Unit::Hopper, Family::Wgmma),
        ] {
            for (accumulator, regime) in [Accumulator::F32, Accumulator::F16]
                .into_iter()
                .flat_map(|accumulator| REGIMES.map(|regime| (accumulator, regime)))
            {
                let stored = 256 / if element.bits() <= 8 { 8 } else { element.bits() as usize };
                let own = Scheme::of(unit, family, element, accumulator, stored);
                let product = Product::new(&mut random, element, accumulator, 2 * stored, regime);
                let Some(scheme) = fragment::dense_scheme(&own, product.packed, stored) else { continue };
                count += 1;
                if !usize::is_multiple_of(count, STEP) {
                    continue;
                }
                let belongs = columns(&mut random, element, stored);
                let kept = Product::new(&mut random, element, accumulator, stored, regime);
                let (mut left, mut right) = (Left::new(ROWS, stored), Right::new(2 * stored, COLUMNS));
                for (at, bits) in kept.a.iter().enumerate() {
                    left.set(at / stored, at % stored, element, *bits);
                }
                for (at, bits) in product.b.iter().enumerate() {
                    right.set(at % (2 * stored), at / (2 * stored), element, *bits);
                }
                left.belongs = Some(belongs.clone());
                let of_a = kept.registers(&kept.a);
                let mut dense = vec![[7; 32]; 2 * of_a.len()];
                fragment::spread(product.packed, &belongs, &of_a, &mut dense);
                for level in Level::ALL {
                    let mut d = vec![[0; 64]; ROWS * COLUMNS / 64];
                    for (at, c) in product.c.iter().enumerate() {
                        let (block, place) = place(at / COLUMNS, at % COLUMNS);
                        d[block][place] = *c;
                    }
                    let (mut a, mut b) = (FragmentA::default(), FragmentB::default());
                    let is_finite = at_most(level, || {
                        a.decode(product.packed, Precision::Exact, false, ROWS / 8, &dense);
                        let of_b = product.registers(&product.b);
                        b.decode(product.packed, false, COLUMNS / 8, StoredB::Columns(&of_b));
                        fragment::multiply(&scheme, Precision::Exact, &a, &b, &mut d);
                        b.is_finite()
                    });
                    assert_eq!(is_finite, right.significands.iter().all(|number| number.is_finite()));
                    if !is_finite {
                        // Zeros that are not stored would meet what is no number.
                        special += 1;
                        continue;
                    }
                    for (at, c) in product.c.iter().enumerate() {
                        let (block, place) = place(at / COLUMNS, at % COLUMNS);
                        let expected = fused::dot(&own, &left, at / COLUMNS, &right, at % COLUMNS, *c);
                        let what = (element, unit, family, accumulator, regime, level);
                        assert_eq!(d[block][place], expected, "{what:?} {at}");
                    }
                }
            }
        }
    }
    assert!(count > 100 && special < 3 * count / 2, "{special} of {count} products had no numbers");
}
