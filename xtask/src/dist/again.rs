//! Whether the same commit gives the same bytes: it is built again, in a clone in another folder, and compared.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use super::process::succeed;

/// Builds the commit that is checked out once more in `folder`, and compares with what has been built here.
pub fn compare(root: &Path, folder: &Path, profile: &str) -> Result<(), String> {
    let _ = std::fs::remove_dir_all(folder);
    succeed(Command::new("git").args(["clone", "--quiet"]).arg(root).arg(folder))?;
    let mut again = Command::new(env!("CARGO"));
    again.args(["xtask", "dist", "--profile", profile]).current_dir(folder).env_remove("CARGO_TARGET_DIR");
    succeed(&mut again)?;
    let (first, second) = (files(&root.join("target/dist/out"))?, files(&folder.join("target/dist/out"))?);
    let names: Vec<&String> = first.keys().chain(second.keys()).collect();
    let different: Vec<&str> =
        names.into_iter().filter(|name| first.get(*name) != second.get(*name)).map(String::as_str).collect();
    match different[..] {
        [] => {
            println!("{} files have the same bytes", first.len());
            Ok(())
        }
        _ => Err(format!("these files are different: {}", different.join(", "))),
    }
}

/// The files of a folder, by name.
fn files(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>, String> {
    let failed = |error: std::io::Error| format!("{}: {error}", folder.display());
    let mut all = BTreeMap::new();
    for entry in std::fs::read_dir(folder).map_err(failed)? {
        let entry = entry.map_err(failed)?;
        let name = entry.file_name().to_string_lossy().into_owned();
        all.insert(name, std::fs::read(entry.path()).map_err(failed)?);
    }
    Ok(all)
}
