//! `cargo xtask mufu`: fits the tables of the special function unit from recorded answers, and checks them over all inputs.

mod fit;
mod hashes;
mod residuals;
mod solve;
mod sweep;

use std::path::Path;

const USAGE: &str = "\
cargo xtask mufu fit RESIDUALS      fit the tables of crates/num/src/mufu from mufu.residuals.bin and write them
cargo xtask mufu sweep [--sample]   compare every approximate f32 function with its recorded hashes over all inputs";

/// `cargo xtask mufu …`.
pub fn run(root: &Path, args: &[&str]) -> Result<(), String> {
    match args {
        ["fit", residuals] => fit::run(root, Path::new(residuals)),
        ["sweep"] => sweep::run(root, 1),
        ["sweep", "--sample"] => sweep::run(root, 61),
        _ => Err(USAGE.into()),
    }
}
