//! Whole matrices are decoded as their elements are, at every level of vector instructions.

use ptxvm_num::level::{Level, at_most};
use ptxvm_num::matrix::{Element, Left, Packed, Right};

/// Every pattern of a format, and bits around some of them that do not count.
fn patterns(packed: Packed) -> Vec<u8> {
    // Miri is slow.
    let step = if cfg!(miri) { 257 } else { 1 };
    match packed.bits {
        32 => {
            let all = (0..1u32 << 19).step_by(step);
            all.flat_map(|bits| (bits << 13 | bits & 0x1fff).to_le_bytes()).collect()
        }
        16 => (0..=u16::MAX).step_by(step).flat_map(u16::to_le_bytes).collect(),
        _ => (0..=u8::MAX).collect(),
    }
}

/// Numbers by their bits, but NaN by being one.
fn bits(values: &[f32]) -> Vec<u32> {
    values.iter().map(|value| if value.is_nan() { u32::MAX } else { value.to_bits() }).collect()
}

fn compare(packed: Packed, columns: usize, depth: usize, bytes: &[u8]) {
    let mut rows = Right::new(depth, columns);
    let mut turned = Right::new(depth, columns);
    for k in 0..depth {
        for column in 0..columns {
            rows.set(k, column, packed.element, packed.bits_at(bytes, k * columns + column));
            turned.set(k, column, packed.element, packed.bits_at(bytes, column * depth + k));
        }
    }
    for level in Level::ALL {
        let what = (packed, columns, depth, level);
        let (mut left, mut right) = (Left::default(), Right::default());
        at_most(level, || right.decode_rows(packed, columns, bytes));
        assert_eq!(
            (right.columns, bits(&right.significands)),
            (columns, bits(&rows.significands)),
            "{what:?}"
        );
        assert_eq!(right.exponents, rows.exponents, "{what:?}");
        at_most(level, || right.decode_columns(packed, columns, bytes));
        assert_eq!(
            (right.columns, bits(&right.significands)),
            (columns, bits(&turned.significands)),
            "{what:?}"
        );
        assert_eq!(right.exponents, turned.exponents, "{what:?}");
        at_most(level, || left.decode(packed, depth, bytes));
        assert_eq!((left.depth, bits(&left.significands)), (columns, bits(&rows.significands)), "{what:?}");
        assert_eq!(left.exponents, rows.exponents, "{what:?}");
    }
}

#[test]
#[cfg_attr(miri, ignore = "takes hours there; `odd_sizes` runs the same code")]
fn every_pattern() {
    let tight = Element::ALL.map(Packed::tight).into_iter().chain([Packed::bytes(Element::E2m1)]);
    for packed in tight {
        let all = patterns(packed);
        let count = all.len() * 8 / packed.bits;
        for columns in [count / 16, 32] {
            compare(packed, columns, count / columns, &all);
        }
    }
}

#[test]
fn odd_sizes() {
    for packed in [Packed::tight(Element::F16), Packed::bytes(Element::E5m2), Packed::tight(Element::Tf32)] {
        let all = patterns(packed);
        for columns in [1, 7, 8, 15, 16, 17, 40] {
            for depth in (1..=9).step_by(if cfg!(miri) { 4 } else { 1 }) {
                let count = columns * depth * packed.bits / 8;
                let bytes: Vec<u8> = all[all.len() / 3..].iter().copied().cycle().take(count).collect();
                compare(packed, columns, depth, &bytes);
            }
        }
    }
}
