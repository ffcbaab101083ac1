//! How Python learns that something did not go well: one exception with an object, as JSON, of which the package makes its
//! own.

use ptxvm_report::{Message, Report};
use pyo3::exceptions::PyException;
use pyo3::{PyErr, create_exception};
use serde_json::{Value, json};

create_exception!(_ptxvm, Failed, PyException, "What went wrong, as JSON.");

/// The exception for an object.
pub fn failed(object: &Value) -> PyErr {
    Failed::new_err(object.to_string())
}

/// A mistake in what was asked for: a value that cannot be.
pub fn wrong(message: impl std::fmt::Display) -> PyErr {
    failed(&json!({ "kind": "usage", "message": message.to_string() }))
}

/// Ours.
pub fn bug(message: impl std::fmt::Display) -> PyErr {
    failed(
        &json!({ "kind": "bug", "message": format!("{message}; this is a bug in ptxvm, please report it") }),
    )
}

/// A message as people read it, without colours.
pub fn shown(message: Message, report: &Report<'_>) -> String {
    plain(|out| message.write(report, out))
}

/// What is written with colours, without them.
pub fn plain(write: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>) -> String {
    let mut out = anstream::StripStream::new(Vec::new());
    // A vector takes everything.
    let _ = write(&mut out);
    String::from_utf8_lossy(&out.into_inner()).trim_end().to_owned()
}
