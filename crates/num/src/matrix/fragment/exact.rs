//! Blocks to the last bit: the same steps as [`dot`](super::super::fused::dot) for the 64 elements of a block at once.
//!
//! It is the arithmetic of [`tile`](super::super::tile), whose ends of a step it shares; only the factors come from
//! elsewhere.

use super::super::element::NOTHING;
use super::super::scheme::{Rounded, Scheme};
use super::super::tile::columns::{self, E8M13, F16, F32};
use super::super::tile::dispatch::Work;
use super::super::tile::ends::{begin, finish};
use super::super::tile::quads::Quads;
use super::a::{FragmentA, OfLanes};
use super::b::{Columns, FragmentB};
use super::shape::{BLOCK, Block, LANES};

type Steps = columns::Block<BLOCK>;

pub(super) struct Exact<'a> {
    pub scheme: &'a Scheme,
    pub a: &'a FragmentA,
    pub b: &'a FragmentB,
    pub d: &'a mut [Block],
    /// Gets the block and the place of each element that is left to `dot`; those keep C.
    pub rest: &'a mut Vec<(usize, usize)>,
}

impl Work for Exact<'_> {
    #[inline(always)]
    fn run<V: Quads>(self) {
        match self.scheme.rounded {
            Rounded::F32 => self.all::<V, { F32 }>(),
            Rounded::E8m13 => self.all::<V, { E8M13 }>(),
            Rounded::F16 => self.all::<V, { F16 }>(),
        }
    }
}

impl Exact<'_> {
    #[inline(always)]
    fn all<V: Quads, const ROUNDED: u8>(self) {
        let Self { scheme, a, b, d, rest } = self;
        let mut steps = Steps::default();
        for (index, d) in d.iter_mut().enumerate() {
            let (row, column) = (index % a.blocks(), index / a.blocks());
            let (values, pairs, columns) = (a.values_of(row), a.pairs_of(row), b.of(column));
            steps.c = *d;
            steps.odd = special(a, row, b, column).unwrap_or([0; BLOCK]);
            let products = scheme.products.max(1);
            for first in (0..a.depth()).step_by(products) {
                let step = first..a.depth().min(first + products);
                let columns = Columns {
                    even: &columns.even[step.clone()],
                    odd: &columns.odd[step.clone()],
                    pairs: &columns.pairs[step.clone()],
                };
                one_step::<V, ROUNDED>(scheme, (&values[step.clone()], &pairs[step]), columns, &mut steps);
            }
            if steps.odd.iter().fold(0, |all, odd| all | odd) == 0 {
                *d = steps.c;
                continue;
            }
            for place in 0..BLOCK {
                if steps.odd[place] == 0 {
                    d[place] = steps.c[place];
                } else {
                    rest.push((index, place));
                }
            }
        }
    }
}

/// The elements of a block that a NaN or an infinity of A or B is a factor of, if there is any.
#[inline(always)]
fn special(a: &FragmentA, row: usize, b: &FragmentB, column: usize) -> Option<[u32; BLOCK]> {
    let (rows, columns) = (a.special_rows(row), b.special_columns(column));
    if rows.is_none() && columns.is_none() {
        return None;
    }
    let (rows, columns) = (rows.unwrap_or_default(), columns.unwrap_or_default());
    Some(std::array::from_fn(|place| {
        let (parity, lane) = (place / LANES, place % LANES);
        u32::from(rows[lane / 4] | columns[2 * (lane % 4) + parity])
    }))
}

/// One step.
#[inline(always)]
fn one_step<V: Quads, const ROUNDED: u8>(
    scheme: &Scheme,
    (values, pairs): (&[OfLanes<f32>], &[OfLanes<u32>]),
    columns: Columns<'_>,
    steps: &mut Steps,
) {
    largest::<V>(pairs, columns.pairs, &mut steps.exponents);
    begin::<BLOCK, ROUNDED>(scheme, steps);
    steps.sums = [0; BLOCK];
    // So many products that their sum fits 31 bits: each is below four, 2^fraction times.
    let group = 1usize << (29 - scheme.fraction.clamp(0, 29));
    let columns = columns.even.chunks(group).zip(columns.odd.chunks(group));
    for (values, (even, odd)) in values.chunks(group).zip(columns) {
        let mut sums = [0; BLOCK];
        for lane in (0..LANES).step_by(2 * V::LANES) {
            add::<V>(lane, values, (even, odd), &steps.scales, &mut sums);
        }
        for place in 0..BLOCK {
            let (old, new) = (steps.sums[place], sums[place]);
            let sum = old.wrapping_add(new);
            steps.odd[place] |= ((sum ^ old) & (sum ^ new)) as u32 >> 31;
            steps.sums[place] = sum;
        }
    }
    finish::<V, BLOCK, ROUNDED>(scheme, steps);
}

/// The first pass: the largest sums of exponents.
#[inline(always)]
fn largest<V: Quads>(left: &[OfLanes<u32>], right: &[[u32; 4]], exponents: &mut [i16; BLOCK]) {
    let count = LANES / V::LANES;
    let mut most = [V::splat_shorts(u32::from(NOTHING as u16) * 0x1_0001); 4];
    for (left, right) in left.iter().zip(right) {
        let right = V::quad_of_pairs(right);
        for (i, most) in most.iter_mut().enumerate().take(count) {
            let sum = V::add_shorts(V::pairs(&left.0[i * V::LANES..]), right);
            *most = V::larger_shorts(*most, sum);
        }
    }
    let mut pairs = [0; LANES];
    for (i, most) in most.into_iter().enumerate().take(count) {
        V::store_pairs(&mut pairs[i * V::LANES..], most);
    }
    for lane in 0..LANES {
        exponents[lane] = pairs[lane] as i16;
        exponents[LANES + lane] = (pairs[lane] >> 16) as i16;
    }
}

/// The second pass, for up to two vectors of lanes.
#[inline(always)]
fn add<V: Quads>(
    lane: usize,
    values: &[OfLanes<f32>],
    (even, odd): (&[[f32; 4]], &[[f32; 4]]),
    scales: &[f32; BLOCK],
    sums: &mut [i32; BLOCK],
) {
    let at = |parity: usize, i: usize| parity * LANES + lane + i * V::LANES;
    let mut sum = [[V::zeros(); 2]; 2];
    let mut scale = [[V::splat(0.0); 2]; 2];
    for parity in 0..2 {
        for i in 0..2 {
            scale[parity][i] = V::floats(&scales[at(parity, i)..]);
        }
    }
    for (left, (even, odd)) in values.iter().zip(even.iter().zip(odd)) {
        let right = [V::quad(even), V::quad(odd)];
        for i in 0..2 {
            let left = V::floats(&left.0[lane + i * V::LANES..]);
            for parity in 0..2 {
                let term = V::multiply(V::multiply(left, right[parity]), scale[parity][i]);
                sum[parity][i] = V::add(sum[parity][i], V::truncate(term));
            }
        }
    }
    for parity in 0..2 {
        for i in 0..2 {
            V::store_integers(&mut sums[at(parity, i)..], sum[parity][i]);
        }
    }
}
