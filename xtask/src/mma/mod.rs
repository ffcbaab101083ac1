//! `cargo xtask mma`: compares millions of matrix products with the recorded hashes of an H200's results.

mod blocks;
mod case;
mod inputs;
mod sweep;

use std::path::Path;

const USAGE: &str = "\
cargo xtask mma sweep [--sample]    compare matrix products with the recorded hashes of an H200's";

/// `cargo xtask mma …`.
pub fn run(root: &Path, args: &[&str]) -> Result<(), String> {
    match args {
        ["sweep"] => sweep::run(root, 1),
        ["sweep", "--sample"] => sweep::run(root, SAMPLE),
        _ => Err(USAGE.into()),
    }
}

/// A sample is every so manyth block of hashes.
const SAMPLE: usize = 128;

#[test]
fn a_sample_of_the_sweep() {
    sweep::run(&crate::root(), SAMPLE).unwrap();
}
