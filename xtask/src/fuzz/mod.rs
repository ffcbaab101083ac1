//! The fuzzers that need nothing installed: for the front end, the machine, matrix descriptors, the driver API and images.
//! The folder `fuzz/` has coverage-guided versions of those that do not load the driver library.

mod agreement;
mod choice;
mod data;
mod descriptor;
mod driver;
mod elements;
mod engines;
mod exchange;
mod flow;
pub mod forms;
mod front;
mod images;
pub mod judge;
pub mod matrix;
mod mutate;
pub mod names;
mod processes;
mod products;
pub mod program;
mod reduce;
pub mod run;
pub mod scene;
pub mod setting;
mod small;
mod words;

use std::path::Path;

/// How many inputs run if nobody says.
const COUNT: u64 = 10_000;
/// How many sequences of driver calls run if nobody says.
const SEQUENCES: u64 = 200;

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
        ["engines", "show", seed] => Some(engines::show(root, seed.parse().ok()?)),
        ["engines", "part", rest @ ..] => match numbers(rest)?.as_slice() {
            [seed, count, step] => Some(processes::part(root, *seed, *count, *step)),
            _ => None,
        },
        ["engines", rest @ ..] => match numbers(rest)?.as_slice() {
            [] => Some(processes::run(COUNT, 0, None)),
            [count] => Some(processes::run(*count, 0, None)),
            [count, seed] => Some(processes::run(*count, *seed, None)),
            [count, seed, seconds] => Some(processes::run(*count, *seed, Some(*seconds))),
            _ => None,
        },
        ["descriptors", rest @ ..] => match numbers(rest)?.as_slice() {
            [] => Some(descriptor::run(COUNT, 0)),
            [count] => Some(descriptor::run(*count, 0)),
            [count, seed] => Some(descriptor::run(*count, *seed)),
            _ => None,
        },
        ["images", rest @ ..] => match numbers(rest)?.as_slice() {
            [] => Some(images::run(root, COUNT, 1)),
            [count] => Some(images::run(root, *count, 1)),
            [count, seed] => Some(images::run(root, *count, *seed)),
            _ => None,
        },
        ["driver", rest @ ..] => match numbers(rest)?.as_slice() {
            [] => Some(driver::run(root, SEQUENCES, 1)),
            [count] => Some(driver::run(root, *count, 1)),
            [count, seed] => Some(driver::run(root, *count, *seed)),
            _ => None,
        },
        _ => match numbers(arguments)?.as_slice() {
            [count] => Some(front::run(root, *count, 0)),
            [count, seed] => Some(front::run(root, *count, *seed)),
            _ => None,
        },
    }
}
