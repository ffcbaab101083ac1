//! Reads the files that a command names; `-` is standard input.
//!
//! A file may be larger than this machine's memory, and a pipe may never end, so every byte is charged to the budget
//! before it is kept.

use std::fs::File;
use std::io::Read;
use std::sync::Arc;

use ptxvm_host::show;
use ptxvm_vm::{Budget, Charge};

use crate::memory::too_much;

/// What a byte of PTX takes while it is read, checked and told of: the tokens, the tree and the diagnostics of the
/// worst files (measured: braces within braces take 54).
pub const CHECKED: u64 = 64;
/// The same for PTX that a device loads, which charges for that itself: the text, and its launch line in words.
pub const LOADED: u64 = 8;

/// A file's name for messages, and its bytes.
pub struct Input {
    /// The path as given, `<stdin>` for `-`.
    pub name: String,
    /// What it holds.
    pub bytes: Vec<u8>,
    /// The memory that working with it takes.
    _charge: Charge,
}

/// Reads a text, or standard input for `-`, each byte of which takes `weight` bytes of memory; the error is a sentence
/// for people.
pub fn read(path: &str, budget: &Arc<Budget>, weight: u64) -> Result<Input, String> {
    if path == "-" {
        let name = "standard input";
        let (bytes, charge) = drain(std::io::stdin().lock(), name, None, budget, weight)?;
        return Ok(Input { name: "<stdin>".into(), bytes, _charge: charge });
    }
    let (bytes, charge) = read_file(path, budget, weight)?;
    Ok(Input { name: path.into(), bytes, _charge: charge })
}

/// Reads a file, each byte of which takes `weight` bytes of memory.
pub fn read_file(path: &str, budget: &Arc<Budget>, weight: u64) -> Result<(Vec<u8>, Charge), String> {
    let fail = |e: std::io::Error| format!("cannot read {path}: {e}");
    let file = File::open(path).map_err(fail)?;
    let about = file.metadata().map_err(fail)?;
    if about.is_dir() {
        return Err(format!("cannot read {path}: it is a folder"));
    }
    let size = about.is_file().then_some(about.len());
    drain(file, path, size, budget, weight)
}

/// The most that is read of what is no regular file: a pipe may go on for ever, and /dev/zero does.
const MOST_OF_A_PIPE: u64 = 256 << 20;

/// Reads to the end, as far as the budget goes; a regular file has a `size`, which may change while it is read.
fn drain(
    mut from: impl Read,
    name: &str,
    size: Option<u64>,
    budget: &Arc<Budget>,
    weight: u64,
) -> Result<(Vec<u8>, Charge), String> {
    let expected = size.unwrap_or(0);
    const STEP: u64 = 1 << 16;
    let over = |over| too_much(&format!("reading {name}"), over);
    let mut charge = budget.charge(expected.saturating_mul(weight)).map_err(over)?;
    let mut bytes = Vec::new();
    let none = || format!("reading {name}: this machine has no memory left");
    bytes.try_reserve(usize::try_from(expected).unwrap_or(usize::MAX)).map_err(|_| none())?;
    loop {
        let before = bytes.len();
        bytes.try_reserve(STEP as usize).map_err(|_| none())?;
        let read = from.by_ref().take(STEP).read_to_end(&mut bytes);
        read.map_err(|e| format!("cannot read {name}: {e}"))?;
        if bytes.len() == before {
            return Ok((bytes, charge));
        }
        if size.is_none() && bytes.len() as u64 > MOST_OF_A_PIPE {
            return Err(format!("{name} is not a file, and does not end within {}", show(MOST_OF_A_PIPE)));
        }
        let needed = (bytes.len() as u64).saturating_mul(weight);
        charge.grow(needed.saturating_sub(charge.bytes())).map_err(over)?;
    }
}
