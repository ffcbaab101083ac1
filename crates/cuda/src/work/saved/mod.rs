//! `--save-launch`: writes launches to a folder as something that `ptxvm run` replays, with the memory that they can reach, at
//! its own addresses. docs/exec.md explains it to users.

mod file;
mod launch;
mod reach;
mod text;

use std::fs;
use std::io::{self, ErrorKind};
use std::path::PathBuf;
use std::sync::{Mutex, PoisonError};

use ptxvm_report::number::grouped;
use ptxvm_settings::SaveLaunch;

pub use launch::Launch;
use reach::Reach;

/// What this process has written.
struct State {
    launches: u64,
    bytes: u64,
    /// Whether the user has been told why something is not written.
    told: bool,
    /// Whether writing has failed, so that it is not tried again.
    failed: bool,
}

static STATE: Mutex<State> = Mutex::new(State { launches: 0, bytes: 0, told: false, failed: false });

/// More folders than anybody looks at.
const MOST: u64 = 1_000_000;

impl State {
    /// Says once why something is not written.
    fn tell(&mut self, why: &str) {
        if !std::mem::replace(&mut self.told, true) {
            ptxvm_host::say(format_args!("ptxvm: --save-launch: {why}\n"));
        }
    }
}

/// Writes a launch that is about to begin, if it is one that the user wants to have. A program does not suffer from what goes
/// wrong here: the user is told.
pub fn save(asked: &SaveLaunch, launch: &Launch<'_>) {
    let kernel = launch.kernel;
    if asked.kernel.as_ref().is_some_and(|part| !kernel.name().contains(part.as_str())) {
        return;
    }
    let mut state = STATE.lock().unwrap_or_else(PoisonError::into_inner);
    if state.failed {
        return;
    }
    if state.launches >= asked.launches {
        let launches = grouped(asked.launches);
        return state.tell(&format!(
            "{launches} launches have been written, the others are not; launches=N allows more"
        ));
    }
    let left = asked.bytes.saturating_sub(state.bytes);
    let Some(reach) = Reach::of(launch, left) else {
        let name = kernel.name();
        let left = grouped(left);
        return state.tell(&format!(
            "a launch of `{name}` is not written: it can reach more than the {left} bytes that are left; bytes=SIZE allows \
             more"
        ));
    };
    match write(asked, launch, &reach) {
        Ok(()) => {
            state.launches += 1;
            state.bytes += reach.bytes();
        }
        Err(error) => {
            state.failed = true;
            let folder = asked.folder.display();
            state.tell(&format!("no launch is written to {folder} any more: {error}"));
        }
    }
}

/// Writes the folder of a launch; none is left if that fails.
fn write(asked: &SaveLaunch, launch: &Launch<'_>, reach: &Reach) -> io::Result<()> {
    let (number, folder) = folder(asked, launch.kernel.name())?;
    let written = (|| {
        for memory in &reach.all {
            if let Some(name) = memory.file() {
                file::write(launch.device.memory(), &memory.allocation, &folder.join(name))?;
            }
        }
        fs::write(folder.join("kernel.ptx"), text::of(number, launch, reach))
    })();
    if written.is_err() {
        // What cannot be removed either the user sees by the error.
        let _ = fs::remove_dir_all(&folder);
    }
    written
}

/// Makes the next folder, `0001-softmax`. Other processes may write to the same place, and earlier runs may have: a number that
/// is taken is taken by nobody else.
fn folder(asked: &SaveLaunch, kernel: &str) -> io::Result<(u64, PathBuf)> {
    fs::create_dir_all(&asked.folder)?;
    let plain = |c: char| if c.is_ascii_alphanumeric() { c } else { '_' };
    let name: String = kernel.chars().take(80).map(plain).collect();
    let mut taken = 0;
    for entry in fs::read_dir(&asked.folder)? {
        let name = entry?.file_name();
        let number = name.to_str().and_then(|name| name.split_once('-')?.0.parse::<u64>().ok());
        taken = taken.max(number.unwrap_or(0));
    }
    for number in taken + 1..MOST {
        let folder = asked.folder.join(format!("{number:04}-{name}"));
        match fs::create_dir(&folder) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => return made.map(|()| (number, folder)),
        }
    }
    Err(io::Error::other("its launches have no numbers left"))
}
