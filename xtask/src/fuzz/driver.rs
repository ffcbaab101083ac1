//! `cargo xtask fuzz driver`: random sequences of driver calls. The fuzzer is a test of `crates/cuda`, which needs the
//! library that cargo builds beside it; this runs it for longer than the tests do.

use std::path::Path;
use std::process::Command;
use std::time::Instant;

/// How many sequences run between two lines of progress.
const CHUNK: u64 = 20;
/// How many calls a sequence has.
const CALLS: u64 = 1500;

/// Runs `count` sequences, beginning with a seed.
pub fn run(root: &Path, count: u64, seed: u64) -> Result<(), String> {
    let started = Instant::now();
    let mut failed = Vec::new();
    for first in (0..count).step_by(CHUNK as usize) {
        let sequences = CHUNK.min(count - first);
        let begin = seed.wrapping_add(first);
        let status = Command::new(env!("CARGO"))
            .args(["test", "--quiet", "--profile", "ci", "-p", "ptxvm-cuda", "--test", "fuzz"])
            .env("PTXVM_FUZZ_SEED", begin.to_string())
            .env("PTXVM_FUZZ_SEQUENCES", sequences.to_string())
            .env("PTXVM_FUZZ_CALLS", CALLS.to_string())
            .current_dir(root)
            .status()
            .map_err(|e| format!("cargo: {e}"))?;
        if !status.success() {
            failed.push(begin);
        }
        let calls = (first + sequences) * CALLS;
        println!("{calls} calls, {:.0} s, {} chunks failed", started.elapsed().as_secs_f64(), failed.len());
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("the chunks from the seeds {failed:?} failed")) }
}
