//! Standard error, where the libraries that a program loads have their say, and which file it is: a library can tell by it
//! whether what it says there still reaches the user, or the program has put something else in its place, as pytest does.

use std::fmt;
use std::fs::metadata;
use std::io::{Write, stderr};
use std::os::unix::fs::MetadataExt;

/// A name for the file that the calling process has as standard error, the same in every process that has that file.
/// `None` if it is closed.
#[must_use]
pub fn standard_error() -> Option<String> {
    let file = metadata("/proc/self/fd/2").ok()?;
    Some(format!("{}:{}", file.dev(), file.ino()))
}

/// Says something to the user of a program that has loaded one of our libraries: nobody else could pass it on. Nothing is to
/// be done for a reader that has gone away, and the program is not to suffer for it.
pub fn say(text: fmt::Arguments<'_>) {
    let _ = stderr().lock().write_fmt(text);
}
