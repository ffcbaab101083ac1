//! Dense products of the sweep as the machine computes them: in blocks, as the lanes of a warp hold them.

use ptxvm_num::matrix::fragment::{self, Block, FragmentA, FragmentB, IntegerFragments, LANES, StoredB};
use ptxvm_num::matrix::integer::IntegerElement;
use ptxvm_num::matrix::{Packed, Precision, Scheme};

/// The rows that a warp has.
const ROWS: usize = 16;

/// Room for one product after the other.
#[derive(Default)]
pub struct Blocks {
    a: FragmentA,
    b: FragmentB,
    integers: IntegerFragments,
    d: Vec<Block>,
}

/// A product: A row after row, B column after column, as words, and C row after row, which becomes D.
pub struct Dense<'a> {
    pub a: &'a [u32],
    pub b: &'a [u32],
    pub columns: usize,
    pub d: &'a mut [u32],
}

impl Blocks {
    /// D of floating point numbers.
    pub fn floats(&mut self, scheme: &Scheme, (a, b): (Packed, Packed), dense: Dense<'_>) {
        self.b.decode(b, false, dense.columns / 8, StoredB::Columns(&registers(dense.b, dense.columns)));
        let Self { a: left, b: right, d, .. } = self;
        each_warp(dense, d, |rows, d| {
            left.decode(a, Precision::Exact, false, ROWS / 8, rows);
            fragment::multiply(scheme, Precision::Exact, left, right, d);
        });
    }

    /// D of integers.
    pub fn integers(&mut self, (a, b): (IntegerElement, IntegerElement), satfinite: bool, dense: Dense<'_>) {
        let Self { integers, d, .. } = self;
        integers.decode_b(b, dense.columns / 8, &registers(dense.b, dense.columns));
        each_warp(dense, d, |rows, d| {
            integers.decode_a(a, ROWS / 8, rows);
            integers.multiply(satfinite, d);
        });
    }
}

/// Multiplies sixteen rows after the other.
fn each_warp(
    dense: Dense<'_>,
    blocks: &mut Vec<Block>,
    mut multiply: impl FnMut(&[[u32; LANES]], &mut [Block]),
) {
    let Dense { a, columns, d, .. } = dense;
    let rows = d.len() / columns;
    blocks.resize(ROWS * columns / 64, [0; 64]);
    let place = |at: usize| {
        let (row, column) = (at / columns, at % columns);
        (column / 8 * 2 + row / 8, column % 2 * LANES + row % 8 * 4 + column % 8 / 2)
    };
    for (a, d) in a.chunks(a.len() * ROWS / rows).zip(d.chunks_mut(ROWS * columns)) {
        for (at, c) in d.iter().enumerate() {
            let (block, place) = place(at);
            blocks[block][place] = *c;
        }
        multiply(&registers(a, ROWS), blocks);
        for (at, d) in d.iter_mut().enumerate() {
            let (block, place) = place(at);
            *d = blocks[block][place];
        }
    }
}

/// The registers that hold lines of words: eight lines each, sixteen bytes of a line in a quad, all lines of the first
/// sixteen bytes first.
fn registers(words: &[u32], lines: usize) -> Vec<[u32; LANES]> {
    let length = words.len() / lines;
    let quads = (0..length / 4).flat_map(|quad| (0..lines / 8).map(move |block| (quad, block)));
    quads
        .map(|(quad, block)| {
            std::array::from_fn(|lane| words[(8 * block + lane / 4) * length + 4 * quad + lane % 4])
        })
        .collect()
}
