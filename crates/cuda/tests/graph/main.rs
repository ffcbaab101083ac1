//! Graphs as clients build, launch, change and destroy them.

#[path = "../client/mod.rs"]
mod client;

mod build;
mod contents;
mod depth;
mod shapes;
