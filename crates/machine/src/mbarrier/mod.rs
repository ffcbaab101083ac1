//! mbarrier objects (manual 9.7.13.15): their 64 bits in shared memory, and what the machine remembers of each.

mod object;
mod table;

pub use object::{Object, Refusal};
pub use table::Mbarriers;
