//! `cp.async.bulk.tensor` and `cp.reduce.async.bulk.tensor` (the manual's 9.7.9.25.5).

use crate::operation::access::Combination;
use crate::operation::address::{Address, AddressSpace};
use crate::operation::form::Form;

/// A box of a tensor between global memory and the shared memory of a cluster.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Tensor {
    /// The tensor map.
    pub map: Address,
    /// The first coordinate, and how many there are.
    pub coordinates: (usize, usize),
    /// The dimensions of the tensor.
    pub dimensions: usize,
    /// How the coordinates are meant.
    pub mode: TensorMode,
    /// The first of what `im2col` modes are told, and how many there are.
    pub told: (usize, usize),
    /// Which way it goes.
    pub transfer: TensorTransfer,
}

/// How the coordinates of a box are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorMode {
    /// `.tile`
    Tile,
    /// `.tile::gather4`, `.tile::scatter4`
    FourRows,
    /// `.im2col`, `.im2col_no_offs`
    Im2col,
    /// `.im2col::w`
    Im2colW,
    /// `.im2col::w::128`
    Im2colW128,
}

/// Which way a box goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TensorTransfer {
    /// From global memory to the shared memory of one CTA or of several.
    ToShared {
        /// Where to.
        to: Address,
        /// Whom it tells.
        mbarrier: Address,
        /// The mask of CTAs that it goes to.
        ctas: Option<usize>,
        /// `.cta_group::2`: the barrier may be the other CTA's of a pair.
        pairs: bool,
    },
    /// From the CTA's own shared memory to global memory.
    FromShared {
        /// Where from.
        from: Address,
        /// How the elements are combined with those that are there; without, they are overwritten.
        reduction: Option<Combination>,
    },
}

pub(super) fn decode(form: &Form<'_>) -> Option<Tensor> {
    let mode = if form.says("tile::gather4") || form.says("tile::scatter4") {
        TensorMode::FourRows
    } else if form.says("im2col::w::128") {
        TensorMode::Im2colW128
    } else if form.says("im2col::w") {
        TensorMode::Im2colW
    } else if form.says("im2col") || form.says("im2col_no_offs") {
        TensorMode::Im2col
    } else {
        TensorMode::Tile
    };
    let told = ["im2colOffsets", "im2colInfo"].into_iter().find(|name| form.given(name));
    Some(Tensor {
        map: Address::of(form, "tensorMap", AddressSpace::Generic)?,
        coordinates: (form.position("tensorCoords")?, form.elements("tensorCoords").count()),
        dimensions: (1..=5).find(|d| form.says(["1d", "2d", "3d", "4d", "5d"][d - 1]))?,
        mode,
        told: match told {
            Some(name) => (form.position(name)?, form.elements(name).count()),
            None => (0, 0),
        },
        transfer: transfer(form)?,
    })
}

fn transfer(form: &Form<'_>) -> Option<TensorTransfer> {
    if form.says("bulk_group") {
        let reduction = match form.says("reduce") {
            true => Some(form.words().chain(form.modifiers()).find_map(Combination::from_name)?),
            false => None,
        };
        let from = Address::of(form, "srcMem", AddressSpace::Shared)?;
        return Some(TensorTransfer::FromShared { from, reduction });
    }
    // `.shared::cta` names the own CTA, and may be written as `.shared::cluster` with a mask.
    let own = form.says("shared::cta");
    let shared = if own { AddressSpace::Shared } else { AddressSpace::SharedCluster };
    Some(TensorTransfer::ToShared {
        to: Address::of(form, "dstMem", shared)?,
        mbarrier: Address::of(form, "mbar", shared)?,
        ctas: form.position("ctaMask"),
        pairs: form.says("cta_group::2"),
    })
}
