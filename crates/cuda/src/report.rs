//! What the library says to people, on standard error: findings in full, the trace of calls, our own bugs.

use std::time::Duration;

use crate::abi::CUresult;

/// Says that an entry point met a bug of ours.
pub fn bug(entry: &str) {
    eprintln!("ptxvm: internal error in {entry}: this is a bug in ptxvm; please report it");
}

/// A line of `--api-trace`.
pub fn trace(entry: &str, arguments: &str, result: CUresult, took: Duration) {
    eprintln!("ptxvm: {entry}({arguments}) -> {result:?} in {:.1} us", took.as_secs_f64() * 1e6);
}

/// Says that a program has called an entry point that ptxvm does not have yet.
pub fn unsupported(entry: &str) {
    eprintln!("ptxvm: {entry} is not supported and answers CUDA_ERROR_NOT_SUPPORTED");
}
