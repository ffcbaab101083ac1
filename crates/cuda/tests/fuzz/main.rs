//! Random sequences of driver calls with right and wrong arguments: every call is answered with a known `CUresult`,
//! nothing crashes or hangs, and when all contexts are gone no device memory is left.
//!
//! Each sequence runs in a process of its own, so that a crash is seen as one. `cargo xtask fuzz driver COUNT SEED`
//! runs more of them.

mod arguments;
mod calls;
mod images;
mod sequence;
mod structures;

use std::path::PathBuf;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

/// Which sequence a child is to run: seed and number of calls.
const CHILD: &str = "PTXVM_FUZZ_CHILD";
/// A child may take so long.
const PATIENCE: Duration = Duration::from_secs(120);

fn setting(name: &str, default: u64) -> u64 {
    std::env::var(name).ok().and_then(|text| text.parse().ok()).unwrap_or(default)
}

#[test]
fn every_call_is_answered() {
    if let Ok(child) = std::env::var(CHILD) {
        let mut numbers = child.split(',').filter_map(|n| n.parse::<u64>().ok());
        let (seed, calls) = (numbers.next().unwrap_or(0), numbers.next().unwrap_or(0));
        return sequence::run(&library(), seed, calls);
    }
    let (first, sequences) = (setting("PTXVM_FUZZ_SEED", 1), setting("PTXVM_FUZZ_SEQUENCES", 120));
    let calls = setting("PTXVM_FUZZ_CALLS", 1500);
    let mut wrong = Vec::new();
    for seed in first..first + sequences {
        if let Err(how) = child(seed, calls, false) {
            let log = child(seed, calls, true).err().unwrap_or_else(|| "it did not happen again".to_owned());
            wrong.push(format!("sequence {seed} of {calls} calls: {how}\n{log}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n\n"));
}

/// The library that was built with this test.
fn library() -> PathBuf {
    let executable = std::env::current_exe().expect("a test has a path");
    let folder = executable.parent().expect("it lies in a folder");
    [folder.join("libcuda.so"), folder.join("../libcuda.so")]
        .into_iter()
        .find(|path| path.exists())
        .expect("cargo builds libcuda.so for its tests")
}

/// Runs one sequence in a process of its own.
fn child(seed: u64, calls: u64, logged: bool) -> Result<(), String> {
    let file = std::env::temp_dir().join(format!("ptxvm-fuzz-{}-{seed}", std::process::id()));
    let log = std::fs::File::create(&file).map_err(|e| e.to_string())?;
    let mut child = Command::new(std::env::current_exe().map_err(|e| e.to_string())?)
        .args(["--exact", "every_call_is_answered", "--nocapture"])
        .env(CHILD, format!("{seed},{calls}"))
        .env(sequence::LOGGED, if logged { "1" } else { "" })
        .stdout(Stdio::null())
        .stderr(log)
        .spawn()
        .map_err(|e| e.to_string())?;
    let began = Instant::now();
    let outcome = loop {
        if let Some(status) = child.try_wait().map_err(|e| e.to_string())? {
            break if status.success() { Ok(()) } else { Err(status.to_string()) };
        }
        if began.elapsed() > PATIENCE {
            child.kill().map_err(|e| e.to_string())?;
            break Err("it hung".to_owned());
        }
        std::thread::sleep(Duration::from_millis(5));
    };
    let text = std::fs::read(&file).unwrap_or_default();
    let _ = std::fs::remove_file(&file);
    outcome.map_err(|how| {
        let text = String::from_utf8_lossy(&text);
        let last: Vec<&str> = text.lines().rev().take(40).collect();
        format!("{how}\n{}", last.into_iter().rev().collect::<Vec<_>>().join("\n"))
    })
}
