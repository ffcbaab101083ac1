//! Writes our diagnostics into the logs of the compiler and the linker, in the format of NVIDIA's tools: programs search
//! these logs for line numbers and names.

use ptxvm_report::{Report, ptxas};
use ptxvm_vm::{LinkProblem, LoadError, Module};

use super::Part;

/// The errors of a failed load, for the error log.
#[must_use]
pub fn errors(error: &LoadError, source: &str) -> String {
    match error {
        LoadError::Invalid(diagnostics) => {
            let report = Report::with(ptxas::IN_MEMORY, source.into(), diagnostics.clone());
            ptxas::log(&report).trim_end().to_owned()
        }
        LoadError::Part { error, .. } => errors(error, source),
        LoadError::Link(problems) => problems.iter().map(problem).collect::<Vec<_>>().join("\n"),
        LoadError::Unresolved(names) => {
            let line = |name: &String| format!("ptxas fatal   : Unresolved extern symbol '{name}'");
            names.iter().map(line).collect::<Vec<_>>().join("\n")
        }
        other => format!("ptxas fatal   : {other}"),
    }
}

/// The errors of a failed link, for the error log: what nothing defines, with every part that misses it.
pub fn link_errors(error: &LoadError, parts: &[Part], missing: &[Vec<String>]) -> String {
    match error {
        LoadError::Unresolved(names) => {
            let lines = names.iter().flat_map(|name| {
                let users = parts.iter().zip(missing).filter(move |(_, missing)| missing.contains(name));
                users.map(move |(part, _)| {
                    format!("error   : Undefined reference to '{name}' in '{}'", part.name)
                })
            });
            lines.collect::<Vec<_>>().join("\n")
        }
        other => errors(other, super::source_of(other, parts)),
    }
}

/// The warnings of a load, for the info log.
#[must_use]
pub fn warnings(module: &Module) -> String {
    if module.warnings().is_empty() {
        return String::new();
    }
    let report = Report::with(ptxas::IN_MEMORY, module.source().into(), module.warnings().to_vec());
    ptxas::lines(&report).join("\n")
}

fn problem(problem: &LinkProblem) -> String {
    match problem {
        LinkProblem::Duplicate { name, parts: [first, second] } => {
            format!("error   : Multiple definition of '{name}' in '{second}', first defined in '{first}'")
        }
        other => format!("error   : {other}"),
    }
}
