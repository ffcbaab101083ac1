//! `cargo xtask python`: builds the wheel, installs it into a fresh virtual environment as a user does, and runs the tests of
//! `tests/python` on it.

use std::path::{Path, PathBuf};
use std::process::Command;

use crate::dist::{Built, Staged, succeed, wheel};

/// Builds, installs and tests; `arguments` are pytest's.
pub fn run(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let folder = root.join("target/python");
    let built = Built { root: root.to_owned(), profile: "ci".into(), commit: None };
    let staged = Staged::new(&built)?;
    let wheels = folder.join("wheels");
    let _ = std::fs::remove_dir_all(&wheels);
    wheel(&built, &staged, &wheels)?;
    let wheel = only_file(&wheels)?;
    let python = environment(root, &folder, &wheel)?;
    let mut pytest = Command::new(&python);
    pytest.args(["-m", "pytest", "-q", "-p", "no:cacheprovider"]).args(match arguments {
        [] => &["tests/python"][..],
        named => named,
    });
    pytest.env("PTXVM_WHEEL", &wheel).env("HOME", home(&folder)?).env("PTXVM_CACHE", "off").current_dir(root);
    succeed(&mut pytest)
}

/// The Python of an environment with the wheel and what the tests need.
fn environment(root: &Path, folder: &Path, wheel: &Path) -> Result<PathBuf, String> {
    let python = folder.join("venv/bin/python");
    let requirements = root.join("tests/python/requirements.txt");
    let wanted = std::fs::read_to_string(&requirements)
        .map_err(|error| format!("{}: {error}", requirements.display()))?;
    // The stamp is written last, so that an interrupted installation is not taken for a whole one.
    let stamp = folder.join("venv/installed.txt");
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check"];
    if std::fs::read_to_string(&stamp).is_ok_and(|installed| installed != wanted) || !stamp.exists() {
        let _ = std::fs::remove_dir_all(folder.join("venv"));
        succeed(Command::new("python3").args(["-m", "venv"]).arg(folder.join("venv")))?;
        succeed(Command::new(&python).args(pip).arg("-r").arg(&requirements))?;
        std::fs::write(&stamp, wanted).map_err(|error| format!("{}: {error}", stamp.display()))?;
    }
    succeed(Command::new(&python).args(pip).args(["--force-reinstall", "--no-deps"]).arg(wheel))?;
    Ok(python)
}

/// An empty home.
fn home(folder: &Path) -> Result<PathBuf, String> {
    let home = folder.join("home");
    let _ = std::fs::remove_dir_all(&home);
    std::fs::create_dir_all(&home).map_err(|error| format!("{}: {error}", home.display()))?;
    Ok(home)
}

/// The one file of a folder.
fn only_file(folder: &Path) -> Result<PathBuf, String> {
    let files = std::fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    let files: Vec<PathBuf> = files.flatten().map(|file| file.path()).collect();
    match &files[..] {
        [file] => Ok(file.clone()),
        _ => Err(format!("{} should have one wheel, and has {}", folder.display(), files.len())),
    }
}
