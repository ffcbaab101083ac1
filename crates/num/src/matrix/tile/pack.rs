//! The factors as the loops want them: one f32 each, beside the exponents, and B in panels of neighbouring columns.
//!
//! A factor whose exponent an f32 cannot have marks its row of A or column of B, and so do NaN and infinity where bits
//! count: elements of D there are left to [`dot`](super::super::fused::dot).

use super::super::element::NOTHING;
use super::super::operand::{Left, Right};
use super::super::scheme::{Order, Scheme};
use super::Precision;

/// A, row after row, the factors of a row in the order of the steps.
#[derive(Default)]
pub(super) struct Rows {
    pub depth: usize,
    pub values: Vec<f32>,
    /// Exponents, each in both halves.
    pub exponents: Vec<u32>,
    /// Each factor's k.
    pub order: Vec<u16>,
    /// For a sparse matrix, the row of B that each factor belongs to.
    pub places: Vec<u16>,
    /// Rows that are left to `dot`.
    pub odd: Vec<bool>,
    /// Where the steps begin, and the end.
    pub steps: Vec<usize>,
}

/// B in panels: all rows of the first columns, then of the next ones. What is beyond the last column is zero.
#[derive(Default)]
pub(super) struct Panels {
    pub values: Vec<f32>,
    pub exponents: Vec<i16>,
    /// Columns that are left to `dot`, also beyond the last column.
    pub odd: Vec<bool>,
}

/// Two to the exponent, which must be that of a normal f32.
#[inline(always)]
pub(super) const fn power(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}

/// A factor as one f32, and whether it is one that the loops can use.
#[inline(always)]
fn fold(precision: Precision, significand: f32, exponent: i16) -> (f32, bool) {
    let nothing = exponent == NOTHING;
    let beyond = !nothing & !(-126..=127).contains(&exponent);
    let special = nothing & (significand != 0.0) & (precision == Precision::Exact);
    let exponent = if nothing | beyond { 0 } else { i32::from(exponent) };
    (significand * power(exponent), beyond | special)
}

impl Rows {
    /// Sorts the factors of each row into steps.
    #[inline(always)]
    pub fn pack(&mut self, scheme: &Scheme, precision: Precision, a: &Left) {
        let depth = a.depth;
        self.depth = depth;
        self.steps.clear();
        self.order.clear();
        match scheme.order {
            Order::Consecutive | Order::Chained => {
                self.steps.extend((0..depth).step_by(scheme.products.max(1)));
                self.order.extend(0..depth as u16);
            }
            Order::Interleaved => {
                let half = |upper: bool| (0..depth as u16).filter(move |k| (k % 4 >= 2) == upper);
                self.order.extend(half(false));
                self.steps.extend([0, self.order.len()]);
                self.order.extend(half(true));
            }
        }
        self.steps.push(depth);
        self.values.resize(a.significands.len(), 0.0);
        self.exponents.resize(a.significands.len(), 0);
        self.odd.clear();
        let to = self.values.chunks_exact_mut(depth).zip(self.exponents.chunks_exact_mut(depth));
        let from = a.significands.chunks_exact(depth).zip(a.exponents.chunks_exact(depth));
        for ((values, pairs), (significands, exponents)) in to.zip(from) {
            let mut odd = false;
            for k in 0..depth {
                let at = match scheme.order {
                    Order::Consecutive | Order::Chained => k,
                    Order::Interleaved => usize::from(self.order[k]),
                };
                let (value, strange) = fold(precision, significands[at], exponents[at]);
                odd |= strange;
                values[k] = value;
                pairs[k] = u32::from(exponents[at] as u16) * 0x1_0001;
            }
            self.odd.push(odd);
        }
        self.places.clear();
        if let Some(belongs) = &a.belongs {
            for row in belongs.chunks_exact(depth) {
                self.places.extend(self.order.iter().map(|&k| row[usize::from(k)]));
            }
        }
    }

    /// The rows of B that a row's factors belong to.
    #[inline(always)]
    pub fn places_of(&self, row: usize) -> &[u16] {
        if self.places.is_empty() { &self.order } else { &self.places[row * self.depth..][..self.depth] }
    }
}

impl Panels {
    #[inline(always)]
    pub fn pack<const W: usize>(&mut self, precision: Precision, b: &Right) {
        let (columns, panels) = (b.columns, b.columns.div_ceil(W));
        let depth = b.significands.len() / columns;
        self.values.clear();
        self.exponents.clear();
        self.odd.clear();
        self.values.resize(panels * depth * W, 0.0);
        self.exponents.resize(panels * depth * W, NOTHING);
        self.odd.resize(panels * W, false);
        let (values, _) = self.values.as_chunks_mut::<W>();
        let (exponents, _) = self.exponents.as_chunks_mut::<W>();
        let (odd, _) = self.odd.as_chunks_mut::<W>();
        for (panel, odd) in odd.iter_mut().enumerate() {
            let width = W.min(columns - panel * W);
            for k in 0..depth {
                let from = k * columns + panel * W..k * columns + panel * W + width;
                let (mut significand, mut exponent) = ([0.0; W], [NOTHING; W]);
                if width == W {
                    significand.copy_from_slice(&b.significands[from.clone()]);
                    exponent.copy_from_slice(&b.exponents[from]);
                } else {
                    significand[..width].copy_from_slice(&b.significands[from.clone()]);
                    exponent[..width].copy_from_slice(&b.exponents[from]);
                }
                let value = &mut values[panel * depth + k];
                for lane in 0..W {
                    let (folded, strange) = fold(precision, significand[lane], exponent[lane]);
                    value[lane] = folded;
                    odd[lane] |= strange;
                }
                exponents[panel * depth + k] = exponent;
            }
        }
    }
}
