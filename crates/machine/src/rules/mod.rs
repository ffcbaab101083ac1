//! Rules of the manual that only the machine can look after, because they are about lanes, registers and objects that nobody
//! else sees. `--check=sync` and `--check=async` ask for them; what breaks one is noted, and the kernel goes on.
//!
//! What can be told from the touches of memory and what orders them is looked after by a follower (`ptxvm_check`).

pub(crate) mod after;
pub(crate) mod barrier;
pub(crate) mod bytes;
pub(crate) mod exchange;
mod note;
pub(crate) mod products;
pub(crate) mod rounds;
pub(crate) mod undefined;
pub(crate) mod warpgroup;
