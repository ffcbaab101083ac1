//! What a finding's object says, for formats that other programs show: where it is, what belongs to it, and why it is
//! suppressed if it is.
//!
//! A finding has a place in the PTX, and often one in the source that the PTX was made from. `ptxvm run` was given a file
//! of PTX, which people can look into; under `ptxvm exec` the PTX was made in memory, and the source is what they have.

use serde_json::Value;

/// A place in a file. The column is 0 if only the line is known.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    pub file: String,
    pub line: u64,
    pub column: u64,
    pub end_line: u64,
    pub end_column: u64,
}

/// The place of an object, or of one of those that belong to it, in the PTX or, where that was `compiled` in memory, in
/// its source.
fn of(file: &Value, object: &Value, compiled: bool) -> Option<Place> {
    let source = &object["source"];
    if compiled && let (Some(file), Some(line)) = (source["file"].as_str(), source["line"].as_u64()) {
        let column = source["column"].as_u64().unwrap_or(0);
        return Some(Place { file: file.to_owned(), line, column, end_line: line, end_column: column });
    }
    let number = |name: &str| object[name].as_u64();
    let (line, column) = (number("line")?, number("column").unwrap_or(0));
    let end = (number("end_line").unwrap_or(line), number("end_column").unwrap_or(column));
    let file = file.as_str().unwrap_or_default().to_owned();
    Some(Place { file, line, column, end_line: end.0, end_column: end.1 })
}

/// Where it happened.
pub fn place(object: &Value, compiled: bool) -> Option<Place> {
    of(&object["file"], object, compiled)
}

/// The other places that belong to it, each with what was done there.
pub fn related(object: &Value, compiled: bool) -> Vec<(Place, String)> {
    let all = object["related"].as_array().map_or(&[][..], Vec::as_slice);
    let one = |other: &Value| {
        let text = other["message"].as_str().unwrap_or_default().to_owned();
        Some((of(&object["file"], other, compiled)?, text))
    };
    all.iter().filter_map(one).collect()
}

/// What kind of finding it is.
pub fn code(object: &Value) -> &str {
    object["code"].as_str().or(object["kind"].as_str()).unwrap_or_default()
}

/// What happened.
pub fn message(object: &Value) -> &str {
    object["message"].as_str().unwrap_or_default()
}

/// Further sentences.
pub fn notes(object: &Value) -> impl Iterator<Item = &str> {
    object["notes"].as_array().into_iter().flatten().filter_map(Value::as_str)
}

/// Why it is suppressed.
pub fn reason(object: &Value) -> Option<&str> {
    object["suppressed"].as_str()
}
