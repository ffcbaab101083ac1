//! Makes files and folders that no other user can prepare or read: their names cannot be guessed, and must not exist yet.

use std::fs::{self, DirBuilder, OpenOptions};
use std::io::{self, ErrorKind, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rustix::process::geteuid;
use rustix::rand::{GetRandomFlags, getrandom};

/// How often a name may be taken already.
const ATTEMPTS: u32 = 16;

/// Makes a folder for this user alone below `place`.
pub fn folder(place: &Path) -> io::Result<PathBuf> {
    fresh(place, ".ptxvm", |path| DirBuilder::new().mode(0o700).create(path)).map(|(path, ())| path)
}

/// Replaces a file in one step, so that nothing is lost when writing fails halfway. A link that was named is followed;
/// what is written first lies beside its target, in a file of our own.
pub fn replace(path: &Path, text: &[u8]) -> io::Result<()> {
    let path = fs::canonicalize(path)?;
    let place = path.parent().unwrap_or(Path::new("/"));
    // Who may read, write and execute it; not in whose name it runs.
    let mode = fs::metadata(&path)?.permissions().mode() & 0o777;
    let make = |path: &Path| OpenOptions::new().write(true).create_new(true).mode(0o600).open(path);
    let (beside, mut file) = fresh(place, ".ptxvm-fmt", make)?;
    let written = file
        .write_all(text)
        .and_then(|()| file.set_permissions(fs::Permissions::from_mode(mode)))
        .and_then(|()| fs::rename(&beside, &path));
    if written.is_err() {
        // The half-written neighbour is of no use; the error that matters is the first one.
        let _ = fs::remove_file(&beside);
    }
    written
}

/// Makes a folder for this user alone if it is not there, and says whether it is such a folder now: nobody else can
/// write into it.
pub fn is_own(folder: &Path) -> bool {
    let _ = DirBuilder::new().recursive(true).mode(0o700).create(folder);
    // `stat` of what is there in the end: a user may have moved a cache and left a link.
    fs::metadata(folder).is_ok_and(|about| {
        about.is_dir() && about.uid() == geteuid().as_raw() && about.permissions().mode() & 0o022 == 0
    })
}

/// Makes something under a name that cannot be guessed and that nothing has.
fn fresh<T>(place: &Path, prefix: &str, make: impl Fn(&Path) -> io::Result<T>) -> io::Result<(PathBuf, T)> {
    for _ in 0..ATTEMPTS {
        let mut random = [0u8; 16];
        getrandom(&mut random, GetRandomFlags::empty())?;
        let path = place.join(format!("{prefix}-{:032x}", u128::from_ne_bytes(random)));
        match make(&path) {
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            made => return made.map(|made| (path, made)),
        }
    }
    Err(ErrorKind::AlreadyExists.into())
}
