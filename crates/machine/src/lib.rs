//! Lanes, warps, CTAs and grids: the machine that runs a program.
//!
//! [`Kernel::link`] turns one entry of a [`ptxvm_ir::Program`] and all it can call into operations with operands
//! resolved; [`run`] runs a grid of it.
#![allow(clippy::needless_range_loop, reason = "a lane is a number that indexes several arrays at once")]

mod addresses;
pub mod asynchronous;
pub mod builtin;
pub mod code;
pub mod context;
pub mod door;
mod effort;
pub mod event;
pub mod explain;
mod kernel;
pub mod launch;
mod link;
pub mod matrix;
pub mod ops;
pub mod random;
pub mod registers;
mod rules;
pub mod schedule;
pub mod settings;
pub mod state;
pub mod statistics;
pub mod vector;
pub mod view;

pub use addresses::{Addresses, function_address};
pub use code::Stepped;
pub use door::{Follower, Observer};
pub use event::Event;
pub use explain::finding::{Finding, Kind, Limit, Place, Related, SourceLine, Stop, Thread, Unsupported};
pub use explain::mistake::{Findings, Mistake, Mistakes};
pub use kernel::{Kernel, run};
pub use launch::{Control, Environment, Launch};
pub use matrix::cores::Mma;
pub use ops::load_store::Turns;
pub use schedule::dependency::GridStatus;
pub use schedule::execution::Execution;
pub use settings::{Asynchrony, Check, Checks, EngineChoice, MemoryModel, Settings};
pub use statistics::{Class, Statistics};
