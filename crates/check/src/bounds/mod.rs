//! The checker of objects' bounds (`--check=bounds`): an address that was made from one variable must not reach another.
//!
//! From which variable an address is made is known before anything runs (`root`): where all that an address register is given
//! leads to one variable, what is accessed through it must lie in that variable. A run only compares (`checker`).

pub mod checker;
mod root;
