//! `--format` and `--report`: what was found while the command ran, for other programs. The command's own output comes
//! first, so the findings are written when it has ended.

use std::fs::File;
use std::io::{self, BufWriter, Write};
use std::path::Path;

use clap::ValueEnum;
use serde_json::Value;

use super::findings;
use crate::check::Format;
use crate::render::github;

/// A format for findings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// One JSON object per line
    Json,
    /// One SARIF 2.1.0 log
    Sarif,
    /// GitHub workflow annotations
    Github,
    /// JUnit's XML
    Junit,
}

impl From<Form> for Format {
    fn from(form: Form) -> Format {
        match form {
            Form::Json => Format::Json,
            Form::Sarif => Format::Sarif,
            Form::Github => Format::Github,
            Form::Junit => Format::Junit,
        }
    }
}

/// Whether an object is something that was found, and no note for `exec` itself.
pub fn is_found(object: &Value) -> bool {
    let kind = object["kind"].as_str().unwrap_or_default();
    matches!(kind, "finding" | "limit" | "unsupported" | "bug" | "stale-read" | "warning")
}

/// Writes what the library reported of a command to a file, or else to standard output.
pub fn write(report: &Path, command: &str, form: Form, to: Option<&Path>) -> io::Result<()> {
    let mut out: Box<dyn Write> = match to {
        Some(path) => Box::new(BufWriter::new(File::create(path)?)),
        None => Box::new(BufWriter::new(io::stdout().lock())),
    };
    let mut log = Format::from(form).log(command);
    for mut object in findings::objects(report).filter(is_found) {
        match form {
            Form::Json => {
                if let Value::Object(fields) = &mut object {
                    // What the user has not seen is told to people, by `findings::read`.
                    fields.remove("said");
                }
                writeln!(out, "{object}")?;
            }
            Form::Github => github::finding(&object, true, &mut out)?,
            Form::Sarif | Form::Junit => log.iter_mut().for_each(|log| log.finding(&object, true)),
        }
    }
    if let Some(log) = log {
        log.write(&mut out)?;
    }
    out.flush()
}
