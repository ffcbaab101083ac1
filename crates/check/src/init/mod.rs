//! The initialisation checker (`--check=init`): values that nobody has defined, from where they are born to where they
//! decide something.
//!
//! Memory has a bit for each byte (`bits`, `memory`), and more for bytes that are partly defined (`parts`). While all registers of a warp are defined, only its accesses are
//! looked at; the first undefined value that it loads, or a register that it may read before it writes, gives the warp a
//! shadow of its registers (`registers`), and from then on each of its instructions carries what is known from its sources
//! to its destinations (`propagate`, `bitwise`), until nothing is undefined any more. Undefined values may be moved and
//! combined (`values`: between bytes and bits); `decide` says which operands must not be undefined.

mod access;
mod accumulate;
mod bits;
mod bitwise;
pub mod checker;
mod compared;
mod decide;
mod found;
mod fragments;
mod home;
mod memory;
mod parts;
mod passed;
mod products;
mod propagate;
mod registers;
mod state;
mod step;
mod transfer;
mod values;
