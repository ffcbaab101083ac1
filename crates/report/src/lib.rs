//! How diagnostics of a file and findings of a run are shown to people, the same through every door.
//!
//! A [`Report`] is a file with what was found in it; a [`Message`] is what is to be said of a run. Both are written
//! to a stream that the caller chooses, in colours; [`stderr`] is such a stream, and takes the colours out where they
//! are not wanted.

pub mod finding;
mod human;
mod message;
pub mod number;
pub mod ptxas;
mod report;

pub use anstream::ColorChoice;
pub use message::Message;
pub use report::Report;

/// Standard error, coloured if the choice and the terminal say so.
pub fn stderr(color: ColorChoice) -> impl std::io::Write {
    std::io::BufWriter::new(anstream::AutoStream::new(std::io::stderr(), color))
}

/// The longest message shown; a guest's name of ten megabytes does not help anyone.
const LONGEST: usize = 600;

/// Cuts the middle out of a text that is too long to read.
fn clip(text: &mut String) {
    if text.len() <= LONGEST {
        return;
    }
    let boundary = |mut at: usize| {
        while !text.is_char_boundary(at) {
            at += 1;
        }
        at
    };
    let (start, end) = (boundary(LONGEST / 2), boundary(text.len() - LONGEST / 4));
    text.replace_range(start..end, " … ");
}
