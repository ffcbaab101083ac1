//! Executions for people: as text, and as a picture.

mod label;
mod svg;
mod text;

pub use svg::svg;
pub use text::{cycle, table};
