//! What README.md and the documents show of commands is what these print: every block that begins with `$ ptxvm` is run at
//! the project's root, and its output compared.
//!
//! A line `…` stands for any number of lines, and `…` at the end of a line for its rest. Programs of Python are run where
//! their packages are, by `cargo xtask clients` and `cargo xtask python`, and those of CUDA C++ where nvcc is. Every other block
//! is in a list (`account.rs`).

mod account;
mod blocks;

use std::path::{Path, PathBuf};
use std::process::Command;

/// How a command begins in a document.
const PROMPT: &str = "$ ptxvm ";

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A command of a document, and what it prints there.
struct Example {
    place: String,
    command: String,
    output: Vec<String>,
}

/// All Markdown files below a folder, in order.
fn documents(folder: &Path, all: &mut Vec<PathBuf>) {
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(folder).expect("the folder is there").flatten().map(|entry| entry.path()).collect();
    entries.sort();
    for path in entries {
        match path.extension() {
            Some(ending) if ending == "md" => all.push(path),
            _ if path.is_dir() => documents(&path, all),
            _ => {}
        }
    }
}

/// The commands in a document: an indented block, as far as its text goes on. Blank lines belong to a block if more of it
/// follows.
fn examples(path: &Path) -> Vec<Example> {
    let text = std::fs::read_to_string(path).expect("text");
    let mut all: Vec<Example> = Vec::new();
    let (mut open, mut blank) = (false, 0);
    for (number, line) in text.lines().enumerate() {
        let Some(line) = line.strip_prefix("    ") else {
            if line.is_empty() && open {
                blank += 1;
            } else {
                open = false;
            }
            continue;
        };
        if let Some(command) = line.strip_prefix(PROMPT) {
            let place = format!("{}:{}", path.strip_prefix(root()).unwrap_or(path).display(), number + 1);
            all.push(Example { place, command: command.to_owned(), output: Vec::new() });
            open = true;
        } else if line.starts_with("$ ") {
            open = false;
        } else if open && let Some(example) = all.last_mut() {
            example.output.extend(std::iter::repeat_n(String::new(), blank));
            example.output.push(line.trim_end().to_owned());
        }
        blank = 0;
    }
    all
}

/// Whether what was printed is what the document says.
fn fits(said: &[String], printed: &[&str]) -> bool {
    let Some((first, rest)) = said.split_first() else { return printed.is_empty() };
    if first == "…" {
        return (0..=printed.len()).any(|skipped| fits(rest, &printed[skipped..]));
    }
    let Some((line, others)) = printed.split_first() else { return false };
    let same = match first.strip_suffix('…') {
        Some(beginning) if *line != first => line.starts_with(beginning),
        _ => line.trim_end() == first,
    };
    same && fits(rest, others)
}

/// Whether a command of a document is run here.
fn is_run(place: &str, command: &str) -> bool {
    // Pages of diagnostics show commands for files of the reader's.
    !place.starts_with("docs/diagnostics")
        && !place.starts_with("docs/clients/cuda-cpp.md")
        && !["python ", "pytest "].iter().any(|program| command.contains(program))
}

#[test]
fn documents_show_what_commands_print() {
    let mut files = vec![root().join("README.md")];
    documents(&root().join("docs"), &mut files);
    let (mut run, mut wrong) = (0, Vec::new());
    for example in files.iter().flat_map(|file| examples(file)) {
        if !is_run(&example.place, &example.command) {
            continue;
        }
        run += 1;
        let output = Command::new("bash")
            .args(["-c", &format!("ptxvm {} 2>&1", example.command)])
            .env("PATH", search_path())
            .current_dir(root())
            .output()
            .expect("bash starts");
        let printed = String::from_utf8_lossy(&output.stdout).into_owned();
        // Blank lines at the end belong to the document.
        let printed: Vec<&str> = printed.trim_end().lines().collect();
        let said: Vec<String> = example.output;
        if !fits(&said, &printed) {
            wrong.push(format!("{}: ptxvm {}\n{}", example.place, example.command, printed.join("\n")));
        }
    }
    assert!(run >= 12, "there are {run} examples");
    assert!(wrong.is_empty(), "{} documents show something else:\n{}", wrong.len(), wrong.join("\n\n"));
}

/// Where bash finds the command.
fn search_path() -> std::ffi::OsString {
    let folder = Path::new(env!("CARGO_BIN_EXE_ptxvm")).parent().expect("a folder").to_owned();
    let others = std::env::var_os("PATH").unwrap_or_default();
    let all = std::iter::once(folder).chain(std::env::split_paths(&others));
    std::env::join_paths(all).expect("no colons")
}
