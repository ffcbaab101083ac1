//! What calls answer.

use serde_json::{Value, json};

/// What became of a call, with the numbers that the command exits with.
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Status {
    Ok = 0,
    Usage = 1,
    Invalid = 2,
    Finding = 3,
    Unsupported = 4,
    Bug = 101,
    Trap = 134,
}

/// Why a call did not answer [`Status::Ok`].
#[derive(Debug)]
pub struct Told {
    pub status: Status,
    /// For people.
    pub text: String,
    /// For programs.
    pub object: Value,
}

impl Told {
    /// Something that a sentence says.
    pub fn new(status: Status, text: impl Into<String>) -> Told {
        let text = text.into();
        Told { status, object: json!({ "message": text }), text }
    }

    /// A call that is wrong.
    pub fn usage(text: impl Into<String>) -> Told {
        Told::new(Status::Usage, text)
    }

    /// A bug of ours.
    pub fn bug(text: impl std::fmt::Display) -> Told {
        Told::new(Status::Bug, format!("{text}; this is a bug in ptxvm, please report it"))
    }
}
