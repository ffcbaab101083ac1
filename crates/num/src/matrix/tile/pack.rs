//! Packs the factors for the loops: one f32 each, the exponents next to them, and B in panels of neighbouring columns.
//!
//! A factor whose exponent does not fit in an f32 marks its row of A or column of B. So do NaN and infinity where exact
//! bits are needed. [`dot`](super::super::fused::dot) computes the marked elements of D.

use super::super::element::NOTHING;
use super::super::operand::{Left, Right};
use super::super::scheme::{Order, Scheme};
use super::precision::Precision;

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
pub(super) struct Panels<const W: usize> {
    pub depth: usize,
    pub rows: Vec<Row<W>>,
    /// For each panel, one where a column is left to `dot`.
    pub odd: Vec<[u32; W]>,
    /// Which matrix they hold, and how: one that was kept need not be packed again.
    of: Option<(u64, Order, Precision)>,
}

/// A row of a panel. Vectors that are split between two lines of the cache take twice as long.
#[derive(Clone)]
#[repr(align(64))]
pub(super) struct Row<const W: usize> {
    pub values: [f32; W],
    pub exponents: [i16; W],
}

impl<const W: usize> Row<W> {
    /// Some of the columns.
    #[inline(always)]
    fn part<const PART: usize>(&mut self, first: usize) -> Option<(&mut [f32; PART], &mut [i16; PART])> {
        let (_, values) = self.values.split_at_mut_checked(first)?;
        let (_, exponents) = self.exponents.split_at_mut_checked(first)?;
        Some((values.first_chunk_mut()?, exponents.first_chunk_mut()?))
    }
}

impl<const W: usize> Default for Panels<W> {
    fn default() -> Self {
        Self { depth: 0, rows: Vec::new(), odd: Vec::new(), of: None }
    }
}

/// Two to the exponent, which must be that of a normal f32.
#[inline(always)]
pub(super) const fn power(exponent: i32) -> f32 {
    f32::from_bits(((exponent + 127) as u32) << 23)
}

/// What a set of factors has: whether the loops can use them is seen at the end.
#[derive(Clone, Copy)]
struct Seen {
    /// The largest significand, without its sign and as bits.
    most: u32,
    low: i16,
    high: i16,
}

impl Seen {
    const NOTHING: Self = Self { most: 0, low: 0, high: 0 };

    /// Whether the factors are left to `dot`.
    #[inline(always)]
    fn odd(self, precision: Precision) -> bool {
        let special = (self.most >= 2f32.to_bits()) & (precision == Precision::Exact);
        special | (self.low < -126) | (self.high > 127)
    }

    /// A factor as one f32.
    #[inline(always)]
    fn fold(&mut self, significand: f32, exponent: i16) -> f32 {
        let exponent = if exponent == NOTHING { 0 } else { exponent };
        self.most = self.most.max(significand.to_bits() & 0x7fff_ffff);
        self.low = self.low.min(exponent);
        self.high = self.high.max(exponent);
        f32::from_bits((i32::from(exponent) << 23).wrapping_add(127 << 23) as u32) * significand
    }
}

/// The exponent of a factor that becomes an f16, which most subnormal numbers of narrower formats are not there.
#[inline(always)]
fn of_half(value: f32, exponent: i16) -> i16 {
    let own = (value.to_bits() >> 23 & 0xff) as i16 - 127;
    if exponent > -14 { own.max(-14) } else { exponent }
}

/// Puts the elements into this order.
fn sort<T: Copy>(order: &[u16], unsorted: &mut Vec<T>, elements: &mut [T]) {
    unsorted.clear();
    unsorted.extend_from_slice(elements);
    order.iter().zip(elements).for_each(|(&k, element)| *element = unsorted[usize::from(k)]);
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
            Order::Consecutive => {
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
        let mut unsorted = (Vec::new(), Vec::new());
        for ((values, pairs), (significands, exponents)) in to.zip(from) {
            let mut seen = Seen::NOTHING;
            for k in 0..depth {
                values[k] = seen.fold(significands[k], exponents[k]);
                let exponent = match scheme.order {
                    Order::Consecutive => exponents[k],
                    Order::Interleaved => of_half(values[k], exponents[k]),
                };
                pairs[k] = u32::from(exponent as u16) * 0x1_0001;
            }
            self.odd.push(seen.odd(precision));
            if scheme.order == Order::Interleaved {
                sort(&self.order, &mut unsorted.0, values);
                sort(&self.order, &mut unsorted.1, pairs);
            }
        }
        self.places.clear();
        if let Some(belongs) = &a.belongs {
            for row in belongs.chunks_exact(depth) {
                self.places.extend(self.order.iter().map(|&k| row[usize::from(k)]));
            }
        }
    }

    /// A row's factors.
    #[inline(always)]
    pub fn factors_of(&self, row: usize) -> &[f32] {
        &self.values[row * self.depth..][..self.depth]
    }

    /// The rows of B that a row's factors belong to.
    #[inline(always)]
    pub fn places_of(&self, row: usize) -> &[u16] {
        if self.places.is_empty() { &self.order } else { &self.places[row * self.depth..][..self.depth] }
    }
}

impl<const W: usize> Panels<W> {
    /// Sorts the factors into panels.
    #[inline(always)]
    pub fn pack(&mut self, scheme: &Scheme, precision: Precision, b: &Right) {
        let of = (b.stamp(), scheme.order, precision);
        if b.stamp() != 0 && self.of == Some(of) {
            return;
        }
        self.of = Some(of);
        let (columns, panels) = (b.columns, b.columns.div_ceil(W));
        let depth = b.significands.len() / columns;
        self.depth = depth;
        self.rows.resize(panels * depth, Row { values: [0.0; W], exponents: [NOTHING; W] });
        self.odd.resize(panels, [0; W]);
        let panels = self.rows.chunks_exact_mut(depth.max(1)).zip(&mut self.odd);
        for ((rows, odd), first) in panels.zip((0..columns).step_by(W)) {
            let source = Columns { b, first, width: W.min(columns - first) };
            // Small products often have eight columns.
            if W == 16 {
                source.pack_parts::<W, 8>(rows, odd, scheme.order, precision);
            } else {
                source.pack_parts::<W, 16>(rows, odd, scheme.order, precision);
            }
        }
    }
}

/// Columns of B.
#[derive(Clone, Copy)]
struct Columns<'a> {
    b: &'a Right,
    first: usize,
    width: usize,
}

impl Columns<'_> {
    /// Packs a panel, so many columns at a time that what is seen of them stays in registers.
    #[inline(always)]
    fn pack_parts<const W: usize, const PART: usize>(
        self,
        rows: &mut [Row<W>],
        odd: &mut [u32; W],
        order: Order,
        precision: Precision,
    ) {
        for (part, odd) in odd.as_chunks_mut::<PART>().0.iter_mut().enumerate() {
            let skipped = part * PART;
            let width = self.width.saturating_sub(skipped).min(PART);
            let source = Self { b: self.b, first: self.first + skipped, width };
            for (lane, seen) in source.pack::<W, PART>(rows, skipped, order).into_iter().enumerate() {
                odd[lane] = u32::from(seen.odd(precision));
            }
        }
    }

    #[inline(always)]
    fn pack<const W: usize, const PART: usize>(
        self,
        rows: &mut [Row<W>],
        skipped: usize,
        order: Order,
    ) -> [Seen; PART] {
        if self.width == PART {
            let (significands, exponents) =
                (&self.b.significands[self.first..], &self.b.exponents[self.first..]);
            return pack(significands, exponents, self.b.columns, order, rows, skipped);
        }
        if self.width == 0 {
            for row in rows {
                row.values[skipped..].fill(0.0);
                row.exponents[skipped..].fill(NOTHING);
            }
            return [Seen::NOTHING; PART];
        }
        let (significands, exponents) = self.padded(rows.len(), PART);
        pack(&significands, &exponents, PART, order, rows, skipped)
    }

    /// A copy with columns of zeros.
    #[cold]
    fn padded(self, depth: usize, to: usize) -> (Vec<f32>, Vec<i16>) {
        let (mut significands, mut exponents) = (vec![0.0; depth * to], vec![NOTHING; depth * to]);
        for k in 0..depth {
            let from = k * self.b.columns + self.first;
            let from = from..from + self.width;
            part(&mut significands[k * to..], &self.b.significands[from.clone()]);
            part(&mut exponents[k * to..], &self.b.exponents[from]);
        }
        (significands, exponents)
    }
}

/// Packs the first columns of rows with a stride. Nothing in the loop makes the compiler keep what it sees in memory.
#[inline(always)]
fn pack<const W: usize, const PART: usize>(
    significands: &[f32],
    exponents: &[i16],
    stride: usize,
    order: Order,
    rows: &mut [Row<W>],
    skipped: usize,
) -> [Seen; PART] {
    let mut most = [0; PART];
    let (mut low, mut high) = ([0; PART], [0; PART]);
    for (k, row) in rows.iter_mut().enumerate() {
        let (significands, exponents) = (&significands[k * stride..], &exponents[k * stride..]);
        let (Some(significands), Some(exponents), Some((values, powers))) =
            (significands.first_chunk::<PART>(), exponents.first_chunk::<PART>(), row.part::<PART>(skipped))
        else {
            break;
        };
        for lane in 0..PART {
            let mut seen = Seen { most: most[lane], low: low[lane], high: high[lane] };
            values[lane] = seen.fold(significands[lane], exponents[lane]);
            (most[lane], low[lane], high[lane]) = (seen.most, seen.low, seen.high);
        }
        for lane in 0..PART {
            powers[lane] = match order {
                Order::Consecutive => exponents[lane],
                Order::Interleaved => of_half(values[lane], exponents[lane]),
            };
        }
    }
    let mut seen = [Seen::NOTHING; PART];
    for lane in 0..PART {
        seen[lane] = Seen { most: most[lane], low: low[lane], high: high[lane] };
    }
    seen
}

/// Copies what there is where it is not as long as vectors are. Apart from them, so that whole ones are not copied by
/// a call that asks how long they are.
#[cold]
#[inline(never)]
pub(in crate::matrix) fn part<T: Copy>(to: &mut [T], from: &[T]) {
    let count = to.len().min(from.len());
    to[..count].copy_from_slice(&from[..count]);
}
