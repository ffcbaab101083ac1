//! Tiles to the last bit: the same steps as [`dot`](super::super::fused::dot) for many neighbouring columns at once.
//!
//! A step makes two passes over its products. The first finds the largest exponent of each column's terms; the second
//! multiplies, shifts by multiplying with a power of two, cuts off by converting to an integer, and adds. A product of
//! two factors has at most 22 bits, so it is exact in an f32 unless it is too small to count.
//! Elements for which this does not hold are marked and left to `dot`.

use super::super::element::NOTHING;
use super::super::scheme::{Order, Rounded, Scheme};
use super::columns::{Block, E8M13, F16, F32};
use super::dispatch::Work;
use super::ends::{begin, finish, plus};
use super::pack::{Panels, Row, Rows, part};
use super::vector::Vector;

/// Columns `W` at a time, so many that vectors of 16-bit lanes of every level used for it divide it.
pub(super) struct ExactTile<'a, const W: usize> {
    pub scheme: &'a Scheme,
    pub a: &'a Rows,
    pub b: &'a Panels<W>,
    /// Columns of D.
    pub columns: usize,
    pub d: &'a mut [u32],
    /// Gets the place of each element of `d` that is left to `dot`; those keep C.
    pub rest: &'a mut Vec<usize>,
}

impl<const W: usize> Work for ExactTile<'_, W> {
    #[inline(always)]
    fn run<V: Vector>(self) {
        match self.scheme.rounded {
            Rounded::F32 => self.all::<V, { F32 }>(),
            Rounded::E8m13 => self.all::<V, { E8M13 }>(),
            Rounded::F16 => self.all::<V, { F16 }>(),
        }
    }
}

impl<const W: usize> ExactTile<'_, W> {
    #[inline(always)]
    fn all<V: Vector, const ROUNDED: u8>(self) {
        let Self { scheme, a, b, columns, d, rest } = self;
        let mut block = Block::<W>::default();
        let panels = b.rows.chunks_exact(b.depth.max(1)).zip(&b.odd);
        for ((panel, odd), first) in panels.zip((0..columns).step_by(W)) {
            let width = W.min(columns - first);
            for (row, elements) in d.chunks_mut(columns).enumerate() {
                let place = row * columns + first;
                if a.odd[row] {
                    rest.extend(place..place + width);
                    continue;
                }
                let elements = &mut elements[first..first + width];
                let mut c = [0; W];
                match elements.as_array() {
                    Some(elements) => c = *elements,
                    None => part(&mut c, elements),
                }
                let late = scheme.order == Order::Interleaved;
                block.c = if late { [0; W] } else { c };
                block.odd = *odd;
                for ends in a.steps.windows(2) {
                    step::<V, W, ROUNDED>(scheme, a, row, ends[0]..ends[1], panel, &mut block);
                }
                if late {
                    plus::<W, ROUNDED>(&mut block, &c);
                }
                match elements.as_mut_array() {
                    Some(elements) => *elements = block.c,
                    None => part(elements, &block.c),
                }
                if block.odd.iter().fold(0, |all, odd| all | odd) != 0 {
                    for lane in (0..width).filter(|&lane| block.odd[lane] != 0) {
                        elements[lane] = c[lane];
                        rest.push(place + lane);
                    }
                }
            }
        }
    }
}

/// One step of one row.
#[inline(always)]
fn step<V: Vector, const W: usize, const ROUNDED: u8>(
    scheme: &Scheme,
    a: &Rows,
    row: usize,
    step: std::ops::Range<usize>,
    panel: &[Row<W>],
    block: &mut Block<W>,
) {
    let first = row * a.depth;
    let factors = &a.values[first..][step.clone()];
    let left = &a.exponents[first..][step.clone()];
    let places = &a.places_of(row)[step];

    for part in (0..W).step_by(64.min(W)) {
        largest::<V, W>(part, left, places, panel, &mut block.exponents);
    }
    begin::<W, ROUNDED>(scheme, block);
    block.sums = [0; W];
    // So many products that their sum fits 31 bits: each is below four, 2^fraction times.
    let group = 1usize << (29 - scheme.fraction.clamp(0, 29));
    for (factors, places) in factors.chunks(group).zip(places.chunks(group)) {
        let mut sums = [0; W];
        for part in (0..W).step_by((4 * V::LANES).min(W)) {
            add::<V, W>(part, factors, places, panel, &block.scales, &mut sums);
        }
        for lane in 0..W {
            let (old, new) = (block.sums[lane], sums[lane]);
            let sum = old.wrapping_add(new);
            block.odd[lane] |= ((sum ^ old) & (sum ^ new)) as u32 >> 31;
            block.sums[lane] = sum;
        }
    }
    finish::<V, W, ROUNDED>(scheme, block);
}
/// The first pass: the largest sums of exponents, for up to 64 columns.
#[inline(always)]
fn largest<V: Vector, const W: usize>(
    part: usize,
    left: &[u32],
    places: &[u16],
    panel: &[Row<W>],
    exponents: &mut [i16; W],
) {
    let lanes = 2 * V::LANES;
    let count = (64.min(W) / lanes).max(1);
    let mut most = [V::splat_shorts(u32::from(NOTHING as u16) * 0x1_0001); 4];
    for (&exponent, &place) in left.iter().zip(places) {
        let (exponent, right) = (V::splat_shorts(exponent), &panel[usize::from(place)].exponents);
        for (i, most) in most.iter_mut().enumerate().take(count) {
            let right = V::shorts(&right[part + i * lanes..]);
            *most = V::larger_shorts(*most, V::add_shorts(exponent, right));
        }
    }
    for (i, most) in most.into_iter().enumerate().take(count) {
        V::store_shorts(&mut exponents[part + i * lanes..], most);
    }
}

/// The second pass, for up to four vectors of columns.
#[inline(always)]
fn add<V: Vector, const W: usize>(
    part: usize,
    factors: &[f32],
    places: &[u16],
    panel: &[Row<W>],
    scales: &[f32; W],
    sums: &mut [i32; W],
) {
    let count = (W / V::LANES).clamp(1, 4);
    let mut sum = [V::zeros(); 4];
    let mut scale = [V::splat(0.0); 4];
    for i in 0..count {
        scale[i] = V::floats(&scales[part + i * V::LANES..]);
    }
    for (&factor, &place) in factors.iter().zip(places) {
        let (factor, values) = (V::splat(factor), &panel[usize::from(place)].values);
        for i in 0..count {
            let value = V::floats(&values[part + i * V::LANES..]);
            let term = V::multiply(V::multiply(factor, value), scale[i]);
            sum[i] = V::add(sum[i], V::truncate(term));
        }
    }
    for i in 0..count {
        V::store_integers(&mut sums[part + i * V::LANES..], sum[i]);
    }
}
