//! The wheel: `python/pack.py` packs what has been built and staged, with the Python package around it.

use std::path::Path;
use std::process::Command;

use super::process::succeed;
use super::staged::{Built, Staged};

/// Packs the wheel of what has been staged, into a folder.
pub fn wheel(built: &Built, staged: &Staged, out: &Path) -> Result<(), String> {
    // The tag says what the files need: the stable interface of Python 3.10, and a glibc.
    let (major, minor) = staged.glibc()?;
    let tag = format!("cp310-abi3-manylinux_{major}_{minor}_{}", std::env::consts::ARCH);
    let mut python = Command::new("python3");
    python.arg(built.root.join("python/pack.py")).arg(&staged.folder).arg(&staged.module).arg(out);
    succeed(python.arg(env!("CARGO_PKG_VERSION")).arg(tag))
}
