//! `wmma.mma`: the products of `mma`'s shapes that ptxas makes of it.
//!
//! m16n16 is two products of the same A with the two halves of B, m32n8 of the two halves of A with the same B, each of
//! them m16n8; m8n32 is m32n8 of the transposed matrices. The shapes m8n8 are those of `mma`. Of the eight registers that
//! f16 fragments always have, those that repeat others are not read. Where C and D differ in their type, C is made an f32
//! first, or D rounded to f16 at last.
//!
//! `.satfinite` of floating point numbers, which PTX had until 6.5, does nothing: ptxas drops it for sm_80 and later.
//! f64 in the shapes m16n16 is not supported: ptxas takes it, but makes no instruction of it.

use ptxvm_num::Rounding;
use ptxvm_num::convert::{F16, F32, Modifiers, float_to_float};
use ptxvm_num::matrix::integer::IntegerElement;
use ptxvm_num::matrix::{Accumulator, Family, Packed};

use crate::context::Context;
use crate::matrix::{blocks, whole_warp};
use crate::ops::mma;
use crate::ops::mma::accumulator::{self, ELEMENTS, Order};
use crate::ops::mma::blocks::{product, product_of_integers};
use crate::ops::mma::float::{format_of_d, packed};
use crate::ops::mma::operands::{columns_of_b, rows_of_a, split};
use crate::registers::Slot;
use crate::vector::lanes::{Execute, Flow, Op};
use ptxvm_ir::operation::matrix::{Fragments, Mma, Shape};

/// The products of an instruction.
const TILES: usize = 2;

/// Rows and columns of one of them.
const ROWS: usize = 16;
const COLUMNS: usize = 8;

/// The operation of a product.
pub fn executor(wanted: Mma) -> Option<Op> {
    let Mma { shape, types, fragments, satfinite, .. } = wanted;
    if shape.m == 8 && shape.n == 8 {
        return mma::executor(wanted);
    }
    if let Some(integer) = IntegerElement::from_name(types.a.name()) {
        let tiles = Tiles { shape, fragments, a: 2, b: 1 };
        return Some(Box::new(Integers { integer, satfinite, tiles }));
    }
    Some(Box::new(Floats {
        packed: packed(types.a)?,
        d: format_of_d(types.d)?,
        c: format_of_d(types.c)?,
        tiles: Tiles { shape, fragments, a: 4, b: 2 },
    }))
}

/// How an instruction's fragments are shared out to its products.
struct Tiles {
    shape: Shape,
    fragments: Fragments,
    /// The registers of a product's A and B.
    a: usize,
    b: usize,
}

/// The slots of a product's operands.
struct Tile<'a> {
    d: &'a [Slot],
    a: &'a [Slot],
    b: &'a [Slot],
    c: &'a [Slot],
}

impl Tiles {
    fn of<'a>(&self, slots: &'a [Slot]) -> Option<[Tile<'a>; TILES]> {
        let [d, a, b, c, _] = split(self.fragments, slots)?;
        let (a, b) = if super::is_transposed(self.shape) { (b, a) } else { (a, b) };
        let square = self.shape.m == self.shape.n;
        let tile = |tile: usize| {
            let (of_a, of_b) = if square { (0, tile) } else { (tile, 0) };
            let (half_d, half_c) = (d.len() / TILES, c.len() / TILES);
            Some(Tile {
                d: d.get(tile * half_d..)?.get(..half_d)?,
                a: a.get(of_a * self.a..)?.get(..self.a)?,
                b: b.get(of_b * self.b..)?.get(..self.b)?,
                c: c.get(tile * half_c..)?.get(..half_c)?,
            })
        };
        Some([tile(0)?, tile(1)?])
    }
}

struct Floats {
    packed: Packed,
    d: Accumulator,
    c: Accumulator,
    tiles: Tiles,
}

impl Execute for Floats {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        if let Err(flow) = whole_warp(context, mask) {
            return flow;
        }
        let Some(tiles) = self.tiles.of(slots) else { return Flow::Next };
        let cores = context.cores();
        let wide = self.c == Accumulator::F32 || self.d == Accumulator::F32;
        let format = if wide { Accumulator::F32 } else { Accumulator::F16 };
        let (depth, formats) = (self.tiles.shape.k, (self.packed, self.packed));
        if self.c == self.d
            && let Some(scheme) = cores.in_blocks(Family::Wmma, self.packed, format, depth)
        {
            // Registers of D may be those of another tile's operands, so that all are read before.
            let how = (&scheme, cores.precision);
            let values =
                tiles.each_ref().map(|tile| product(context, how, formats, [tile.a, tile.b, tile.c]));
            context.count_products(self.tiles.shape.products());
            for (tile, values) in tiles.iter().zip(&values) {
                blocks::write(&mut context.bank, format, tile.d, values);
            }
            return Flow::Next;
        }
        let row = depth * self.packed.bits / 32;
        let mut values = [[0; ELEMENTS]; TILES];
        for (tile, values) in tiles.iter().zip(&mut values) {
            *values = accumulator::read(&context.bank, self.c, tile.c, Order::Columns);
            if self.c != format {
                convert(values, F16, F32);
            }
            let (a, b) = (rows_of_a(&context.bank, tile.a), columns_of_b(&context.bank, tile.b));
            let (rows, columns) = (a.map(u32::to_le_bytes), b.map(u32::to_le_bytes));
            let operands = &mut context.worker.operands;
            // Turned over, as for `mma`.
            operands.left.decode(self.packed, COLUMNS, columns[..COLUMNS * row].as_flattened());
            operands.right.decode_columns(self.packed, ROWS, rows[..ROWS * row].as_flattened());
            let (element, factors) = (self.packed.element, (&operands.left, &operands.right));
            cores.multiply(Family::Wmma, element, format, factors, values);
            if self.d != format {
                convert(values, F32, F16);
            }
        }
        context.count_products(self.tiles.shape.products());
        for (tile, values) in tiles.iter().zip(&values) {
            accumulator::write(context, self.d, (tile.d, mask), values, Order::Columns);
        }
        Flow::Next
    }
}

/// Converts accumulators, to the nearest even.
fn convert(values: &mut [u32], from: ptxvm_num::convert::Format, to: ptxvm_num::convert::Format) {
    for value in values {
        *value = float_to_float((*value).into(), from, to, Rounding::Rn, Modifiers::default()) as u32;
    }
}

struct Integers {
    integer: IntegerElement,
    satfinite: bool,
    tiles: Tiles,
}

impl Execute for Integers {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        if let Err(flow) = whole_warp(context, mask) {
            return flow;
        }
        let Some(tiles) = self.tiles.of(slots) else { return Flow::Next };
        let formats = (self.integer, self.integer);
        let values = tiles
            .each_ref()
            .map(|tile| product_of_integers(context, formats, self.satfinite, [tile.a, tile.b, tile.c]));
        context.count_products(self.tiles.shape.products());
        for (tile, values) in tiles.iter().zip(&values) {
            blocks::write(&mut context.bank, Accumulator::F32, tile.d, values);
        }
        Flow::Next
    }
}
