//! The NVTX ranges in which the work was given that is told of.

use serde_json::{Value, json};

use crate::nvtx::{Range, of_work};

/// As people read them, the outermost first; nothing where there are none.
pub fn in_words() -> Option<String> {
    let ranges = of_work()?;
    let each: Vec<String> = ranges.iter().map(Range::to_string).collect();
    let noun = if each.len() == 1 { "range" } else { "ranges" };
    Some(format!("{noun} {}", each.join(", ")))
}

/// For `--report`.
pub fn object() -> Option<Value> {
    let each = |range: &Range| json!({ "domain": range.domain.as_deref(), "message": *range.message });
    Some(of_work()?.iter().map(each).collect())
}
