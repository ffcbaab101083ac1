//! Says why a file could not be loaded: as `check` shows it if the PTX is wrong, else in a sentence.

use ptxvm_report::{Message, Report};
use ptxvm_vm::LoadError;
use serde_json::json;

use super::Output;
use crate::check::Format;
use crate::exit::{self, Exit};
use crate::input::Input;
use crate::memory::too_much;
use crate::render::Printer;

impl Output {
    /// Shows bytes that are no text as `check` shows them.
    pub fn undecodable(&self, input: &Input, error: ptxvm_syntax::Diagnostic) -> Exit {
        let report = Report::undecodable(&input.name, &input.bytes, error);
        self.print(usize::MAX, &report);
        exit::INVALID
    }

    /// Says why a module could not be loaded.
    pub fn not_loaded(&self, report: &mut Report<'_>, error: LoadError) -> Exit {
        match error {
            LoadError::Invalid(diagnostics) => self.invalid(report, diagnostics),
            LoadError::Part { error, .. } => self.not_loaded(report, *error),
            LoadError::Link(_) => {
                self.refused(report, "link", &error.to_string(), "ptxvm run takes one module by itself")
            }
            LoadError::Target { .. } => {
                let hint = "--device chooses another; `a` targets run on exactly that chip";
                self.refused(report, "target", &error.to_string(), hint)
            }
            LoadError::Unresolved(_) => {
                let hint =
                    "ptxvm runs one module by itself, and provides vprintf, malloc, free and __assertfail";
                self.refused(report, "unresolved", &error.to_string(), hint)
            }
            LoadError::Unsupported(all) => {
                for what in &all {
                    self.unsupported(report, what);
                }
                exit::UNSUPPORTED
            }
            LoadError::Memory(error) => self.usage(&format!("the module's variables do not fit: {error}")),
            LoadError::Budget(over) => self.usage(&too_much("loading the module", over)),
            LoadError::Bug(message) => self.bug(&message),
        }
    }

    fn invalid(&self, report: &mut Report<'_>, diagnostics: Vec<ptxvm_syntax::Diagnostic>) -> Exit {
        let limit = if self.format == Format::Human { 100 } else { usize::MAX };
        report.diagnose(diagnostics);
        self.print(limit, report);
        exit::INVALID
    }

    /// Shows diagnostics as `check` does; that is all there is to say then.
    fn print(&self, limit: usize, report: &Report<'_>) {
        let mut printer = Printer::new(self.format, self.color, limit);
        // What was found stands in the exit code, even when nobody listens any more.
        let _ = printer.file(report).and_then(|()| printer.finish());
        self.closing().said = true;
    }

    /// PTX that is right in itself and that this device cannot take: to the user it is invalid all the same.
    fn refused(&self, report: &Report<'_>, code: &'static str, message: &str, hint: &str) -> Exit {
        let object = json!({ "kind": "invalid", "severity": "error", "code": code, "message": message, "help": hint, "file": report.name });
        let mut words = Message::new(message).id(code);
        words.notes.push(hint.to_owned());
        self.say(report, words, &object, exit::INVALID)
    }
}
