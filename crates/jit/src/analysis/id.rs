//! The number of a home, by which values and code name it.

/// A home: an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HomeId(pub u32);
