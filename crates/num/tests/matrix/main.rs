//! The arithmetic of tensor cores.

mod decode;
mod fragments;
mod scaled;
mod tiles;
