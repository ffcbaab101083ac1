//! Records findings for `ptxvm exec`: writes a JSON line for each to the file that it named.

use std::io::Write;

use serde_json::{Value, json};

use crate::options;

/// Appends an object and, if the user cannot have seen it, what was said of it on standard error.
pub fn append_said(mut object: Value, said: &str) {
    if is_captured() {
        object["said"] = json!(said);
    }
    append(&object);
}

/// Appends an object to the file. Several processes may share it, so a line is written at once.
pub fn append(object: &Value) {
    let Some(path) = &options::get().report else { return };
    let line = format!("{object}\n");
    let written = std::fs::OpenOptions::new().append(true).create(true).open(path);
    if let Err(error) = written.and_then(|mut file| file.write_all(line.as_bytes())) {
        ptxvm_host::say(format_args!("ptxvm: cannot write to {}: {error}\n", path.display()));
    }
}

/// Whether the program has put something else in the place of the user's standard error; pytest does, and throws away
/// what a test that passes left there.
fn is_captured() -> bool {
    let users = &options::get().users_stderr;
    users.is_some() && *users != ptxvm_host::standard_error()
}
