//! Tensor maps and the boxes that tensor copies move (manual 5.5 and 9.7.9.25.5): the 128 bytes that describe a tensor
//! in global memory, and which bytes of it go where in shared memory.

pub mod bits;
pub mod encode;
pub mod map;
pub mod replace;

pub use map::{Element, Fill, Interleave, Mode, Swizzle, TensorMap};
