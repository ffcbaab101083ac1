//! What can be wrong with an asynchronous operation or an mbarrier object, and who is to be told.

use crate::asynchronous::issuer::Issuer;
use crate::explain::finding::Kind;

/// Why an operation on an object is wrong.
#[derive(Clone, Debug)]
pub struct Wrong {
    /// One sentence.
    pub message: String,
    /// More sentences.
    pub notes: Vec<String>,
}

/// Where the place of a finding comes from that an operation's completion led to.
pub const COMPLETION: &str =
    "this came when the asynchronous operation completed; the place is where it was issued";

/// Something that went wrong when an operation completed, and who had issued it.
#[derive(Debug)]
pub struct Trouble {
    /// What kind of wrong.
    pub kind: Kind,
    /// One sentence.
    pub message: String,
    /// More sentences.
    pub notes: Vec<String>,
    /// Whose operation it was.
    pub issuer: Issuer,
}
