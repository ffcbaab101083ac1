//! Tiles by ordinary fused multiply-adds in f32: not the silicon's bits, but its speed at a tenth.
//!
//! The last bits may differ between levels: a host without fused multiply-adds rounds twice.

use super::super::element::Accumulator;
use super::super::scheme::Scheme;
use super::dispatch::Work;
use super::pack::{Panels, Row, Rows, part};
use super::vector::Vector;
use crate::float::half::f16::{from_f32, to_f32};

/// Columns `W` at a time.
pub(super) struct Fast<'a, const W: usize> {
    pub scheme: &'a Scheme,
    pub a: &'a Rows,
    pub b: &'a Panels<W>,
    /// Columns of D.
    pub columns: usize,
    pub d: &'a mut [u32],
}

impl<const W: usize> Work for Fast<'_, W> {
    #[inline(always)]
    fn run<V: Vector>(self) {
        match self.scheme.rounded.accumulator() {
            Accumulator::F16 => self.all::<V, true>(),
            Accumulator::F32 => self.all::<V, false>(),
        }
    }
}

impl<const W: usize> Fast<'_, W> {
    /// All elements, which are f16 if `HALF`.
    #[inline(always)]
    fn all<V: Vector, const HALF: bool>(self) {
        let Self { a, b, columns, d, .. } = self;
        let mut block = [[0.0; W]; ROWS];
        for (panel, first) in b.rows.chunks_exact(b.depth.max(1)).zip((0..columns).step_by(W)) {
            let width = W.min(columns - first);
            for (group, elements) in d.chunks_mut(ROWS * columns).enumerate() {
                let rows = group * ROWS..group * ROWS + elements.len() / columns;
                for (block, elements) in block.iter_mut().zip(elements.chunks(columns)) {
                    load::<W, HALF>(&elements[first..first + width], block);
                }
                // Sixteen sums and what they are made of need as many registers as AVX-512 has.
                if V::LANES == 16 && rows.len() == ROWS && a.places.is_empty() {
                    let factors = [0, 1, 2, 3].map(|row| a.factors_of(rows.start + row));
                    for part in (0..W).step_by(4 * V::LANES) {
                        sum_rows::<V, W>(part, factors, &a.order, panel, &mut block);
                    }
                } else {
                    for (row, block) in rows.zip(&mut block) {
                        for part in (0..W).step_by(8 * V::LANES) {
                            sum::<V, W>(part, a.factors_of(row), a.places_of(row), panel, block);
                        }
                    }
                }
                for (block, elements) in block.iter().zip(elements.chunks_mut(columns)) {
                    store::<W, HALF>(&mut elements[first..first + width], block);
                }
            }
        }
    }
}

/// Rows that are multiplied together, so that a vector of B is loaded once for them.
const ROWS: usize = 4;

/// C of a block.
#[inline(always)]
fn load<const W: usize, const HALF: bool>(elements: &[u32], block: &mut [f32; W]) {
    let Some(elements) = elements.as_array::<W>() else {
        let mut padded = [0; W];
        part(&mut padded, elements);
        return load::<W, HALF>(&padded, block);
    };
    for lane in 0..W {
        let bits = elements[lane];
        block[lane] = if HALF { to_f32(bits as u16) } else { f32::from_bits(bits) };
    }
}

/// D of a block. NaN has no sign and all ones, as the silicon's.
#[inline(always)]
fn store<const W: usize, const HALF: bool>(elements: &mut [u32], block: &[f32; W]) {
    let Some(elements) = elements.as_mut_array::<W>() else {
        let mut padded = [0; W];
        store::<W, HALF>(&mut padded, block);
        return part(elements, &padded);
    };
    for lane in 0..W {
        let value = block[lane];
        let single = if value.is_nan() { 0x7fff_ffff } else { value.to_bits() };
        elements[lane] = if HALF { from_f32(value).into() } else { single };
    }
}

/// Adds a row's products, for up to eight vectors of columns.
#[inline(always)]
fn sum<V: Vector, const W: usize>(
    part: usize,
    factors: &[f32],
    places: &[u16],
    panel: &[Row<W>],
    block: &mut [f32; W],
) {
    let count = (W / V::LANES).clamp(1, 8);
    let mut sum = [V::splat(0.0); 8];
    for i in 0..count {
        sum[i] = V::floats(&block[part + i * V::LANES..]);
    }
    for (&factor, &place) in factors.iter().zip(places) {
        let (factor, values) = (V::splat(factor), &panel[usize::from(place)].values);
        for i in 0..count {
            sum[i] = V::multiply_add(factor, V::floats(&values[part + i * V::LANES..]), sum[i]);
        }
    }
    for i in 0..count {
        V::store_floats(&mut block[part + i * V::LANES..], sum[i]);
    }
}

/// Adds the products of several rows, for up to four vectors of columns.
#[inline(always)]
fn sum_rows<V: Vector, const W: usize>(
    part: usize,
    factors: [&[f32]; ROWS],
    places: &[u16],
    panel: &[Row<W>],
    block: &mut [[f32; W]; ROWS],
) {
    let count = (W / V::LANES).clamp(1, 4);
    let mut sum = [[V::splat(0.0); 4]; ROWS];
    for row in 0..ROWS {
        for i in 0..count {
            sum[row][i] = V::floats(&block[row][part + i * V::LANES..]);
        }
    }
    let [first, second, third, fourth] = factors;
    let factors = first.iter().zip(second).zip(third).zip(fourth);
    for ((((&first, &second), &third), &fourth), &place) in factors.zip(places) {
        let values = &panel[usize::from(place)].values;
        let factors = [V::splat(first), V::splat(second), V::splat(third), V::splat(fourth)];
        for i in 0..count {
            let values = V::floats(&values[part + i * V::LANES..]);
            for row in 0..ROWS {
                sum[row][i] = V::multiply_add(factors[row], values, sum[row][i]);
            }
        }
    }
    for row in 0..ROWS {
        for i in 0..count {
            V::store_floats(&mut block[row][part + i * V::LANES..], sum[row][i]);
        }
    }
}
