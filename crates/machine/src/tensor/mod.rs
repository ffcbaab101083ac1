//! Tensor maps and the boxes that tensor copies move (manual 5.5 and 9.7.9.25.5): the 128 bytes that describe a tensor
//! in global memory, and which bytes of it go where in shared memory.
//!
//! A copy is made in three steps, so that each can be checked before the next: [`rules::broken_rule`] says whether the
//! copy engine takes it at all, [`Walk`] which rows of global memory it touches, and [`load`], [`store`] and [`reduce`]
//! move them.

pub mod bits;
pub mod element;
pub mod encode;
pub mod im2col;
pub mod image;
pub mod load;
pub mod map;
pub mod reduce;
pub mod replace;
pub mod rules;
pub mod store;
pub mod swizzle;
mod tile;
pub mod transfer;
pub mod walk;

pub use image::Image;
pub use load::load;
pub use map::{Element, Fill, Interleave, Mode, Swizzle, TensorMap};
pub use reduce::reduce;
pub use rules::{Direction, broken_by_place, broken_rule};
pub use store::{Edge, store};
pub use walk::{Access, Coordinates, Row, Walk, Wide};
