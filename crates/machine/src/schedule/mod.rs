//! The schedule: grids give clusters to host threads, clusters give turns to CTAs, CTAs give turns to warps, and the
//! interpreter runs the groups of lanes of a warp.

mod after;
mod arrive;
pub mod barrier;
mod call;
mod callback;
pub mod cluster;
mod collective;
pub mod compiled;
mod crew;
pub(crate) mod cta;
pub mod dependency;
pub(crate) mod execution;
pub(crate) mod grid;
pub mod halt;
mod in_step;
pub(crate) mod interpret;
pub(crate) mod kept_rooms;
pub(crate) mod late_writes;
mod left_in_call;
mod meeting;
mod placing;
mod stack;
pub(crate) mod step;
mod succession;
mod terminator;
pub(crate) mod warp;
mod work;
