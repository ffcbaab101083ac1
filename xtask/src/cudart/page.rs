//! Runs the commands of `docs/clients/cuda-cpp.md` as a reader would: the page's program and its CMakeLists.txt are written
//! into a folder, and each block of commands is run there.

use std::path::Path;
use std::process::Command;

/// What the page's program prints.
const PRINTS: &str = "cudaSuccess: 2 4 6 8";

/// Runs the page's commands; gives those that fail.
pub fn run(root: &Path, cuda: &Path, built: &Path) -> Result<Vec<String>, String> {
    let place = root.join("docs/clients/cuda-cpp.md");
    let page = std::fs::read_to_string(&place).map_err(|e| format!("{}: {e}", place.display()))?;
    let folder = built.join("page");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    for (name, text) in files(&page) {
        std::fs::write(folder.join(name), text).map_err(|e| format!("{name}: {e}"))?;
    }
    let mut failed = Vec::new();
    for block in
        blocks(&page).into_iter().filter(|block| block.contains("./program") || block.contains("cmake"))
    {
        let first = block.lines().next().unwrap_or_default().to_owned();
        match commands(root, cuda, &folder, &block) {
            Ok(true) => println!("the page's `{first}`: ok"),
            Ok(false) => println!("the page's `{first}`: not run, since this machine has no such program"),
            Err(why) => {
                println!("the page's `{first}`: {why}");
                failed.push(first);
            }
        }
    }
    Ok(failed)
}

/// The files that the page shows, which say their names in their first lines.
fn files(page: &str) -> Vec<(&str, &str)> {
    let fenced = page.split("```").skip(1).step_by(2);
    fenced
        .filter_map(|block| {
            let text = block.split_once('\n')?.1;
            let name = text.lines().next()?.trim_start_matches(['/', '#', ' ']);
            Some((name, text))
        })
        .collect()
}

/// The blocks of commands. What a `$` stands before shows what happens, with its output.
fn blocks(page: &str) -> Vec<String> {
    let mut blocks = vec![String::new()];
    let mut fenced = false;
    for line in page.lines() {
        fenced ^= line.starts_with("```");
        match (line.strip_prefix("    ").filter(|_| !fenced), blocks.last_mut()) {
            (Some(command), Some(block)) => block.push_str(&format!("{command}\n")),
            _ => blocks.push(String::new()),
        }
    }
    blocks.retain(|block| !block.is_empty() && !block.starts_with('$'));
    blocks
}

/// Runs a block; whether there is a program for it on this machine.
fn commands(root: &Path, cuda: &Path, folder: &Path, block: &str) -> Result<bool, String> {
    // What a reader builds is there already, in the folder of the profile that the tests use.
    let target = root.join("target/ci");
    let script: String = block
        .replace("target/release", &target.to_string_lossy())
        .lines()
        .filter(|line| !line.starts_with("cargo "))
        .map(|line| format!("{line}\n"))
        .collect();
    let path = std::env::var("PATH").unwrap_or_default();
    let path = format!("{}:{}:{path}", cuda.join("bin").display(), target.display());
    let shell = |script: &str| {
        let mut shell = Command::new("sh");
        shell.args(["-euc", script]).current_dir(folder).env("PATH", &path).env("CUDA", cuda);
        shell.output().map_err(|e| format!("sh: {e}"))
    };
    let tool = script.split_whitespace().next().unwrap_or_default();
    // Only clangs that know CUDA 13 can read its headers.
    let there = match tool {
        "clang++" => shell("test \"$(clang++ -dumpversion | cut -d. -f1)\" -ge 22")?.status.success(),
        tool => shell(&format!("command -v {tool}"))?.status.success(),
    };
    if !there {
        return Ok(false);
    }
    let _ = std::fs::remove_file(folder.join("program"));
    let ran = shell(&script)?;
    let printed = String::from_utf8_lossy(&ran.stdout);
    match ran.status.success() && printed.lines().any(|line| line == PRINTS) {
        true => Ok(true),
        false => Err(format!("{}\n{printed}{}", ran.status, String::from_utf8_lossy(&ran.stderr))),
    }
}
