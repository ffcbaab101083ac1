//! The blocks that products of fragments are made in.

/// A block of C and D: the elements of the even columns, lane after lane, and then of the odd ones.
pub type Block = [u32; BLOCK];

/// The elements of a block.
pub const BLOCK: usize = 64;

/// The lanes of a warp.
pub const LANES: usize = 32;

/// Rows or columns of a block.
pub(super) const SIDE: usize = 8;

/// The bits that a quad holds in one register.
pub(super) const QUAD_BITS: usize = 128;
