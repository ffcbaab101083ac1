//! The checker of objects' bounds (`--check=bounds`): an address that was made from one variable must not reach another.
//!
//! From which object an address is made is known before anything runs (`registers`, `root`): where all that comes to an address
//! register leads to one, what is accessed through it must lie in that one. A run only compares (`checker`).

pub mod checker;
mod made;
mod registers;
mod root;
