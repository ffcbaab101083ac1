//! How diagnostics of a file and findings of a run are shown to people, the same through every door.
//!
//! A [`Report`] is a file with what was found in it; a [`Message`] is what is to be said of a run. Both are written
//! to a stream that the caller chooses, in colours; [`stderr`] is such a stream, and takes the colours out where they
//! are not wanted.
#![forbid(unsafe_code)]

pub mod event;
pub mod finding;
mod human;
mod message;
pub mod number;
pub mod ptxas;
mod report;
mod text;

pub use anstream::ColorChoice;
pub use message::Message;
pub use report::Report;
pub use text::{for_terminal, plain};

use text::clip;

/// Standard error, coloured if the choice and the terminal say so.
pub fn stderr(color: ColorChoice) -> impl std::io::Write {
    std::io::BufWriter::new(anstream::AutoStream::new(std::io::stderr(), color))
}
