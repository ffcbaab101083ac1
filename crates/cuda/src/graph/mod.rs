//! Graphs: work with its dependencies, captured or built, made ready once and launched often.

mod unsupported;

pub use unsupported::*;
