//! `cargo xtask fuzz images`: damaged fatbins, objects and archives. The fuzzer is a test of `crates/cuda`, which needs the
//! library that cargo builds beside it; this runs it for longer than the tests do.

use std::path::Path;
use std::process::Command;

/// Runs `count` images, beginning with a seed.
pub fn run(root: &Path, count: u64, seed: u64) -> Result<(), String> {
    let status = Command::new(env!("CARGO"))
        .args(["test", "--quiet", "--profile", "ci", "-p", "ptxvm-cuda", "--test", "image_fuzz"])
        .args(["--", "--nocapture"])
        .env("PTXVM_FUZZ_SEED", seed.to_string())
        .env("PTXVM_FUZZ_IMAGES", count.to_string())
        .current_dir(root)
        .status()
        .map_err(|e| format!("cargo: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("an image from the seed {seed} on is not answered")) }
}
