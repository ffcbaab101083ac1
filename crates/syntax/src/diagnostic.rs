//! What ptxvm says about a guest's file: a code, a sentence, the places it concerns, and help.
//!
//! Every layer of the front end makes these; rendering (people, JSON, SARIF) is for the command.

use crate::ast::Span;

/// A stable code such as `E0101`. Syntax is E01xx, names and declarations E02xx, directives E03xx,
/// instruction forms E04xx, operands E05xx, warnings W06xx, litmus tests E07xx.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Code(pub &'static str);

impl std::fmt::Display for Code {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(self.0)
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Severity {
    Error,
    Warning,
}

/// A place with a word on its part in the matter; the text may be empty.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Label {
    pub span: Span,
    pub text: String,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    pub code: Code,
    pub severity: Severity,
    /// One sentence without a full stop, in lower case, as rustc writes them.
    pub message: String,
    /// Where it is wrong.
    pub primary: Label,
    /// Other places that matter: the earlier declaration, the opening brace.
    pub secondary: Vec<Label>,
    /// What would be right.
    pub help: Option<String>,
    /// The section of the PTX manual that states the rule: `4.4`.
    pub section: Option<&'static str>,
}

impl Diagnostic {
    #[must_use]
    pub fn error(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Error, span, message.into())
    }

    #[must_use]
    pub fn warning(code: Code, span: Span, message: impl Into<String>) -> Self {
        Self::new(code, Severity::Warning, span, message.into())
    }

    fn new(code: Code, severity: Severity, span: Span, message: String) -> Self {
        Self {
            code,
            severity,
            message,
            primary: Label { span, text: String::new() },
            secondary: Vec::new(),
            help: None,
            section: None,
        }
    }

    /// Words under the primary place.
    #[must_use]
    pub fn label(mut self, text: impl Into<String>) -> Self {
        self.primary.text = text.into();
        self
    }

    /// Another place and its part in the matter.
    #[must_use]
    pub fn also(mut self, span: Span, text: impl Into<String>) -> Self {
        self.secondary.push(Label { span, text: text.into() });
        self
    }

    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    #[must_use]
    pub fn section(mut self, section: &'static str) -> Self {
        self.section = Some(section);
        self
    }
}
