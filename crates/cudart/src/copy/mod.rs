//! Copies: of bytes, of rectangles, of boxes, and between arrays.

mod array;
mod boxes;
mod kind;
mod linear;
mod plane;

pub use boxes::{cuboid, described};
pub use kind::Kind;
pub use linear::{linear, linear_async};
