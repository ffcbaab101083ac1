//! Shows diagnostics of a file and findings of a run to people, the same way in the command and in the libraries.
//!
//! A [`Report`] is a file with its diagnostics; a [`Message`] is about a run. Both are written in colours to a stream that
//! the caller chooses. [`stderr`] is such a stream, and removes the colours where they are not wanted.
#![forbid(unsafe_code)]

pub mod diagnostic;
pub mod event;
pub mod finding;
mod human;
pub mod meeting;
mod message;
pub mod number;
pub mod order;
pub mod pages;
pub mod ptxas;
pub mod race;
mod report;
pub mod stale;
pub mod suppress;
mod text;

pub use anstream::ColorChoice;
pub use message::{Message, Weight};
pub use report::Report;
pub use text::{for_terminal, plain};

use text::clip;

/// Standard error, coloured if the choice and the terminal say so.
pub fn stderr(color: ColorChoice) -> impl std::io::Write {
    std::io::BufWriter::new(anstream::AutoStream::new(std::io::stderr(), color))
}
