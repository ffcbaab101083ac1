//! Layers point one way: a crate depends on those alone that stand above it in ARCHITECTURE.md's map, and only the
//! crates that may do so ask the host for files or for its environment.

use std::path::{Path, PathBuf};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// Crates that may read files or the environment, and why.
const ASKS_THE_HOST: [(&str, &str); 10] = [
    ("cli", "it is the command"),
    ("cuda", "programs load it, and exec tells it by the environment"),
    ("host", "it says what the host can give"),
    (
        "jit",
        "it looks for a libLLVM in folders, and where PTXVM_LLVM says, and keeps code in a folder that it is given",
    ),
    ("memory", "pages that another process maps are a file without a name"),
    ("module", "its unit tests read the modules of tests/"),
    ("nvjitlink", "it looks for NVIDIA's library"),
    ("ocelot", "programs load it"),
    ("python", "it reads the file of suppressions that an option names"),
    ("settings", "it reads the switches of the environment"),
];

/// The crates in the order of the map.
fn map() -> Vec<String> {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).expect("the map");
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `crates/"));
    rows.filter_map(|row| Some(row.split_once('`')?.0.to_owned())).collect()
}

/// The crates of ours that a crate depends on, tests apart.
fn dependencies(name: &str) -> Vec<String> {
    let path = root().join("crates").join(name).join("Cargo.toml");
    let text = std::fs::read_to_string(path).expect("a crate's manifest");
    let lines = text.lines().skip_while(|line| *line != "[dependencies]").skip(1);
    let own = lines.take_while(|line| !line.starts_with('[')).filter_map(|line| line.strip_prefix("ptxvm-"));
    own.filter_map(|line| Some(line.split_once(['.', ' ', '='])?.0.to_owned())).collect()
}

/// The Rust files of a folder.
fn sources(folder: &Path, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            sources(&path, found);
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            found.push(path);
        }
    }
}

#[test]
fn crates_depend_on_those_above_them_in_the_map() {
    let map = map();
    let mut folders: Vec<String> = std::fs::read_dir(root().join("crates"))
        .expect("the crates")
        .flatten()
        .filter(|entry| entry.path().is_dir())
        .map(|entry| entry.file_name().to_string_lossy().into_owned())
        .collect();
    folders.sort_unstable();
    let mut named = map.clone();
    named.sort_unstable();
    assert_eq!(named, folders, "ARCHITECTURE.md's map has a row for each crate");
    let place = |name: &str| map.iter().position(|known| known == name);
    for (number, name) in map.iter().enumerate() {
        for used in dependencies(name) {
            assert!(
                place(&used).is_some_and(|at| at < number),
                "{name} depends on {used}, which stands below it"
            );
        }
    }
}

#[test]
fn few_crates_ask_the_host() {
    let words = ["std::env::", "std::fs::", "env::var", "fs::read", "fs::write", "File::open"];
    for name in map().iter().filter(|name| ASKS_THE_HOST.iter().all(|(known, _)| known != name)) {
        let mut files = Vec::new();
        sources(&root().join("crates").join(name).join("src"), &mut files);
        assert!(!files.is_empty(), "{name} has sources");
        for file in files {
            let text = std::fs::read_to_string(&file).expect("a source");
            let asks = words.iter().find(|word| text.contains(*word));
            assert_eq!(asks, None, "{} asks the host", file.display());
        }
    }
}
