//! Loops over the 32 lanes of a warp, compiled for each level of the host's vector instructions.

pub(crate) mod gather;
pub mod lanes;
pub mod mask;
pub mod value;
pub(crate) mod vector_loop;
