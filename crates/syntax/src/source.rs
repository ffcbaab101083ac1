//! From bytes to text: PTX is ASCII, with UTF-8 in comments.

use crate::ast::Span;
use crate::codes;
use crate::diagnostic::Diagnostic;
use crate::line_index::LineIndex;

/// A text without the one NUL that ends it where it was the string of a C program, such as NVRTC gives.
#[must_use]
pub fn without_terminator(source: &str) -> &str {
    source.strip_suffix('\0').unwrap_or(source)
}

/// The text of a file's bytes.
///
/// # Errors
/// If the bytes are not UTF-8. The diagnostic's span is that of the offending bytes in `bytes`; its
/// message gives line and column, since there is no text to look them up in.
pub fn decode(bytes: &[u8]) -> Result<&str, Box<Diagnostic>> {
    let error = match std::str::from_utf8(bytes) {
        Ok(text) => return Ok(text),
        Err(error) => error,
    };
    let at = error.valid_up_to();
    let before = std::str::from_utf8(&bytes[..at]).unwrap_or("");
    // Beyond 4 GiB no span can say where it is.
    let start = u32::try_from(at).unwrap_or(u32::MAX);
    let place = LineIndex::new(before).line_column(before, start);
    let len = error.error_len().unwrap_or(bytes.len() - at).min(4) as u32;
    let span = Span::new(start, start.saturating_add(len));
    let byte = bytes.get(at).copied().unwrap_or(0);
    let message =
        format!("the source is not UTF-8: byte 0x{byte:02x} at line {}, column {}", place.line, place.column);
    Err(Box::new(
        Diagnostic::error(codes::NOT_UTF8, span, message)
            .help("PTX is ASCII, with UTF-8 in comments; is this a binary, or in another encoding?"),
    ))
}
