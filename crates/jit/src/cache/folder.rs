//! The folder of kept files, and how one is read and written.
//!
//! What lies in it becomes machine code of this process, so that it must be this user's own: the folder belongs to the
//! user and nobody else may write to it, and the same holds of every file. All is opened relative to the folder that was
//! looked at, and no link in it is followed. A file comes into being under a name of its own and is then renamed: who
//! reads finds all of it or nothing.

use std::fmt;
use std::fs::{DirBuilder, File, Metadata};
use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::fs::{DirBuilderExt, MetadataExt};
use std::path::Path;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, CWD, Mode, OFlags, openat, renameat, unlinkat};
use rustix::process::{Resource, geteuid, getrlimit};

/// What the names of files begin with that are being written.
const UNFINISHED: &str = ".unfinished-";
/// How often a name may be taken already: by a process of the same number in another container.
const ATTEMPTS: u32 = 16;
/// How exactly is known when a file was last used: a reader says it no more often than this.
const TOUCHED: Duration = Duration::from_secs(60 * 60);
/// Those who may write that are not the owner.
const OTHERS_WRITE: u32 = 0o022;

/// A folder that is this user's own.
pub struct Folder(OwnedFd);

/// Why a folder is not used.
pub enum Refused {
    /// Others could have put something into it.
    NotOwn(&'static str),
    /// The system does not let us.
    System(io::Error),
}

impl Folder {
    /// Opens a folder, if it is there.
    pub fn open(path: &Path) -> Result<Option<Self>, Refused> {
        // The user may have moved the cache and left a link; what counts is whose the folder is in the end.
        let flags = OFlags::RDONLY | OFlags::DIRECTORY | OFlags::CLOEXEC;
        let file = match openat(CWD, path, flags, Mode::empty()) {
            Ok(file) => File::from(file),
            Err(rustix::io::Errno::NOENT) => return Ok(None),
            Err(error) => return Err(Refused::System(error.into())),
        };
        let about = file.metadata().map_err(Refused::System)?;
        match whose(&about) {
            Some(why) => Err(Refused::NotOwn(why)),
            None => Ok(Some(Self(file.into()))),
        }
    }

    /// Makes a folder for this user alone, with those that it lies in.
    pub fn make(path: &Path) -> io::Result<()> {
        DirBuilder::new().recursive(true).mode(0o700).create(path)
    }

    /// The bytes of a file, if it is there and this user's own; it counts as used.
    pub fn read(&self, name: &str) -> Option<Vec<u8>> {
        // A pipe of this name would have us wait for who writes to it.
        let flags = OFlags::RDONLY | OFlags::NOFOLLOW | OFlags::NONBLOCK | OFlags::CLOEXEC;
        let mut file = File::from(openat(&self.0, name, flags, Mode::empty()).ok()?);
        let about = file.metadata().ok()?;
        if !about.is_file() || whose(&about).is_some() {
            return None;
        }
        let mut bytes = Vec::new();
        bytes.try_reserve_exact(usize::try_from(about.len()).ok()?).ok()?;
        // No further than was asked for: a file that grows meanwhile is none of ours.
        (&mut file).take(about.len()).read_to_end(&mut bytes).ok()?;
        let now = SystemTime::now();
        let last = about.modified().ok().and_then(|used| now.duration_since(used).ok());
        if last.is_some_and(|last| last > TOUCHED) {
            // What cannot be touched, on a disk that is read only, is used all the same.
            let _touched = file.set_modified(now);
        }
        Some(bytes)
    }

    /// Writes a file, in the place of any that has the name.
    pub fn write(&self, name: &str, bytes: &[u8]) -> io::Result<()> {
        // The system would end the process of who writes more than that.
        if getrlimit(Resource::Fsize).current.is_some_and(|most| most < bytes.len() as u64) {
            return Err(io::ErrorKind::FileTooLarge.into());
        }
        let (unfinished, mut file) = self.fresh()?;
        let written =
            file.write_all(bytes).and_then(|()| Ok(renameat(&self.0, &*unfinished, &self.0, name)?));
        if written.is_err() {
            // The error that matters is the first one.
            let _removed = self.remove(&unfinished);
        }
        written
    }

    /// A file of a name that nothing has.
    fn fresh(&self) -> io::Result<(String, File)> {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let flags = OFlags::WRONLY | OFlags::CREATE | OFlags::EXCL | OFlags::NOFOLLOW | OFlags::CLOEXEC;
        for _ in 0..ATTEMPTS {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!("{UNFINISHED}{}-{number}", std::process::id());
            match openat(&self.0, &*name, flags, Mode::RUSR | Mode::WUSR) {
                Err(rustix::io::Errno::EXIST) => {}
                file => return Ok((name, file?.into())),
            }
        }
        Err(io::ErrorKind::AlreadyExists.into())
    }

    /// Removes a file.
    pub fn remove(&self, name: &str) -> io::Result<()> {
        Ok(unlinkat(&self.0, name, AtFlags::empty())?)
    }
}

impl AsFd for Folder {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.0.as_fd()
    }
}

/// Whether a file's name is one of those that are being written.
pub fn is_unfinished(name: &str) -> bool {
    name.starts_with(UNFINISHED)
}

/// Why a file or folder is not this user's own, if it is not.
fn whose(about: &Metadata) -> Option<&'static str> {
    if about.uid() != geteuid().as_raw() {
        return Some("it belongs to another user");
    }
    (about.mode() & OTHERS_WRITE != 0).then_some("others may write to it")
}

impl fmt::Display for Refused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotOwn(why) => f.write_str(why),
            Self::System(error) => error.fmt(f),
        }
    }
}
