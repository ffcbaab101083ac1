//! Matrices B that were decoded lately, with the bytes that they were decoded from.
//!
//! All warps of a CTA multiply with the same B, one after the other, and each may run ahead by as many as its stages in
//! shared memory hold. So what was decoded is used again if the same units still have the same bytes.
#![allow(unsafe_code)]

use std::sync::Arc;

use ptxvm_memory::chunk::CHUNK;
use ptxvm_num::matrix::Packed;
use ptxvm_num::matrix::amx::AmxB;
use ptxvm_num::matrix::fragment::{FragmentB, StoredB};
use ptxvm_num::matrix::integer::IntegerElement;

use super::descriptor::Major;
use super::units::{UnitPlaces, Units};
use crate::door::peer::Peer;

/// What a decoded matrix depends on, besides bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    pub elements: Elements,
    /// Blocks of eight columns.
    pub blocks: usize,
    pub units: Units,
}

/// What a matrix is made of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Elements {
    /// Floating point numbers, whose sign may be exchanged.
    Float { packed: Packed, negate: bool },
    /// Bytes, which those of an A are multiplied with: A's format and B's.
    Bytes([IntegerElement; 2]),
}

/// The matrices of one host thread.
#[derive(Debug, Default)]
pub struct KeptB {
    matrices: Vec<MatrixB>,
    /// The one to be replaced next.
    oldest: usize,
    /// The one that was asked for last: each warp asks for them in the same order.
    last: usize,
}

/// A matrix, decoded as it is asked for.
#[derive(Debug)]
pub struct MatrixB {
    kind: Kind,
    /// Where its units lie.
    places: UnitPlaces,
    /// The units that it is decoded from, as they lie.
    units: Vec<[u8; CHUNK]>,
    /// Whether there are such units yet.
    has_units: bool,
    /// The same in order.
    quads: Vec<[u32; 4]>,
    fragment: FragmentB,
    /// Whether it has been decoded from them yet.
    has_fragment: bool,
    tiles: Arc<AmxB>,
    has_tiles: bool,
    /// The tiles before: products may still wait for them.
    tiles_before: Arc<AmxB>,
}

/// How many are kept: a deep pipeline has eight stages of four.
const MOST: usize = 32;

impl KeptB {
    /// The matrix that a CTA's shared memory has now, its rows or columns taken in this order, which must be the same for
    /// all of a kind.
    ///
    /// # Safety
    /// As for [`Units::gather`].
    pub unsafe fn matrix(&mut self, shared: Peer, order: [u32; 8], kind: Kind) -> &mut MatrixB {
        let (before, after) = self.matrices.split_at(self.matrices.len().min(self.last + 1));
        let is = |(_, kept): &(usize, &MatrixB)| kept.kind == kind;
        let next = after.iter().chain(before).enumerate().find(is).map(|(further, _)| before.len() + further);
        let index = match next {
            Some(next) => next % self.matrices.len(),
            None => self.replace(kind, order),
        };
        self.last = index;
        let matrix = &mut self.matrices[index];
        // SAFETY: the caller's promise, passed on.
        if matrix.has_units && unsafe { matrix.places.hold(shared, &matrix.units) } {
            return matrix;
        }
        // SAFETY: the caller's promise, passed on.
        unsafe { matrix.places.copy(shared, &mut matrix.units) };
        matrix.places.put_in_order(&matrix.units, &mut matrix.quads);
        (matrix.has_units, matrix.has_fragment, matrix.has_tiles) = (true, false, false);
        matrix
    }

    /// Room for another matrix, of which nothing is known.
    fn replace(&mut self, kind: Kind, order: [u32; 8]) -> usize {
        let index = self.oldest;
        self.oldest = (index + 1) % MOST;
        let places = kind.units.places(order);
        match self.matrices.get_mut(index) {
            Some(old) => (old.kind, old.places, old.has_units) = (kind, places, false),
            None => self.matrices.push(MatrixB {
                kind,
                places,
                units: Vec::new(),
                has_units: false,
                quads: Vec::new(),
                fragment: FragmentB::default(),
                has_fragment: false,
                tiles: Arc::default(),
                has_tiles: false,
                tiles_before: Arc::default(),
            }),
        }
        index
    }
}

impl MatrixB {
    /// The matrix for products in blocks, if it is of floating point numbers.
    pub fn fragment(&mut self) -> &FragmentB {
        let Self { kind, quads, fragment, has_fragment, .. } = self;
        if !std::mem::replace(has_fragment, true)
            && let Elements::Float { packed, negate } = kind.elements
        {
            fragment.decode(packed, negate, kind.blocks, kind.stored(quads));
        }
        fragment
    }

    /// The matrix for products in tiles, which may be made later.
    pub fn tiles(&mut self) -> &Arc<AmxB> {
        let Self { kind, quads, tiles, has_tiles, tiles_before, .. } = self;
        if !std::mem::replace(has_tiles, true) {
            std::mem::swap(tiles, tiles_before);
            if Arc::get_mut(tiles).is_none() {
                *tiles = Arc::default();
            }
            // Nobody else has it now, so that this copies nothing.
            let tiles = Arc::make_mut(tiles);
            match kind.elements {
                Elements::Float { packed, negate } => {
                    tiles.decode(packed, negate, kind.blocks, kind.stored(quads));
                }
                Elements::Bytes(elements) => {
                    tiles.copy_bytes(elements, kind.blocks, quads.as_flattened().as_chunks().0);
                }
            }
        }
        tiles
    }
}

impl Kind {
    /// The matrix of these units.
    fn stored(self, quads: &[[u32; 4]]) -> StoredB<'_> {
        match self.units.major() {
            Major::K => StoredB::Columns(quads.as_flattened().as_chunks().0),
            Major::Mn => StoredB::Rows(quads),
        }
    }
}
