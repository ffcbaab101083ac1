//! Checks licences: every crate we build with must have a licence we accept, and no crate may occur in two versions.

use std::collections::BTreeMap;
use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// Licences that may be combined with MIT OR Apache-2.0 in source and binary form.
const ACCEPTED: &[&str] = &[
    "MIT",
    "Apache-2.0",
    "Apache-2.0 WITH LLVM-exception",
    "BSD-2-Clause",
    "BSD-3-Clause",
    "ISC",
    "Unicode-3.0",
    "Unlicense",
    "Zlib",
];

/// Asks cargo for the crates of the workspace and checks each.
pub fn check(root: &Path) -> Result<(), String> {
    let output = Command::new(env!("CARGO"))
        .args(["metadata", "--format-version", "1", "--locked"])
        .current_dir(root)
        .output()
        .map_err(|e| format!("cargo metadata: {e}"))?;
    if !output.status.success() {
        return Err(String::from_utf8_lossy(&output.stderr).into_owned());
    }
    let metadata: Value = serde_json::from_slice(&output.stdout).map_err(|e| e.to_string())?;
    let mut wrong = Vec::new();
    let mut versions: BTreeMap<&str, Vec<&str>> = BTreeMap::new();
    let packages = metadata["packages"].as_array().map_or(&[][..], Vec::as_slice);
    for package in packages {
        let name = package["name"].as_str().unwrap_or("?");
        let licence = package["license"].as_str().unwrap_or("");
        versions.entry(name).or_default().push(package["version"].as_str().unwrap_or("?"));
        if !accepted(licence) {
            wrong.push(format!("{name}: licence '{licence}' is not among those we accept"));
        }
    }
    for (name, versions) in versions.iter().filter(|(_, v)| v.len() > 1) {
        wrong.push(format!("{name} comes in {} versions: {}", versions.len(), versions.join(", ")));
    }
    if wrong.is_empty() {
        println!("licences: {} crates, all accepted", packages.len());
        return Ok(());
    }
    Err(wrong.join("\n"))
}

/// Whether an SPDX expression leaves us a choice we accept: one side of each `OR`, all sides of each `AND`.
fn accepted(expression: &str) -> bool {
    let expression = expression.replace('/', " OR ");
    let flat = expression.replace(['(', ')'], "");
    flat.split(" AND ").all(|all| all.split(" OR ").any(|one| ACCEPTED.contains(&one.trim())))
}
