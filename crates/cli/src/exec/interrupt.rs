//! Telling the library in all processes of the command that the user has interrupted: by the end of a pipe that they read.
//!
//! A signal of our own would take one from the command, and one reader alone would get what is written to a pipe; its end
//! comes to all. For the next time there is a new pipe in its place.

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
