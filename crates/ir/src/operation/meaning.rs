//! The meaning of an instruction as one value: its family, and which operation of the family it is.

use super::access::Access;
use super::cluster::Cluster;
use super::compute::Compute;
use super::control::Control;
use super::copy::Copy;
use super::fence::Fence;
use super::generic::Generic;
use super::hint::Hint;
use super::matrix::Matrix;
use super::mbarrier::Mbarrier;
use super::special::Special;
use super::surface::Surface;
use super::tcgen05::Tcgen05;
use super::texture::Texture;
use super::warp::Warp;

/// An instruction's meaning.
#[derive(Clone, core::marker::Copy, Debug, PartialEq)]
pub enum Operation {
    /// A function of registers alone.
    Compute(Compute),
    /// Loads, stores and atomics.
    Access(Access),
    /// Asynchronous copies.
    Copy(Copy),
    /// Exchange between the lanes of a warp.
    Warp(Warp),
    /// Branches, calls, ends of threads, barriers of a CTA.
    Control(Control),
    /// Matrices of a warp or a warpgroup.
    Matrix(Matrix),
    /// `tcgen05.*`
    Tcgen05(Tcgen05),
    /// Textures.
    Texture(Texture),
    /// Surfaces.
    Surface(Surface),
    /// `mbarrier.*`
    Mbarrier(Mbarrier),
    /// `fence`, `membar`
    Fence(Fence),
    /// Clusters and grids.
    Cluster(Cluster),
    /// Questions about addresses, and changes of them.
    Generic(Generic),
    /// Hints to the caches.
    Hint(Hint),
    /// The stack, and miscellaneous instructions.
    Special(Special),
}

impl Operation {
    /// Whether the carry flag is read, as the last source.
    #[must_use]
    pub fn reads_carry(&self) -> bool {
        matches!(self, Self::Compute(Compute::Extended(extended)) if extended.reads_carry())
    }

    /// Whether the carry flag is written, as the last destination.
    #[must_use]
    pub fn writes_carry(&self) -> bool {
        matches!(self, Self::Compute(Compute::Extended(extended)) if extended.writes_carry)
    }
}
