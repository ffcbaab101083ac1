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

pub const USAGE: &str = "\
cargo xtask fuzz COUNT [SEED] run so many changed corpus inputs through the front end
cargo xtask fuzz run [COUNT [SEED]]
                            run random programs and changed corpus kernels on the machine";

/// How many inputs run if nobody says.
const COUNT: u64 = 10_000;

/// Runs one of the fuzzers, as the command line says.
pub fn command(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let number = |text: Option<&&str>, default: u64| match text {
        None => Ok(default),
        Some(text) => text.parse().map_err(|_| USAGE.to_owned()),
    };
    match arguments {
        ["run", rest @ ..] if rest.len() <= 2 => {
            run::run(root, number(rest.first(), COUNT)?, number(rest.get(1), 0)?)
        }
        [count, rest @ ..] if rest.len() <= 1 => {
            front::run(root, number(Some(count), COUNT)?, number(rest.first(), 0)?)
        }
        _ => Err(USAGE.into()),
    }
}
