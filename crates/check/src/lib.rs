//! What is wrong with a kernel besides its faults. Each kind of it has a checker, which follows a launch as the machine tells
//! it what touches memory and what orders it: so far [`race`]. Several follow together ([`several`]).
#![forbid(unsafe_code)]

mod race;
mod several;

pub use race::checker::{Checked, RaceChecker};
pub use race::found::{Advice, Part, Race, RaceKind, Races};
pub use race::unit::Unit;
pub use several::together;
