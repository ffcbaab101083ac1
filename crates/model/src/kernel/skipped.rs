//! Why a test has no kernel: what it needs that one GPU cannot give it, or that would stop the launch.

use std::fmt::Display;

/// Why a test cannot be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Skipped(pub String);

/// Says so.
pub fn skipped<T>(why: impl Display) -> Result<T, Skipped> {
    Err(Skipped(why.to_string()))
}
