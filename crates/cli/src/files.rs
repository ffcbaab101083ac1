//! Which files a command means that takes many: those named, and those that folders and patterns lead to.
//!
//! In folders and by patterns PTX files are found as `git` sees them: hidden files, and those that `.gitignore` names, are left out.
//! A file that is named by itself is always meant.

use std::path::{Path, PathBuf};

use ignore::WalkBuilder;
use ignore::overrides::OverrideBuilder;

use crate::project::{NAME, Project};

/// The files of a command line, in a fixed order, or those that the project's file names.
///
/// # Errors
/// A sentence if nothing is named, or if a folder or a pattern leads to no file.
pub fn named(paths: &[String], project: &Project) -> Result<Vec<String>, String> {
    if !paths.is_empty() {
        return all(paths, Path::new(""), project);
    }
    if project.files.is_empty() {
        return Err(format!(
            "name files, folders or patterns ('kernels/**/*.ptx', `-` for standard input), or write `files = […]` into a {NAME}"
        ));
    }
    all(&project.files, &project.folder, project)
}

fn all(paths: &[String], from: &Path, project: &Project) -> Result<Vec<String>, String> {
    let mut files = Vec::new();
    for path in paths {
        let place = from.join(path);
        if place.is_dir() {
            files.extend(inside(&place, EVERY_FILE, project)?);
        } else if path != "-" && !place.exists() && is_pattern(path) {
            let (folder, pattern) = parts(path);
            files.extend(inside(&from.join(folder), &format!("/{pattern}"), project)?);
        } else {
            files.push(shown(&place));
        }
    }
    // A file may be named twice, by itself and by its folder.
    let mut seen = std::collections::HashSet::new();
    files.retain(|file| seen.insert(file.clone()));
    Ok(files)
}

fn is_pattern(path: &str) -> bool {
    path.contains(['*', '?', '[', '{'])
}

/// The folder that a pattern begins with, which may lie above the current one, and the rest.
fn parts(path: &str) -> (PathBuf, String) {
    let first = path.find(['*', '?', '[', '{']).unwrap_or(path.len());
    match path[..first].rfind('/') {
        Some(0) => ("/".into(), path[1..].to_owned()),
        Some(at) => (path[..at].into(), path[at + 1..].to_owned()),
        None => (PathBuf::new(), path.to_owned()),
    }
}

/// What is meant in a folder that is named by itself.
const EVERY_FILE: &str = "*.ptx";

/// The files below a folder that a pattern fits: everywhere, or with a slash in front from the folder on, as a shell means it.
fn inside(folder: &Path, pattern: &str, project: &Project) -> Result<Vec<String>, String> {
    let root = if folder.as_os_str().is_empty() { Path::new(".") } else { folder };
    let what = match pattern.strip_prefix('/') {
        Some(pattern) => folder.join(pattern),
        None => root.to_owned(),
    };
    let wrong = |error: ignore::Error| format!("{}: {error}", what.display());
    let mut wanted = OverrideBuilder::new(root);
    wanted.add(pattern).map_err(wrong)?;
    let mut left_out = OverrideBuilder::new(&project.folder);
    for pattern in &project.exclude {
        left_out.add(pattern).map_err(|error| format!("{NAME}: exclude: {error}"))?;
    }
    let left_out = left_out.build().map_err(|error| format!("{NAME}: exclude: {error}"))?;
    let mut walk = WalkBuilder::new(root);
    walk.overrides(wanted.build().map_err(wrong)?);
    walk.sort_by_file_path(Path::cmp).require_git(false);
    walk.filter_entry(move |entry| {
        let path = std::path::absolute(entry.path()).unwrap_or_else(|_| entry.path().to_owned());
        let is_folder = entry.file_type().is_some_and(|kind| kind.is_dir());
        !left_out.matched(&path, is_folder).is_whitelist()
    });
    let mut files = Vec::new();
    for entry in walk.build() {
        let entry = entry.map_err(|error| error.to_string())?;
        if entry.file_type().is_some_and(|kind| kind.is_file()) {
            let path = entry.path();
            files.push(shown(path.strip_prefix("./").unwrap_or(path)));
        }
    }
    if files.is_empty() {
        return Err(format!("{}: there is no PTX file", what.display()));
    }
    Ok(files)
}

/// A path as people would write it from here.
fn shown(path: &Path) -> String {
    let here = std::env::current_dir().unwrap_or_default();
    path.strip_prefix(&here).unwrap_or(path).to_string_lossy().into_owned()
}
