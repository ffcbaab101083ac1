//! A private folder that exists as long as the command runs. It holds the library under the names that programs look for.

use std::path::{Path, PathBuf};

use crate::private;

/// The folder; dropping it removes it.
pub struct Folder {
    path: PathBuf,
}

impl Folder {
    /// Makes one that nobody else can read or write.
    pub fn new() -> Result<Folder, String> {
        let place = std::env::temp_dir();
        let made = private::folder(&place);
        made.map(|path| Folder { path })
            .map_err(|error| format!("cannot make a folder in {}: {error}", place.display()))
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Puts a file with this text into a folder inside it, and gives that folder.
    pub fn write(&self, inside: &str, name: &str, text: &str) -> Result<PathBuf, String> {
        let folder = self.path.join(inside);
        let written = std::fs::create_dir(&folder).and_then(|()| std::fs::write(folder.join(name), text));
        written.map_err(|error| format!("cannot write to {}: {error}", folder.display()))?;
        Ok(folder)
    }

    /// Puts a link to `target` into it.
    pub fn link(&self, target: &Path, name: &str) -> Result<(), String> {
        let link = self.path.join(name);
        std::os::unix::fs::symlink(target, &link)
            .map_err(|error| format!("cannot make the link {}: {error}", link.display()))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What cannot be removed stays in the folder for temporary files, where it does no harm.
        let _ = std::fs::remove_dir_all(&self.path);
    }
}
