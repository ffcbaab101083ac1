//! Races: two accesses of the same bytes, one of them a write, that the memory model does not order (8.7.1).
//!
//! Nothing here depends on who came first by chance. Each access is compared with the last ones of its bytes ([`record`]),
//! and whether it comes after them is a question about clocks, which `ptxvm_order` answers: fences, barriers, mbarrier
//! objects and waits move them ([`checker`]). What copies and tensor cores touch belongs to threads of its own, of which
//! the program's know only what they have waited for ([`transfer`]). docs/races.md says what is told, and what is not.

mod access;
pub mod checker;
mod deed;
mod early;
pub mod footprint;
pub mod found;
mod more;
mod pairs;
mod quick;
mod readers;
mod record;
mod signal;
mod state;
mod transfer;
pub mod unit;
