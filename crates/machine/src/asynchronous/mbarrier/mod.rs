//! mbarrier objects (manual 9.7.13.15): what each holds, and what the machine remembers of it.

mod change;
mod object;
pub mod record;
pub mod table;
pub mod token;

pub use crate::asynchronous::trouble::Wrong;
pub use object::{MOST, Object, Refusal};
pub use record::{Parties, Party, Record};
pub use table::{MbarrierArrival, Mbarriers};
