//! What an instruction asks for: the elements that it means, by the mode and the coordinates that it names.

use crate::map::MOST_DIMENSIONS;

/// How an instruction asks for elements.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// `.tile`
    Tile,
    /// `.tile::gather4` and `.tile::scatter4`: one column and four rows.
    FourRows,
    /// `.im2col` with its offsets along W, H and D, and `.im2col_no_offs` with none.
    Im2col([u16; 3]),
    /// `.im2col::w`
    Im2colW(Wide),
    /// `.im2col::w::128`
    Im2colW128(Wide),
}

/// What `.im2col::w` and `.im2col::w::128` are told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Wide {
    /// Pixels past the last ones, or after each 32.
    pub halo: u16,
    /// How far everything is moved along W.
    pub offset: u16,
}

/// How many coordinates an access can have: one for each dimension, or a column and four rows.
pub const MOST_COORDINATES: usize = MOST_DIMENSIONS;

/// The coordinates of an access; those that it does not have are 0.
pub type Coordinates = [i32; MOST_COORDINATES];
