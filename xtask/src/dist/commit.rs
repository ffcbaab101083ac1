//! The commit that is built.

use std::path::Path;
use std::process::Command;

use super::process::output;

/// Its name and its time.
#[derive(Clone)]
pub struct Commit {
    /// Its number, and whether files have been changed since.
    pub name: String,
    /// In seconds since 1970.
    pub time: String,
}

impl Commit {
    /// The one that is checked out.
    pub fn of(root: &Path) -> Result<Commit, String> {
        let git = |arguments: &[&str]| output(Command::new("git").args(arguments).current_dir(root));
        let number = git(&["rev-parse", "--short=12", "HEAD"])?;
        let time = git(&["log", "-1", "--format=%ct"])?;
        let changed = git(&["status", "--porcelain", "--untracked-files=no"])?;
        let name = if changed.is_empty() { number } else { format!("{number}-changed") };
        Ok(Commit { name, time })
    }
}
