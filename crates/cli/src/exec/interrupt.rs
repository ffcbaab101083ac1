//! Tells the library, in every process of the command, that the user pressed ctrl-C: it closes a pipe that they all read.
//!
//! A signal would take one away from the command, and bytes written to a pipe reach only one reader. The end of a pipe
//! reaches all of them. A new pipe then takes its place for the next ctrl-C.

use std::fs::{File, OpenOptions};
use std::path::{Path, PathBuf};

use rustix::fs::{CWD, FileType, Mode, mknodat};

/// The pipe, which nobody else has open for writing.
pub struct Interrupt {
    path: PathBuf,
    pipe: File,
}

impl Interrupt {
    /// Makes the pipe in a folder.
    pub fn new(folder: &Path) -> Result<Interrupt, String> {
        let path = folder.join("interrupt");
        let pipe =
            make(&path).map_err(|error| format!("cannot make the pipe {}: {error}", path.display()))?;
        Ok(Interrupt { path, pipe })
    }

    /// Where readers find it.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Tells all who read.
    pub fn tell(&mut self) {
        let next = self.path.with_extension("next");
        // The folder may be gone already, and the command with it.
        if let Ok(pipe) = make(&next)
            && std::fs::rename(&next, &self.path).is_ok()
        {
            self.pipe = pipe;
        }
    }
}

/// A pipe that is open: for reading too, since to open it for writing alone would wait for a reader.
fn make(path: &Path) -> std::io::Result<File> {
    mknodat(CWD, path, FileType::Fifo, Mode::RUSR | Mode::WUSR, 0)?;
    OpenOptions::new().read(true).write(true).open(path)
}
