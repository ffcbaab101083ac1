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

/// Rows that are multiplied together, so that a vector of B is loaded once for them.
const ROWS: usize = 4;

impl<const W: usize> Fast<'_, W> {
    /// All elements, which are f16 if `HALF`.
    #[inline(always)]
    fn all<V: Vector, const HALF: bool>(self) {
        let Self { a, b, columns, d, .. } = self;
        for (panel, first) in b.rows.chunks_exact(b.depth.max(1)).zip((0..columns).step_by(W)) {
            let width = W.min(columns - first);
            for (group, elements) in d.chunks_mut(ROWS * columns).enumerate() {
                let product = Product { a, row: group * ROWS, panel };
                let mut lines =
                    elements.chunks_exact_mut(columns).map(|line| &mut line[first..first + width]);
                if HALF || width < W {
                    lines.enumerate().for_each(|(row, line)| product.staged::<V, HALF>(row, line));
                    continue;
                }
                // Sixteen sums and what they are made of need as many registers as AVX-512 has.
                if V::LANES == 16 && lines.len() == ROWS && a.places.is_empty() {
                    let mut next = || lines.next().and_then(|line| line.as_mut_array());
                    if let (Some(a), Some(b), Some(c), Some(d)) = (next(), next(), next(), next()) {
                        product.rows::<V>([a, b, c, d]);
                    }
                    continue;
                }
                for (row, line) in lines.enumerate() {
                    if let Some(line) = line.as_mut_array() {
                        product.row::<V>(row, line);
                    }
                }
            }
        }
    }
}

/// The products of some rows with a panel. Elements are the bits of f32.
#[derive(Clone, Copy)]
struct Product<'a, const W: usize> {
    a: &'a Rows,
    /// The first row.
    row: usize,
    panel: &'a [Row<W>],
}

impl<const W: usize> Product<'_, W> {
    /// Adds the products of a row to elements that are fewer than a panel has columns, or f16.
    #[inline(always)]
    fn staged<V: Vector, const HALF: bool>(self, row: usize, line: &mut [u32]) {
        let mut staged = [0; W];
        match line.as_array() {
            Some(line) => staged = *line,
            None => part(&mut staged, line),
        }
        if HALF {
            for lane in 0..W {
                staged[lane] = to_f32(staged[lane] as u16).to_bits();
            }
        }
        self.row::<V>(row, &mut staged);
        if HALF {
            for lane in 0..W {
                staged[lane] = from_f32(f32::from_bits(staged[lane])).into();
            }
        }
        match line.as_mut_array() {
            Some(line) => *line = staged,
            None => part(line, &staged),
        }
    }

    /// Adds the products of one row, up to eight vectors of columns at a time.
    #[inline(always)]
    fn row<V: Vector>(self, row: usize, line: &mut [u32; W]) {
        let (factors, places) = (self.a.factors_of(self.row + row), self.a.places_of(self.row + row));
        let count = (W / V::LANES).clamp(1, 8);
        let mut nan = false;
        for part in (0..W).step_by(8 * V::LANES) {
            let mut sum = [V::splat(0.0); 8];
            for i in 0..count {
                sum[i] = V::from_bits(&line[part + i * V::LANES..]);
            }
            for (&factor, &place) in factors.iter().zip(places) {
                let (factor, values) = (V::splat(factor), &self.panel[usize::from(place)].values);
                for i in 0..count {
                    sum[i] = V::multiply_add(factor, V::floats(&values[part + i * V::LANES..]), sum[i]);
                }
            }
            for i in 0..count {
                nan |= V::any_nan(sum[i]);
                V::store_bits(&mut line[part + i * V::LANES..], sum[i]);
            }
        }
        if nan {
            canonical(line);
        }
    }

    /// Adds the products of several rows of a matrix that is not sparse, four vectors of columns at a time.
    #[inline(always)]
    fn rows<V: Vector>(self, lines: [&mut [u32; W]; ROWS]) {
        let count = (W / V::LANES).clamp(1, 4);
        let (first, second) = (self.a.factors_of(self.row), self.a.factors_of(self.row + 1));
        let (third, fourth) = (self.a.factors_of(self.row + 2), self.a.factors_of(self.row + 3));
        let mut nan = false;
        for part in (0..W).step_by(4 * V::LANES) {
            let mut sum = [[V::splat(0.0); 4]; ROWS];
            for row in 0..ROWS {
                for i in 0..count {
                    sum[row][i] = V::from_bits(&lines[row][part + i * V::LANES..]);
                }
            }
            let factors = first.iter().zip(second).zip(third).zip(fourth);
            for ((((&first, &second), &third), &fourth), &place) in factors.zip(&self.a.order) {
                let values = &self.panel[usize::from(place)].values;
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
                    nan |= V::any_nan(sum[row][i]);
                    V::store_bits(&mut lines[row][part + i * V::LANES..], sum[row][i]);
                }
            }
        }
        if nan {
            for line in lines {
                canonical(line);
            }
        }
    }
}

/// Gives every NaN the silicon's bits: no sign and all ones.
#[cold]
#[inline(never)]
pub(in crate::matrix) fn canonical(line: &mut [u32]) {
    for bits in line {
        if f32::from_bits(*bits).is_nan() {
            *bits = 0x7fff_ffff;
        }
    }
}
