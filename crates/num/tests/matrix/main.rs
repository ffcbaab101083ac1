//! The arithmetic of tensor cores.

mod decode;
mod tiles;
