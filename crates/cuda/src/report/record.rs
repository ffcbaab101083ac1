//! What `ptxvm exec` learns of a program's kernels: a JSON line for each thing that was found, in the file that it named.

use std::io::Write;

use serde_json::Value;

use crate::options;

/// Appends an object to the file. Several processes may share it, so a line is written at once.
pub fn append(object: &Value) {
    let Some(path) = &options::get().report else { return };
    let line = format!("{object}\n");
    let written = std::fs::OpenOptions::new().append(true).create(true).open(path);
    if let Err(error) = written.and_then(|mut file| file.write_all(line.as_bytes())) {
        eprintln!("ptxvm: cannot write to {}: {error}", path.display());
    }
}
