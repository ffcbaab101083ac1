//! Blocks by ordinary fused multiply-adds in f32: not the silicon's bits, but its speed at a tenth.
//!
//! The last bits may differ between levels: a host without fused multiply-adds rounds twice.

use super::super::element::Accumulator;
use super::super::scheme::Scheme;
use super::super::tile::canonical;
use super::super::tile::dispatch::Work;
use super::super::tile::quads::Quads;
use super::a::FragmentA;
use super::b::FragmentB;
use super::shape::{Block, LANES};
use crate::float::half::f16::{from_f32, to_f32};

pub(super) struct Fast<'a> {
    pub scheme: &'a Scheme,
    pub a: &'a FragmentA,
    pub b: &'a FragmentB,
    pub d: &'a mut [Block],
}

impl Work for Fast<'_> {
    #[inline(always)]
    fn run<V: Quads>(self) {
        let Self { scheme, a, b, d } = self;
        let half = scheme.rounded.accumulator() == Accumulator::F16;
        if half {
            convert(d, |bits| to_f32(bits as u16).to_bits());
        }
        for row in 0..a.blocks() {
            let row = Rows { a, b, row };
            let mut column = 0;
            // As many sums as there are registers for.
            while V::LANES == 16 && column + 4 <= b.blocks() {
                row.blocks::<V, 4>(column, d);
                column += 4;
            }
            for column in column..b.blocks() {
                row.blocks::<V, 1>(column, d);
            }
        }
        if half {
            convert(d, |bits| from_f32(f32::from_bits(bits)).into());
        }
    }
}

#[inline(always)]
fn convert(d: &mut [Block], with: impl Fn(u32) -> u32) {
    for block in d {
        for bits in block {
            *bits = with(*bits);
        }
    }
}

/// A block of rows.
#[derive(Clone, Copy)]
struct Rows<'a> {
    a: &'a FragmentA,
    b: &'a FragmentB,
    row: usize,
}

impl Rows<'_> {
    /// Adds the products of so many neighbouring blocks of columns.
    #[inline(always)]
    fn blocks<V: Quads, const COLUMNS: usize>(self, first: usize, d: &mut [Block]) {
        let Self { a, b, row } = self;
        let values = a.values_of(row);
        let columns: [_; COLUMNS] = std::array::from_fn(|i| b.of(first + i));
        let place = |i: usize| (first + i) * a.blocks() + row;
        let mut nan = false;
        for lane in (0..LANES).step_by(2 * V::LANES) {
            let at = |parity: usize, part: usize| parity * LANES + lane + part * V::LANES;
            let mut sums = [[[V::splat(0.0); 2]; 2]; COLUMNS];
            for i in 0..COLUMNS {
                for parity in 0..2 {
                    for part in 0..2 {
                        sums[i][parity][part] = V::from_bits(&d[place(i)][at(parity, part)..]);
                    }
                }
            }
            for (k, left) in values.iter().enumerate() {
                let left = [V::floats(&left.0[lane..]), V::floats(&left.0[lane + V::LANES..])];
                for i in 0..COLUMNS {
                    for (parity, factors) in [columns[i].even, columns[i].odd].into_iter().enumerate() {
                        let right = V::quad(&factors[k]);
                        for part in 0..2 {
                            sums[i][parity][part] = V::multiply_add(left[part], right, sums[i][parity][part]);
                        }
                    }
                }
            }
            for i in 0..COLUMNS {
                for parity in 0..2 {
                    for part in 0..2 {
                        nan |= V::any_nan(sums[i][parity][part]);
                        V::store_bits(&mut d[place(i)][at(parity, part)..], sums[i][parity][part]);
                    }
                }
            }
        }
        if nan {
            (0..COLUMNS).for_each(|i| canonical(&mut d[place(i)]));
        }
    }
}
