//! The fuzzers that need nothing installed: one for the front end, one for the machine. `fuzz/` holds their
//! coverage-guided twins.

mod flow;
mod forms;
mod front;
mod judge;
mod mutate;
mod names;
mod program;
mod reduce;
mod run;

use std::path::Path;

/// How many inputs run if nobody says.
const COUNT: u64 = 10_000;

/// Runs one of the fuzzers; `None` if the command line says nothing that it knows.
pub fn command(root: &Path, arguments: &[&str]) -> Option<Result<(), String>> {
    let numbers = |texts: &[&str]| texts.iter().map(|text| text.parse().ok()).collect::<Option<Vec<u64>>>();
    match arguments {
        ["run", rest @ ..] => match numbers(rest)?.as_slice() {
            [] => Some(run::run(root, COUNT, 0)),
            [count] => Some(run::run(root, *count, 0)),
            [count, seed] => Some(run::run(root, *count, *seed)),
            _ => None,
        },
        _ => match numbers(arguments)?.as_slice() {
            [count] => Some(front::run(root, *count, 0)),
            [count, seed] => Some(front::run(root, *count, *seed)),
            _ => None,
        },
    }
}
