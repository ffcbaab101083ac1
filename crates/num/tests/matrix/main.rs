//! The arithmetic of tensor cores.

mod decode;
mod scaled;
mod tiles;
