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
        let Self { scheme, a, b, columns, d } = self;
        let half = scheme.rounded.accumulator() == Accumulator::F16;
        for (panel, first) in b.rows.chunks_exact(b.depth.max(1)).zip((0..columns).step_by(W)) {
            let width = W.min(columns - first);
            for (row, elements) in d.chunks_mut(columns).enumerate() {
                let elements = &mut elements[first..first + width];
                let mut block = [0.0; W];
                load(elements, half, &mut block);
                let factors = &a.values[row * a.depth..(row + 1) * a.depth];
                let count = (W / V::LANES).clamp(1, 8);
                for part in (0..W).step_by(count * V::LANES) {
                    sum::<V, W>(part, factors, a.places_of(row), panel, &mut block);
                }
                store(elements, half, &block);
            }
        }
    }
}

/// C of a block.
#[inline(always)]
fn load<const W: usize>(elements: &[u32], half: bool, block: &mut [f32; W]) {
    let mut bits = [0; W];
    match elements.as_array() {
        Some(elements) => bits = *elements,
        None => part(&mut bits, elements),
    }
    for lane in 0..W {
        let bits = bits[lane];
        block[lane] = if half { to_f32(bits as u16) } else { f32::from_bits(bits) };
    }
}

/// D of a block. NaN has no sign and all ones, as the silicon's.
#[inline(always)]
fn store<const W: usize>(elements: &mut [u32], half: bool, block: &[f32; W]) {
    let mut bits = [0; W];
    for lane in 0..W {
        let value = block[lane];
        let single = if value.is_nan() { 0x7fff_ffff } else { value.to_bits() };
        bits[lane] = if half { from_f32(value).into() } else { single };
    }
    match elements.as_mut_array() {
        Some(elements) => *elements = bits,
        None => part(elements, &bits),
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
