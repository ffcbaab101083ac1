//! The arithmetic of tensor cores.

mod tiles;
