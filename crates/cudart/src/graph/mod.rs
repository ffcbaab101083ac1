//! Graphs. Most calls are the driver's; kernels and copies are described in another way.

mod copy_node;
pub mod definition;
mod exec;
mod kernel_node;
pub mod node;
