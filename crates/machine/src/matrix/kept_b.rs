//! Matrices B that were decoded lately, with the bytes that they were decoded from.
//!
//! All warps of a CTA multiply with the same B, one after the other, and each may run ahead by as many as its stages in
//! shared memory hold. So what was decoded is used again if the same units still have the same bytes.
#![allow(unsafe_code)]

use std::sync::Arc;

use ptxvm_memory::chunk::CHUNK;
use ptxvm_num::matrix::Packed;
use ptxvm_num::matrix::amx::AmxB;
use ptxvm_num::matrix::fragment::{FragmentB, LANES};

use super::descriptor::Major;
use super::units::{UnitPlaces, Units};
use crate::door::peer::Peer;

/// What a decoded matrix depends on, besides bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kind {
    pub packed: Packed,
    pub negate: bool,
    /// Blocks of eight columns.
    pub blocks: usize,
    pub units: Units,
}

/// The matrices of one host thread.
#[derive(Debug, Default)]
pub struct KeptB {
    matrices: Vec<MatrixB>,
    /// The one to be replaced next.
    oldest: usize,
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
        let index = match self.matrices.iter().position(|kept| kept.kind == kind) {
            Some(index) => index,
            None => self.replace(kind, order),
        };
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
    /// The matrix for products in blocks.
    pub fn fragment(&mut self) -> &FragmentB {
        let Self { kind, quads, fragment, has_fragment, .. } = self;
        if !std::mem::replace(has_fragment, true) {
            match kind.units.major() {
                Major::K => {
                    let registers = quads.as_flattened().as_chunks::<LANES>().0;
                    fragment.decode_columns(kind.packed, kind.negate, kind.blocks, registers);
                }
                Major::Mn => fragment.decode_rows(kind.packed, kind.negate, kind.blocks, quads),
            }
        }
        fragment
    }

    /// The matrix for products in tiles, which may be made later.
    pub fn tiles(&mut self) -> &Arc<AmxB> {
        let Self { kind, quads, tiles: kept, has_tiles, tiles_before, .. } = self;
        if !std::mem::replace(has_tiles, true) {
            std::mem::swap(kept, tiles_before);
            if Arc::get_mut(kept).is_none() {
                *kept = Arc::default();
            }
            // Nobody else has it now, so that this copies nothing.
            let tiles = Arc::make_mut(kept);
            match kind.units.major() {
                Major::K => {
                    let registers = quads.as_flattened().as_chunks::<LANES>().0;
                    tiles.decode_columns(kind.packed, kind.negate, kind.blocks, registers);
                }
                Major::Mn => tiles.decode_rows(kind.packed, kind.negate, kind.blocks, quads),
            }
        }
        kept
    }
}
