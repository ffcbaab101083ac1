//! Tensor maps and the boxes of tensors that copies through them move (manual 5.5 and 9.7.9.25.5): the 128 bytes that
//! describe a tensor in global memory, and which bytes of it go where in shared memory.
//!
//! A copy is made in three steps, so that each can be checked before the next: [`rules::broken_rule`] says whether the
//! copy engine takes it at all, [`Walk`] which rows of global memory it touches, and the machine moves them. Nothing
//! here touches memory.

pub mod access;
pub mod bits;
pub mod element;
pub mod encode;
pub mod im2col;
pub mod map;
pub mod replace;
pub mod rules;
pub mod swizzle;
mod tile;
pub mod walk;

pub use access::{Access, Coordinates, Wide};
pub use map::{Element, Fill, Interleave, Mode, Swizzle, TensorMap};
pub use rules::{Direction, broken_by_place, broken_rule};
pub use walk::{Row, Walk};
