//! C and D in tiles, as f32, between the products that are added to them.

use std::sync::Arc;

use super::super::element::Accumulator;
use super::super::fragment::{Block, LANES};
use super::super::tile::canonical;
use super::a::AmxA;
use super::b::AmxB;
use super::choice::is_there;
use super::tile::{ROWS, Tile, ZEROS, tiles_of};
use super::unit::{self, Factors, Words};
use crate::float::half::f16::{from_f32, to_f32};

/// Sixteen rows of accumulators.
#[derive(Debug, Default)]
pub struct AmxD {
    tiles: Vec<Tile>,
    /// Whether they are integers.
    is_integer: bool,
    /// Products that have not been made yet, and room for others.
    waiting: Vec<Waiting>,
    count: usize,
    /// Room for the next A.
    next: Box<AmxA>,
}

/// The factors of a product that has not been made yet.
#[derive(Debug, Default)]
struct Waiting {
    a: Box<AmxA>,
    b: Option<Arc<AmxB>>,
}

/// How many products are made together.
const MOST: usize = 8;

impl AmxD {
    /// Makes it zeros of so many blocks of columns.
    pub fn clear(&mut self, blocks: usize) {
        self.forget();
        self.tiles.clear();
        self.tiles.resize(tiles_of(blocks), ZEROS);
    }

    /// Where the next A should be decoded.
    pub fn next_a(&mut self) -> &mut AmxA {
        &mut self.next
    }

    /// D = A * B + D, where A is what has been decoded last. Both must suit the unit and be of one format, and B must have
    /// D's columns. Also hosts without the unit can do it, slowly.
    pub fn add(&mut self, b: &Arc<AmxB>) {
        let kind = self.next.kind();
        debug_assert_eq!(kind, b.kind(), "A and B must be of one format");
        self.is_integer = kind.of != Words::Bf16;
        if self.count == MOST || self.waiting[..self.count].last().is_some_and(|last| last.a.kind() != kind) {
            self.multiply();
        }
        if self.count == self.waiting.len() {
            self.waiting.push(Waiting::default());
        }
        let to = &mut self.waiting[self.count];
        std::mem::swap(&mut to.a, &mut self.next);
        to.b = Some(Arc::clone(b));
        self.count += 1;
    }

    /// Makes the products that wait.
    fn multiply(&mut self) {
        let waiting = &self.waiting[..self.count];
        if let Some(first) = waiting.first() {
            let none: Factors<'_> = Factors { a: first.a.parts(), b: &[] };
            let mut factors = [none; MOST];
            for (to, Waiting { a, b }) in factors.iter_mut().zip(waiting) {
                *to = Factors { a: a.parts(), b: b.as_ref().map_or(&[], |b| b.tiles()) };
            }
            let multiply = if is_there() { unit::multiply } else { unit::multiply_without };
            multiply(first.a.kind(), &factors[..self.count], &mut self.tiles);
        }
        self.forget();
    }

    /// Forgets the products that wait.
    fn forget(&mut self) {
        // Whoever decodes a B again looks whether it is the only one to use it.
        self.waiting[..self.count].iter_mut().for_each(|waiting| waiting.b = None);
        self.count = 0;
    }

    /// Takes the values of these blocks, those of the upper rows and of the lower ones in turn.
    pub fn read(&mut self, accumulator: Accumulator, blocks: &[Block]) {
        self.forget();
        self.tiles.resize(tiles_of(blocks.len() / 2), ZEROS);
        for (tile, blocks) in self.tiles.iter_mut().zip(blocks.chunks(4)) {
            for (index, block) in blocks.iter().enumerate() {
                let (rows, at) = place(index);
                for (lane, quad) in block.as_chunks::<4>().0.iter().enumerate() {
                    let at = at + 4 * (lane / (LANES / 4));
                    let to = &mut tile[rows + lane % (LANES / 4)].0[at..at + 4];
                    match accumulator {
                        Accumulator::F32 => to.copy_from_slice(quad),
                        Accumulator::F16 => {
                            to.copy_from_slice(&quad.map(|bits| to_f32(bits as u16).to_bits()));
                        }
                    }
                }
            }
        }
    }

    /// Rounds what a product has left to the accumulators' format, which is what the next one adds to.
    pub fn round(&mut self, accumulator: Accumulator) {
        if accumulator == Accumulator::F16 {
            self.multiply();
            for word in self.tiles.as_flattened_mut().iter_mut().flat_map(|row| &mut row.0) {
                *word = to_f32(from_f32(f32::from_bits(*word))).to_bits();
            }
        }
    }

    /// Writes the values into blocks. Integers are as many bits as an f32; of floating point numbers there is one NaN, as
    /// everywhere in matrix products.
    pub fn write(&mut self, accumulator: Accumulator, blocks: &mut [Block]) {
        self.multiply();
        for (tile, blocks) in self.tiles.iter().zip(blocks.chunks_mut(4)) {
            for (index, block) in blocks.iter_mut().enumerate() {
                let (first, at) = place(index);
                let (Some(rows), (even, odd)) =
                    (tile[first..].first_chunk::<SIDE>(), block.split_at_mut(LANES))
                else {
                    continue;
                };
                let quads = even.as_chunks_mut::<4>().0.iter_mut().zip(odd.as_chunks_mut::<4>().0);
                for (row, (even, odd)) in rows.iter().zip(quads) {
                    even.copy_from_slice(&row.0[at..at + 4]);
                    odd.copy_from_slice(&row.0[at + 4..at + 8]);
                }
                match accumulator {
                    Accumulator::F32 if self.is_integer => {}
                    Accumulator::F32 if block.iter().any(|bits| f32::from_bits(*bits).is_nan()) => {
                        canonical(block);
                    }
                    Accumulator::F32 => {}
                    Accumulator::F16 => {
                        block.iter_mut().for_each(|bits| *bits = from_f32(f32::from_bits(*bits)).into());
                    }
                }
            }
        }
    }
}

/// The rows of a block.
const SIDE: usize = ROWS / 2;

/// The first row of a block in its tile, and the first word of its even columns.
const fn place(index: usize) -> (usize, usize) {
    (index % 2 * SIDE, index / 2 * 8)
}
