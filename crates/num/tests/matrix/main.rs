//! The arithmetic of tensor cores.

mod decode;
mod fast;
mod fragments;
mod scaled;
mod sparse;
mod tiles;
