//! The project's own commands, run as `cargo xtask COMMAND`.
#![allow(clippy::print_stdout, clippy::print_stderr, reason = "the project's commands print what they do")]
#![forbid(unsafe_code)]

mod clients;
mod confirmed;
mod cudart;
mod dist;
mod docs;
mod driver;
mod emit;
mod executed;
mod fuzz;
mod generated;
mod lateness;
mod licences;
mod litmus;
mod mma;
mod mufu;
mod notation;
mod nvml;
mod oracle;
mod package;
mod python;
mod runtime;
mod sanitize;
mod site;
mod suite;

use std::path::{Path, PathBuf};
use std::process::ExitCode;

const USAGE: &str = "\
cargo xtask isa             write everything that is made from isa/*.isa and docs/{diagnostics,findings}
cargo xtask test [--without-clients]
                            every check: format, stale files, licences, clippy, tests, real clients from PyPI
cargo xtask clients [--all] [--engine ENGINE] [NAMES]
                            run Triton, cuda-python, tinygrad, Dr.Jit, Taichi and Numba from PyPI on our libcuda.so.1,
                            and CUDA C++ programs that nvcc from PyPI compiles on our libcudart
cargo xtask clients drjit|taichi --checkout PATH [PATTERN]
                            run the tests in a checkout of Dr.Jit 1.5.0's or Taichi 1.7.4's sources
cargo xtask clients cudart --checkout PATH [PATTERN]
                            build and run the samples in a checkout of NVIDIA's cuda-samples
cargo xtask site            build the site of docs/ into target/site/html, and check its links
cargo xtask package [--verify]
                            make the packages of the crates that are published; build them, too
cargo xtask python [ARGUMENTS OF PYTEST]
                            build the wheel, install it into a fresh environment, and run tests/python on it
cargo xtask dist [--profile PROFILE] [--again FOLDER]
                            make the wheel, the tarball and the Debian package, into target/dist/out; or make them again in
                            a clone, and compare their bytes
cargo xtask licences        check the licences of all crates
cargo xtask litmus PATH [PATTERN]
                            compare our verdicts with those that a checkout of Dat3M or of NVlabs' mixedproxy expects
cargo xtask litmus kernels OUT PATHS
                            write a kernel for each litmus test in folders or such checkouts, for a GPU to run
cargo xtask litmus texts OUT PATHS
                            write the text of each litmus test into a folder, by its name among our observations
cargo xtask litmus observed FILE PATHS
                            compare what a GPU did, as tests/litmus/h200/run.py writes it, with what the model allows
cargo xtask lint FILES      read isa files and report what is wrong in them
cargo xtask agreement       compare our checker with the recorded verdicts
cargo xtask oracle PTXAS [FILE]
                            ask ptxas 13.2, 13.3 or 13.4 about forms made from the table (of one isa file) and record
                            its verdicts; of the later ones on what is new with them, and on a sample of the rest
cargo xtask oracle PTXAS FILE HEAD
                            ask it about the rows of an isa file that begin with HEAD, and add its verdicts
cargo xtask fuzz COUNT [SEED]
                            run COUNT mutated inputs of the corpus through the front end
cargo xtask fuzz run [COUNT [SEED]]
                            run random programs and mutated kernels of the corpus on the machine, on every core
cargo xtask fuzz engines [COUNT [SEED [SECONDS]]]
                            run small random programs, and some of those, with both engines, which must do the same
cargo xtask fuzz engines show SEED
                            print one of these programs
cargo xtask fuzz descriptors [COUNT [SEED]]
                            launch COUNT wgmma, tcgen05.mma and tcgen05.cp at the end of shared memory
cargo xtask fuzz images [COUNT [SEED]]
                            load COUNT damaged fatbins, objects and archives
cargo xtask fuzz driver [COUNT [SEED]]
                            run COUNT sequences of random driver calls, each in its own process
cargo xtask sanitize address [FILTER]
                            run tests/run and tests/golden under AddressSanitizer, with AVX-512 and without
cargo xtask sanitize thread [FILTER]
                            run the tests of the driver library under ThreadSanitizer
cargo xtask sanitize miri [FILTER]
                            run the tests of memory and parts of num, ir and machine in Miri
cargo xtask lateness [PART] run every form of the table (with PART in its name) in an endless loop, and measure how
                            long it takes to stop when told to; build with --release
cargo xtask compare PTXAS FILE [SEED [EXTRA]]
                            ask ptxas 13.2, 13.3 or 13.4 about one isa file's forms and list where it and our checker disagree
cargo xtask mufu fit RESIDUALS
                            fit the tables of the approximate functions from an H200's recorded answers
cargo xtask mufu sweep [--sample]
                            compare the approximate functions with the recorded hashes over all 2^32 inputs
cargo xtask mma sweep [--sample]
                            compare matrix products with the recorded hashes of 200 million products of an H200";

fn main() -> ExitCode {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let args: Vec<&str> = args.iter().map(String::as_str).collect();
    let root = root();
    let outcome = match args.as_slice() {
        ["isa"] => generated::write(&root),
        ["test"] => suite::run(&root, true),
        ["test", "--without-clients"] => suite::run(&root, false),
        ["clients", rest @ ..] => clients::run(&root, rest),
        ["python", rest @ ..] => python::run(&root, rest),
        ["dist", rest @ ..] => dist::run(&root, rest),
        ["licences"] => licences::check(&root),
        ["package"] => package::run(&root, false),
        ["package", "--verify"] => package::run(&root, true),
        ["site"] => site::run(&root),
        ["litmus", "kernels", out, paths @ ..] => litmus::kernels(Path::new(out), paths),
        ["litmus", "texts", out, paths @ ..] => litmus::texts(Path::new(out), paths),
        ["litmus", "observed", file, paths @ ..] => litmus::observed(Path::new(file), paths),
        ["litmus", path] => litmus::compare(Path::new(path), ""),
        ["litmus", path, pattern] => litmus::compare(Path::new(path), pattern),
        ["lint", files @ ..] => lint(files),
        ["fuzz", rest @ ..] => fuzz::command(&root, rest).unwrap_or_else(|| Err(USAGE.into())),
        ["sanitize", rest @ ..] => sanitize::command(&root, rest).unwrap_or_else(|| Err(USAGE.into())),
        ["lateness"] => lateness::report(""),
        ["lateness", part] => lateness::report(part),
        ["mufu", rest @ ..] => mufu::run(&root, rest),
        ["mma", rest @ ..] => mma::run(&root, rest),
        ["oracle", release, rest @ ..] => oracle::release(release).and_then(|release| match rest {
            [] => oracle::record(&root, release, None),
            [file] => oracle::record(&root, release, Some(file)),
            [file, head] => oracle::add(&root, release, file, head),
            _ => Err(USAGE.into()),
        }),
        ["agreement"] => generated::table(&root).and_then(|isa| oracle::agreement::report(&root, isa)),
        ["compare", release, file, rest @ ..] => {
            let number = |i: usize, default: u64| rest.get(i).and_then(|t| t.parse().ok()).unwrap_or(default);
            oracle::release(release).and_then(|release| {
                oracle::compare(&root, release, file, number(0, 1), number(1, 20) as usize)
            })
        }
        _ => Err(USAGE.into()),
    };
    match outcome {
        Ok(()) => ExitCode::SUCCESS,
        Err(message) => {
            eprintln!("{message}");
            ExitCode::from(1)
        }
    }
}

/// The workspace's folder: where one stands, if that is one. A binary that was carried to another machine finds its files
/// so; who calls cargo from a folder below gets the workspace that this was built in.
fn root() -> PathBuf {
    let built_in = Path::new(env!("CARGO_MANIFEST_DIR")).parent().unwrap_or(Path::new("."));
    let here = std::env::current_dir().unwrap_or_default();
    if here.join("tests/corpus").is_dir() { here } else { built_in.to_owned() }
}

fn lint(files: &[&str]) -> Result<(), String> {
    let mut loader = notation::Loader::default();
    for file in files {
        match std::fs::read_to_string(file) {
            Ok(text) => loader.rows(file, &text),
            Err(e) => loader.errors.push(format!("{file}: {e}")),
        }
    }
    println!("{} rows, {} errors", loader.row_count(), loader.errors.len());
    if loader.errors.is_empty() { Ok(()) } else { Err(loader.errors.join("\n")) }
}
