//! Graphs: work with its dependencies, captured or built, instantiated once and launched often.
//!
//! A [`Graph`] is what programs build and change: [`Node`]s, each with its [`Content`], and edges. Instantiating it
//! makes a [`Plan`], which knows an order and is independent of the graph; an [`Exec`] is a plan with a handle. A
//! launch is one operation that runs the plan on the stream's thread.

mod api;
mod attributes;
mod conditional;
mod content;
pub mod definition;
mod dot;
pub mod exec;
mod launch;
mod memory;
mod params;
mod plan;
mod unsupported;
mod update;
mod user_object;

pub use api::*;
pub use conditional::conditional_setter;
pub use content::{Content, EventNode, kind};
pub use definition::{CUgraph, CUgraphNode, Dependency, Graph};
pub use launch::GraphLaunch;
pub use memory::*;
pub use unsupported::*;
