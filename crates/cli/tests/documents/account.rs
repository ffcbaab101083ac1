//! Every block of the documents is run by somebody, or has the reason why it is not: `tests/documents/blocks.txt` says which.
//! Commands for a reader's own files are run here, in a folder that has such files.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::blocks::{self, Block};
use crate::{documents, root, search_path};

const LIST: &str = "tests/documents/blocks.txt";

/// Who runs a block.
enum Who {
    Here,
    File(PathBuf),
    Nobody,
}

/// A line of the list.
struct Entry {
    file: String,
    first: String,
    who: Who,
}

fn list() -> Vec<Entry> {
    let text = fs::read_to_string(root().join(LIST)).expect("the list is there");
    let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
    let entry = |line: &str| {
        let line = line.replace("\\|", "\u{1}");
        let parts: Vec<String> = line.split(" | ").map(|part| part.replace('\u{1}', "|")).collect();
        let [file, first, who] = &parts[..] else { panic!("{LIST}: FILE | first line | who: {line}") };
        let who = match who.strip_prefix("not: ") {
            Some(why) if !why.trim().is_empty() => Who::Nobody,
            Some(_) => panic!("{LIST}: the reason is missing: {line}"),
            None if who == "here" => Who::Here,
            None => Who::File(root().join(who)),
        };
        Entry { file: file.clone(), first: first.clone(), who }
    };
    lines.map(entry).collect()
}

/// The documents, by their paths in the project.
fn pages() -> Vec<(String, Vec<Block>)> {
    let mut files = vec![root().join("README.md"), root().join("python/README.md")];
    documents(&root().join("docs"), &mut files);
    let name = |path: &Path| path.strip_prefix(root()).expect("in the project").display().to_string();
    let named = files.iter().map(|path| (name(path), path));
    let listed =
        named.filter(|(name, _)| !name.starts_with("docs/diagnostics") && !name.starts_with("docs/findings"));
    listed.map(|(name, path)| (name, blocks::of(&fs::read_to_string(path).expect("text")))).collect()
}

/// Whether the other test runs all commands of a block and compares what they print.
fn is_compared(page: &str, block: &Block) -> bool {
    let commands = || block.text.iter().filter(|line| line.starts_with("$ "));
    block.first().starts_with("$ ptxvm ") && commands().all(|line| crate::is_run(page, line))
}

#[test]
fn every_block_is_run_or_has_its_reason() {
    let list = list();
    let mut used = BTreeSet::new();
    let mut wrong = Vec::new();
    for (page, blocks) in pages() {
        for block in blocks {
            let found = list.iter().position(|entry| entry.file == page && entry.first == block.first());
            match found {
                Some(at) => _ = used.insert(at),
                None if is_compared(&page, &block) => {}
                None => wrong.push(format!("{page}:{}: `{}` is not in {LIST}", block.line, block.first())),
            }
        }
    }
    for (at, Entry { file, first, who }) in list.iter().enumerate() {
        if !used.contains(&at) {
            wrong.push(format!("{LIST}: {file} has no block that begins with `{first}`"));
        }
        if let Who::File(path) = who {
            let text = fs::read_to_string(path).unwrap_or_default();
            let page = Path::new(file).file_name().expect("a name").to_string_lossy().to_lowercase();
            let stem = page.trim_end_matches(".md");
            if !text.to_lowercase().contains(stem) {
                wrong.push(format!(
                    "{LIST}: {} should run `{first}`, and does not name {page}",
                    path.display()
                ));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// A folder with the files that commands of the documents name.
fn readers_folder() -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("documents");
    let _ = fs::remove_dir_all(&folder);
    for part in ["kernels", "generated/deep", "tests"] {
        fs::create_dir_all(folder.join(part)).expect("a folder");
    }
    let kernel = root().join("tests/documents/kernel.ptx");
    for name in
        ["kernel.ptx", "FILE.ptx", "kernels/double.ptx", "generated/deep/double.ptx", "tests/double.ptx"]
    {
        fs::copy(&kernel, folder.join(name)).expect("a file");
    }
    std::os::unix::fs::symlink(root().join("examples"), folder.join("examples")).expect("a link");
    assert_eq!(status(&folder, "ptxvm run kernel.ptx --save x=x.npy --save y=reference.npy"), Some(0));
    folder
}

/// Runs a line by bash, and gives how it ended.
#[allow(clippy::print_stderr, reason = "a test that fails shows what the line said")]
fn status(folder: &Path, line: &str) -> Option<i32> {
    let mut bash = Command::new("bash");
    bash.args(["-ec", line]).env("PATH", search_path()).current_dir(folder);
    let output = bash.output().expect("bash starts");
    if !output.status.success() {
        eprintln!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    }
    output.status.code()
}

#[test]
fn commands_for_a_readers_files_run() {
    let list = list();
    let folder = readers_folder();
    let here = |page: &str, block: &Block| {
        let of_block = |entry: &&Entry| entry.file == page && entry.first == block.first();
        list.iter().any(|entry| of_block(&entry) && matches!(entry.who, Who::Here))
    };
    let (mut run, mut wrong) = (0, Vec::new());
    let pages = pages();
    let blocks = pages.iter().flat_map(|(page, blocks)| blocks.iter().map(move |block| (page, block)));
    // Files come first: commands of the same page name them.
    let mine: Vec<_> = blocks.filter(|(page, block)| here(page, block)).collect();
    for (page, block) in &mine {
        let text = block.text.join("\n") + "\n";
        let (name, command) = match block.first() {
            first if first.starts_with("# Races") => ("known.txt", "true"),
            first if first.starts_with("files = ") => ("ptxvm.toml", "ptxvm check && rm ptxvm.toml"),
            first if first.starts_with("PTX ") => ("test.litmus", "ptxvm litmus test.litmus"),
            first if first.starts_with("// litmus:") => ("test.ptx", "ptxvm litmus test.ptx"),
            _ => continue,
        };
        fs::write(folder.join(name), text).expect("a file");
        run += 1;
        if status(&folder, command) != Some(0) {
            wrong.push(format!("{page}:{}: {command}", block.line));
        }
    }
    for (page, block) in &mine {
        for line in &block.text {
            let line = line.replace("$ cargo run --release -q -- ", "ptxvm ");
            // Those are run where Python's packages are, and where nvcc is.
            let is_elsewhere = ["python", "./vector_add"].iter().any(|word| line.contains(word));
            if is_elsewhere || !(line.starts_with("ptxvm ") || line.starts_with("for ")) {
                continue;
            }
            run += 1;
            if status(&folder, &line) != Some(0) {
                wrong.push(format!("{page}:{}: {line}", block.line));
            }
        }
    }
    assert!(run >= 15, "{run} commands");
    assert!(wrong.is_empty(), "these commands do not do what their pages say:\n{}", wrong.join("\n"));
}
