//! `cuGetProcAddress`: which function answers a name in the version of the API that a program was built for.

use crate::table::{ENTRIES, Version};

/// What is known of a name.
pub enum Found {
    /// The function's address.
    Function(usize),
    /// The name exists, but only in later versions.
    TooNew,
    /// There is no such name.
    Unknown,
}

/// Looks a name up for a version of CUDA, such as 13000.
pub fn find(name: &str, version: i32, per_thread: bool) -> Found {
    let Ok(index) = ENTRIES.binary_search_by_key(&name, |entry| entry.name) else { return Found::Unknown };
    let entry = &ENTRIES[index];
    let newest =
        |versions: &[Version]| versions.iter().rev().find(|v| v.since <= version).map(|v| (v.address)());
    // A function that has a variant for the thread's own stream is not answered by the other one.
    let versions = if per_thread && !entry.per_thread.is_empty() { entry.per_thread } else { entry.versions };
    newest(versions).map_or(Found::TooNew, Found::Function)
}
