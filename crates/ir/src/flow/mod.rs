//! How control and values flow through a function: its graph of blocks, and what can be known from it before it runs.

mod analysis;
mod dominators;
pub mod graph;
mod live;
mod loops;
pub mod uniformity;
mod used;
mod values;

pub use analysis::Flow;
pub use dominators::Dominators;
pub use graph::Graph;
pub use live::{live_in, most_live, read_first};
pub use loops::{Loop, Loops};
pub use uniformity::{UniformOver, Uniformity};
pub use used::{Written, read_by};
pub use values::{Origin, Value, ValueId, Values};
