//! The folder through which buffers go to the contestants: in memory where the system has such a place, and removed at
//! the end.

use std::path::{Path, PathBuf};

use crate::case::Case;

/// A folder of this process alone.
pub struct Scratch {
    folder: PathBuf,
    /// The orders that make the buffers of the present case.
    orders: Vec<String>,
}

impl Scratch {
    /// Makes the folder.
    ///
    /// # Errors
    /// It cannot be made.
    pub fn new() -> Result<Self, String> {
        let memory = Path::new("/dev/shm");
        let above = if memory.is_dir() { memory.to_owned() } else { std::env::temp_dir() };
        let folder = above.join(format!("ptxvm-bench-{}", std::process::id()));
        std::fs::create_dir(&folder).map_err(|error| format!("{}: {error}", folder.display()))?;
        Ok(Self { folder, orders: Vec::new() })
    }

    /// A file in it.
    pub fn path(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }

    /// Writes what the buffers of a case hold at first, in place of those of the case before.
    ///
    /// # Errors
    /// A file cannot be written.
    pub fn fill(&mut self, case: &Case) -> Result<(), String> {
        self.orders.clear();
        for (index, contents) in (case.buffers)().into_iter().enumerate() {
            let path = match &contents.bytes {
                None => "-".into(),
                Some(bytes) => {
                    let path = self.path(&format!("buffer-{index}"));
                    std::fs::write(&path, bytes).map_err(|error| format!("{}: {error}", path.display()))?;
                    path
                }
            };
            self.orders.push(format!("buffer {index} {} {}", contents.size, path.display()));
            if contents.restored {
                self.orders.push(format!("restore {index}"));
            }
        }
        Ok(())
    }

    /// The orders that make the buffers of the case.
    pub fn buffer_orders(&self) -> Vec<String> {
        self.orders.clone()
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        // Somebody who has removed it already has done our work.
        let _ = std::fs::remove_dir_all(&self.folder);
    }
}
