//! What is wrong with a guest, in words: findings, mistakes that silicon survives, deadlocks, the variables that an
//! access missed.

pub(crate) mod deadlock;
pub mod finding;
mod forgive;
pub(crate) mod missed_variable;
pub mod mistake;
pub mod noted;
pub(crate) mod report;
pub(crate) mod sources;
pub(crate) mod telling;

pub use sources::source_lines;
