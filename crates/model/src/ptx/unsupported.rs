//! What a kernel does that a litmus test cannot, as a diagnostic.

use ptxvm_syntax::Diagnostic;
use ptxvm_syntax::ast::Span;

use crate::codes;

/// What the kernel does that a litmus test cannot.
pub fn unsupported(span: Span, message: impl Into<String>) -> Box<Diagnostic> {
    let help = "docs/litmus.md says what a kernel may do";
    Box::new(Diagnostic::error(codes::KERNEL, span, message).help(help))
}
