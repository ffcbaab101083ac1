//! Where what an instruction was made from stands in the sources that a compiler read.

use ptxvm_ir::{Location, Program};

use crate::explain::finding::SourceLine;

/// What `.loc` says of an instruction, through all functions that were inlined.
pub fn source_lines(program: &Program, location: u32) -> Vec<SourceLine> {
    let line = |at: &Location| SourceLine {
        file: program.file_name(at.file).map_or_else(|| format!("file {}", at.file), str::to_owned),
        line: at.line,
        column: at.column,
        function: at.function.and_then(|name| program.inlined_functions.get(name as usize)).cloned(),
    };
    program.inlined(location).map(line).collect()
}
