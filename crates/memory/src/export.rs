//! Pages of device memory that another process can map as well.

use std::fs::File;
use std::sync::Arc;

/// Pages that have become those of a file.
#[derive(Clone, Debug)]
pub struct Export {
    /// The file. Its length cannot change.
    pub file: Arc<File>,
    /// The address of its first byte.
    pub start: u64,
    /// How long it is.
    pub bytes: u64,
}
