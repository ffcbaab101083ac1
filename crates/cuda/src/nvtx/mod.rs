//! NVTX: the ranges by which programs name their phases, so that a launch's line in `--stats` and a finding say in which of
//! them they were.
//!
//! NVTX is headers only. At its first use in a program or library it loads what `NVTX_INJECTION64_PATH` names, which
//! `ptxvm exec` sets to this library, and hands it tables to put functions of its own into ([`table`]). A thread's ranges
//! are a stack for each domain; those that are started and ended by number belong to the process ([`range`]). Work that a
//! stream or graph is given remembers the ranges of the call ([`range::current`]).

mod call;
mod message;
mod range;
mod table;

pub use range::{Range, Ranges, current, of_work, within};
