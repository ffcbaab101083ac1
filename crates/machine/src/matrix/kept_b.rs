//! Matrices B that were decoded lately, with the bytes that they were decoded from.
//!
//! All warps of a CTA multiply with the same B, one after the other, and each may run ahead by as many as its stages in
//! shared memory hold. So what was decoded is used again if the same units still have the same bytes.
#![allow(unsafe_code)]

use ptxvm_num::matrix::Packed;
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
    matrices: Vec<Matrix>,
    /// The one to be replaced next.
    oldest: usize,
}

#[derive(Debug)]
struct Matrix {
    kind: Kind,
    /// Where its units lie.
    places: UnitPlaces,
    /// The units that it was decoded from.
    quads: Vec<[u32; 4]>,
    decoded: FragmentB,
    /// Whether it has been decoded from them yet.
    is_decoded: bool,
}

/// How many are kept: a deep pipeline has eight stages of four.
const MOST: usize = 32;

impl KeptB {
    /// The matrix that a CTA's shared memory has now, its rows or columns taken in this order, which must be the same for
    /// all of a kind.
    ///
    /// # Safety
    /// As for [`Units::gather`].
    pub unsafe fn decoded(&mut self, shared: Peer, order: [u32; 8], kind: Kind) -> &FragmentB {
        let index = match self.matrices.iter().position(|kept| kept.kind == kind) {
            Some(index) => index,
            None => self.replace(kind, order),
        };
        let Matrix { places, quads, decoded, is_decoded, .. } = &mut self.matrices[index];
        // SAFETY: the caller's promise, passed on.
        if *is_decoded && unsafe { places.hold(shared, quads) } {
            return decoded;
        }
        // SAFETY: the caller's promise, passed on.
        unsafe { places.gather(shared, quads) };
        match kind.units.major() {
            Major::K => {
                let registers = quads.as_flattened().as_chunks::<LANES>().0;
                decoded.decode_columns(kind.packed, kind.negate, kind.blocks, registers);
            }
            Major::Mn => decoded.decode_rows(kind.packed, kind.negate, kind.blocks, quads),
        }
        *is_decoded = true;
        decoded
    }

    /// Room for another matrix, in which nothing has been decoded.
    fn replace(&mut self, kind: Kind, order: [u32; 8]) -> usize {
        let index = self.oldest;
        self.oldest = (index + 1) % MOST;
        let places = kind.units.places(order);
        match self.matrices.get_mut(index) {
            Some(old) => (old.kind, old.places, old.is_decoded) = (kind, places, false),
            None => {
                let (quads, decoded) = (Vec::new(), FragmentB::default());
                self.matrices.push(Matrix { kind, places, quads, decoded, is_decoded: false });
            }
        }
        index
    }
}
