//! `mma` with a scale for each block of elements of a row of A and of a column of B (manual 9.7.14.3).
//!
//! The scales are bytes of a register: of A's rows in a pair of lanes of each quad, of B's columns in one lane of it.
//! `kind::mxf8f6f4` has one scale for all of k, a power of two, which only shifts the factors' exponents; the kinds of
//! packed e2m1 have an arithmetic of their own ([`ptxvm_num::matrix::scaled`]).

use ptxvm_ir::operation::matrix::{BlockScale, Fragments, Mma, Shape};
use ptxvm_num::matrix::scaled::{self, Blocks, Scale};
use ptxvm_num::matrix::{Accumulator, Element, Family, Left, Packed, Right};

use super::accumulator::{self, ELEMENTS, Order};
use super::float::packed;
use super::operands::{self, columns_of_b, rows_of_a, split};
use crate::context::Context;
use crate::explain::finding::Kind;
use crate::matrix::sparse::Sparse;
use crate::matrix::whole_warp;
use crate::registers::{LANES, Slot};
use crate::vector::lanes::{Execute, Flow, Op};
use crate::vector::value::Value;

/// The operation of a form with `.block_scale`.
pub fn executor(mma: Mma, BlockScale { byte_each, blocks, ty }: BlockScale) -> Option<Op> {
    let Mma { shape, types, fragments, .. } = mma;
    let sparse = operands::sparse(mma)?;
    let (a, b) = if byte_each {
        (packed(types.a)?, packed(types.b)?)
    } else {
        (Packed::tight(Element::E2m1), Packed::tight(Element::E2m1))
    };
    Some(Box::new(Scaled {
        a,
        b,
        byte_each,
        blocks,
        scale: Scale::from_name(ty.name())?,
        fragments,
        shape,
        stored: if sparse.is_some() { shape.k / 2 } else { shape.k },
        sparse,
    }))
}

struct Scaled {
    a: Packed,
    b: Packed,
    /// Whether each element has a byte (`kind::mxf8f6f4`) rather than half of one.
    byte_each: bool,
    /// Scales of a row of A and of a column of B.
    blocks: usize,
    scale: Scale,
    fragments: Fragments,
    shape: Shape,
    /// The elements that a row of A stores: half of k if it is sparse.
    stored: usize,
    sparse: Option<Sparse>,
}

/// The largest k, and the most scales of a line.
const DEPTH: usize = 128;
const BLOCKS: usize = 4;

/// The operands that scale A or B: the register, and where the scales lie in it.
struct Selector {
    data: [u32; LANES],
    byte: usize,
    thread: usize,
}

impl Execute for Scaled {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        if let Err(flow) = whole_warp(context, mask) {
            return flow;
        }
        let Some([d, a, b, c, rest]) = split(self.fragments, slots) else { return Flow::Next };
        let Some((metadata, &[data_a, byte_a, thread_a, data_b, byte_b, thread_b])) = rest.split_last_chunk()
        else {
            return Flow::Next;
        };
        let selectors = self
            .selector(context, 'a', (data_a, byte_a, thread_a), 2)
            .and_then(|of_a| Ok((of_a, self.selector(context, 'b', (data_b, byte_b, thread_b), 4)?)));
        let (of_a, of_b) = match selectors {
            Ok(selectors) => selectors,
            Err(flow) => return flow,
        };
        let Shape { m, n, k } = self.shape;
        let mut scales = ([0; 16 * BLOCKS], [0; 8 * BLOCKS]);
        for (row, to) in scales.0.chunks_exact_mut(self.blocks).take(m).enumerate() {
            of_a.scales(4 * (row % 8) + 2 * of_a.thread + row / 8, to);
        }
        for (column, to) in scales.1.chunks_exact_mut(self.blocks).take(n).enumerate() {
            of_b.scales(4 * column + of_b.thread, to);
        }
        let scales = (&scales.0[..m * self.blocks], &scales.1[..n * self.blocks]);
        let mut belongs = context.worker.operands.left.belongs.take().unwrap_or_default();
        if let Some(sparse) = &self.sparse
            && let Err(flow) = sparse.belongs(context, metadata, &mut belongs)
        {
            return flow;
        }
        let rows = rows_of_a(&context.bank, a).map(u32::to_le_bytes);
        let columns = columns_of_b(&context.bank, b).map(u32::to_le_bytes);
        let rows = &rows.as_flattened()[..m * self.stored * self.a.bits / 8];
        let columns = &columns.as_flattened()[..n * k * self.b.bits / 8];
        let mut values = accumulator::read(&context.bank, Accumulator::F32, c, Order::Rows);
        if self.byte_each {
            self.shifted(context, (rows, columns), scales, belongs, &mut values);
        } else {
            self.grouped((rows, columns), scales, &belongs, &mut values);
            context.worker.operands.left.belongs = Some(belongs);
        }
        context.count_products(m * n * self.stored);
        accumulator::write(context, Accumulator::F32, (d, mask), &values, Order::Rows);
        Flow::Next
    }
}

impl Scaled {
    /// The selector of A's or B's scales, which every lane must give alike; `threads` of a quad can have them.
    fn selector(
        &self,
        context: &mut Context<'_>,
        which: char,
        (data, byte, thread): (Slot, Slot, Slot),
        threads: u16,
    ) -> Result<Selector, Flow> {
        let (bytes, lanes) = (u16::read(&context.bank, byte), u16::read(&context.bank, thread));
        let step = self.blocks as u16;
        let byte_choices: Vec<u16> = (0..4).step_by(self.blocks).collect();
        for (name, values, choices, rule) in [
            ("byte-id", bytes, byte_choices, format!("scale_vec::{step}X")),
            ("thread-id", lanes, (0..threads).collect(), format!("the scales of {which}")),
        ] {
            if let Some(lane) = (0..LANES).find(|lane| !choices.contains(&values[*lane])) {
                let known: Vec<String> = choices.iter().map(u16::to_string).collect();
                let message = format!("{name}-{which} is {}", values[lane]);
                let note = format!("for {rule} it must be {}", known.join(", "));
                return Err(context.fault(Kind::Misuse, lane, message, vec![note]));
            }
            if let Some(lane) = (1..LANES).find(|lane| values[*lane] != values[0]) {
                let message = format!("{name}-{which} is {} here and {} in lane 0", values[lane], values[0]);
                return Err(context.fault(Kind::Misuse, lane, message, Vec::new()));
            }
        }
        Ok(Selector { data: u32::read(&context.bank, data), byte: bytes[0].into(), thread: lanes[0].into() })
    }

    /// `kind::mxf8f6f4`: powers of two change exponents, and the cores do the rest.
    fn shifted(
        &self,
        context: &mut Context<'_>,
        (rows, columns): (&[u8], &[u8]),
        (of_rows, of_columns): (&[u8], &[u8]),
        belongs: Vec<u16>,
        values: &mut [u32; ELEMENTS],
    ) {
        let Shape { m, n, k } = self.shape;
        let cores = context.cores();
        let operands = &mut context.worker.operands;
        let (left, right) = (&mut operands.left, &mut operands.right);
        left.decode(self.a, m, rows);
        right.decode_columns(self.b, n, columns);
        for (row, scale) in of_rows.iter().enumerate() {
            for at in 0..self.stored {
                scale_left(left, row, at, self.scale, *scale);
            }
        }
        for (column, scale) in of_columns.iter().enumerate() {
            for at in 0..k {
                scale_right(right, at, column, self.scale, *scale);
            }
        }
        left.belongs = self.sparse.is_some().then_some(belongs);
        let factors = (&*left, &*right);
        cores.multiply(Family::Mma, self.a.element, Accumulator::F32, factors, &mut values[..m * n]);
    }

    /// `kind::mxf4` and `kind::mxf4nvf4`.
    fn grouped(
        &self,
        (rows, columns): (&[u8], &[u8]),
        (of_rows, of_columns): (&[u8], &[u8]),
        belongs: &[u16],
        values: &mut [u32; ELEMENTS],
    ) {
        let Shape { m, n, k } = self.shape;
        let (mut left, mut right) = ([0; 16 * DEPTH], [0; 8 * DEPTH]);
        let number = |line: &[u8], index: usize| scaled::double(line[index / 2] >> (4 * (index % 2)));
        for index in 0..m * self.stored {
            let (row, at) = (index / self.stored, index % self.stored);
            let column = if self.sparse.is_some() { usize::from(belongs[index]) } else { at };
            left[row * k + column] = number(rows, index);
        }
        for (index, to) in right[..n * k].iter_mut().enumerate() {
            *to = number(columns, index);
        }
        let group = 16 * k / self.stored;
        let a = Blocks { depth: k, numbers: &left[..m * k], scales: of_rows };
        let b = Blocks { depth: k, numbers: &right[..n * k], scales: of_columns };
        scaled::multiply(self.scale, group, a, b, &mut values[..m * n]);
    }
}

impl Selector {
    /// The scales that a lane has.
    fn scales(&self, lane: usize, to: &mut [u8]) {
        let bytes = self.data[lane].to_le_bytes();
        let count = to.len();
        to.copy_from_slice(&bytes[self.byte..self.byte + count]);
    }
}

fn scale_left(left: &mut Left, row: usize, k: usize, scale: Scale, bits: u8) {
    match scale.decode(bits) {
        Some((_, exponent)) => left.scale(row, k, exponent as i16),
        None => left.significands[row * left.depth + k] = f32::NAN,
    }
}

fn scale_right(right: &mut Right, k: usize, column: usize, scale: Scale, bits: u8) {
    match scale.decode(bits) {
        Some((_, exponent)) => right.scale(k, column, exponent as i16),
        None => right.significands[k * right.columns + column] = f32::NAN,
    }
}
