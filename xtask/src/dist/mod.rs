//! `cargo xtask dist`: what users install, made of one commit: the wheel, a tarball and a Debian package, into
//! `target/dist/out`.
//!
//! All three have the same layout: `bin/ptxvm`, and the libraries in `lib/ptxvm`, where the command looks for them. The tarball
//! and the Debian package have libptxvm and its header for programs in C besides, where compilers look for them, manual pages and completions. The same
//! commit gives the same bytes, wherever it is built: paths are mapped to names, times are the commit's.

mod again;
mod commit;
mod package;
mod process;
mod staged;
mod wheel;

use std::path::{Path, PathBuf};

use commit::Commit;
pub use process::succeed;
pub use staged::{Built, Staged};
pub use wheel::wheel;

/// Builds everything, and says what came of it; or builds it again elsewhere, and compares.
pub fn run(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let (profile, rest) = match arguments {
        ["--profile", profile, rest @ ..] => (*profile, rest),
        rest => ("release", rest),
    };
    match rest {
        [] => build(root, profile),
        ["--again", folder] => again::compare(root, Path::new(folder), profile),
        _ => Err("cargo xtask dist [--profile PROFILE] [--again FOLDER]".into()),
    }
}

fn build(root: &Path, profile: &str) -> Result<(), String> {
    let commit = Commit::of(root)?;
    let out = root.join("target/dist/out");
    let _ = std::fs::remove_dir_all(&out);
    std::fs::create_dir_all(&out).map_err(|error| format!("{}: {error}", out.display()))?;
    let built = Built { root: root.to_owned(), profile: profile.to_owned(), commit: Some(commit.clone()) };
    let staged = Staged::new(&built)?;
    wheel(&built, &staged, &out)?;
    staged.add_for_packages(&built)?;
    package::tarball(&staged, &commit, &out)?;
    package::debian(&staged, &commit, &out)?;
    let entries = std::fs::read_dir(&out).map_err(|error| error.to_string())?;
    let mut files: Vec<PathBuf> = entries.flatten().map(|file| file.path()).collect();
    files.sort();
    for file in files {
        let bytes = std::fs::metadata(&file).map_or(0, |about| about.len());
        println!("{:>8.1} MB  {}", bytes as f64 / 1e6, file.display());
    }
    Ok(())
}
