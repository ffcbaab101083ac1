//! Writes the files that are made from others and committed, and finds those that are stale.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use ptxvm_isa::Isa;

use crate::{docs, driver, emit, notation, nvml, runtime};

/// The table as its files stand now.
pub fn table(root: &Path) -> Result<&'static Isa, String> {
    let mut loader = notation::Loader::default();
    loader.folder(&root.join("isa"));
    if loader.errors.is_empty() { Ok(loader.finish()) } else { Err(loader.errors.join("\n")) }
}

/// Every generated file and the text it should have.
fn wanted(root: &Path) -> Result<BTreeMap<PathBuf, String>, String> {
    let isa = table(root)?;
    let rust = root.join("crates/isa/src/generated");
    let mut files: BTreeMap<PathBuf, String> =
        emit::files(isa).into_iter().map(|(name, text)| (rust.join(name), text)).collect();
    files.insert(root.join("docs/coverage.md"), docs::coverage(isa, &root.join("tests/golden"))?);
    files.insert(root.join("docs/codes.md"), docs::index(&root.join("docs"))?);
    files.insert(root.join("docs/driver.md"), driver::page(root)?);
    files.insert(root.join("docs/runtime.md"), runtime::page(root)?);
    files.insert(root.join("docs/nvml.md"), nvml::page(root)?);
    files.insert(root.join("crates/report/src/pages.rs"), docs::pages(&root.join("docs"))?);
    Ok(files)
}

/// Generated files that nothing makes any more.
fn orphans(root: &Path, files: &BTreeMap<PathBuf, String>) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(root.join("crates/isa/src/generated"));
    entries.into_iter().flatten().flatten().map(|e| e.path()).filter(|p| !files.contains_key(p)).collect()
}

/// Writes every file that is not as it should be.
pub fn write(root: &Path) -> Result<(), String> {
    let files = wanted(root)?;
    for (path, text) in &files {
        if std::fs::read_to_string(path).ok().as_ref() != Some(text) {
            std::fs::write(path, text).map_err(|e| format!("{}: {e}", path.display()))?;
            println!("wrote {}", path.display());
        }
    }
    for path in orphans(root, &files) {
        std::fs::remove_file(&path).map_err(|e| format!("{}: {e}", path.display()))?;
    }
    Ok(())
}

/// Fails, naming them, when files are stale.
pub fn check(root: &Path) -> Result<(), String> {
    let files = wanted(root)?;
    let mut stale: Vec<String> = orphans(root, &files).iter().map(|p| p.display().to_string()).collect();
    for (path, text) in &files {
        if std::fs::read_to_string(path).ok().as_ref() != Some(text) {
            stale.push(path.display().to_string());
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    Err(format!("stale, run `cargo xtask isa`:\n{}", stale.join("\n")))
}

#[cfg(test)]
mod tests {
    #[test]
    fn nothing_generated_is_stale() {
        let root = crate::root();
        assert_eq!(super::check(&root), Ok(()));
    }
}
