//! The bound of the cache: when the files are too many, those go that were not used for longest.
//!
//! Several processes may do this at once. They come to the same order, and a file that is gone already is as good as
//! removed.

use std::io;
use std::time::{Duration, SystemTime};

use rustix::fs::{AtFlags, Dir, FileType, statat};

use super::folder::{Folder, is_unfinished};
use super::key::is_file_name;

/// What is being written for longer than this will not be finished.
const ABANDONED: Duration = Duration::from_secs(60 * 60);

/// What lies in a folder.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Survey {
    /// How many object files.
    pub files: usize,
    /// Their bytes.
    pub bytes: u64,
}

/// A file in the folder.
struct Kept {
    /// When it was last used, in seconds and nanoseconds since 1970.
    used: (i64, i64),
    name: String,
    bytes: u64,
}

/// What lies in a folder.
pub fn survey(folder: &Folder) -> io::Result<Survey> {
    let kept = list(folder)?.into_iter().filter(|file| is_file_name(&file.name));
    Ok(kept.fold(Survey::default(), |sum, file| Survey {
        files: sum.files + 1,
        bytes: sum.bytes.saturating_add(file.bytes),
    }))
}

/// Removes what was never finished, and so many files that the others take no more than three quarters of the bound, if
/// they take more than the bound.
pub fn sweep(folder: &Folder, bound: u64) -> io::Result<()> {
    let (unfinished, mut kept): (Vec<Kept>, Vec<Kept>) =
        list(folder)?.into_iter().partition(|file| is_unfinished(&file.name));
    let now = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).unwrap_or_default();
    let abandoned = now.saturating_sub(ABANDONED).as_secs() as i64;
    for file in unfinished {
        if file.used.0 < abandoned {
            let _gone = folder.remove(&file.name);
        }
    }
    // A user may have made files of any size and age.
    let mut sum = kept.iter().fold(0, |sum: u64, file| sum.saturating_add(file.bytes));
    if sum <= bound {
        return Ok(());
    }
    kept.sort_unstable_by(|a, b| (a.used, &a.name).cmp(&(b.used, &b.name)));
    for file in kept {
        if sum <= bound / 4 * 3 {
            break;
        }
        let _gone = folder.remove(&file.name);
        sum = sum.saturating_sub(file.bytes);
    }
    Ok(())
}

/// The files of ours in a folder; what else lies there is left alone.
fn list(folder: &Folder) -> io::Result<Vec<Kept>> {
    let mut files = Vec::new();
    for entry in Dir::read_from(folder)? {
        let entry = entry?;
        let Ok(name) = entry.file_name().to_str() else { continue };
        if !is_file_name(name) && !is_unfinished(name) {
            continue;
        }
        // It may be gone by now.
        let Ok(about) = statat(folder, name, AtFlags::SYMLINK_NOFOLLOW) else { continue };
        if FileType::from_raw_mode(about.st_mode) == FileType::Directory {
            continue;
        }
        let used = (about.st_mtime, about.st_mtime_nsec as i64);
        files.push(Kept { used, name: name.to_owned(), bytes: u64::try_from(about.st_size).unwrap_or(0) });
    }
    Ok(files)
}
