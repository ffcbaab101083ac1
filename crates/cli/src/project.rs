//! `ptxvm.toml`: what a project says once of its PTX files, so that `ptxvm check` and `ptxvm fmt` need no words.
//!
//! It is looked for in the current folder and those above it. What the command line says counts before it.

use std::path::{Path, PathBuf};

use serde::Deserialize;

use crate::check::{Format, target};

/// The file's name.
pub const NAME: &str = "ptxvm.toml";

/// The most that is read of it: a person writes it.
const MOST: u64 = 1 << 20;

/// What the file says. Paths are from its folder.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Project {
    /// Files, folders and patterns that are meant where a command names none.
    #[serde(default)]
    pub files: Vec<String>,
    /// Those that are left out where folders and patterns are searched.
    #[serde(default)]
    pub exclude: Vec<String>,
    #[serde(default)]
    pub check: Check,
    /// The file's folder; empty without a file.
    #[serde(skip)]
    pub folder: PathBuf,
}

/// What `ptxvm check` is to do.
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, rename_all = "kebab-case")]
pub struct Check {
    /// `--target`
    pub target: Option<String>,
    /// `--format`
    pub format: Option<Format>,
    /// `--no-warnings`
    #[serde(default)]
    pub no_warnings: bool,
    /// `--print-limit`
    pub print_limit: Option<usize>,
}

impl Project {
    /// Reads the file, if there is one.
    ///
    /// # Errors
    /// A sentence with file, line and column if it cannot be read or says what nobody knows.
    pub fn find() -> Result<Project, String> {
        let here =
            std::env::current_dir().map_err(|error| format!("cannot find the current folder: {error}"))?;
        match here.ancestors().map(|folder| folder.join(NAME)).find(|path| path.is_file()) {
            Some(path) => Project::read(&path),
            None => Ok(Project::default()),
        }
    }

    fn read(path: &Path) -> Result<Project, String> {
        let fail = |why: &dyn std::fmt::Display| format!("{}: {why}", path.display());
        let size = path.metadata().map_err(|error| fail(&error))?.len();
        if size > MOST {
            return Err(fail(&format_args!("it has {size} bytes; a {NAME} has at most {MOST}")));
        }
        let text = std::fs::read_to_string(path).map_err(|error| fail(&error))?;
        let mut project: Project =
            toml::from_str(&text).map_err(|error| fail(&error.to_string().trim_end()))?;
        project.folder = path.parent().unwrap_or(Path::new("")).to_owned();
        if let Some(name) = &project.check.target {
            target(name).map_err(|why| fail(&format_args!("check.target = \"{name}\": {why}")))?;
        }
        Ok(project)
    }
}
