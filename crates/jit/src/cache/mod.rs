//! Compiled code that is kept on disk: what one process has had LLVM make, the next one only links.
//!
//! A file holds the object file of one text, under a name that is a hash of all that the object file depends on
//! (`key`), with a checksum of its own (`entry`). The folder and the files in it are the user's own, or are not used:
//! what lies there becomes machine code of this process (`folder`). The sum of the files is bounded (`sweep`).
//!
//! Nothing here is ever an error: without a file LLVM compiles, and what cannot be written is not kept. The user is told
//! of that once.

mod entry;
mod folder;
mod key;
mod sweep;

use std::fmt;
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, MutexGuard, PoisonError};

pub use entry::Entry;
use folder::{Folder, Refused};
pub use key::{Key, Maker};
pub use sweep::Survey;

/// A file is not kept if it takes more of the bound than one part of so many: everything else would go for it.
const LARGEST: u64 = 2;
/// Who has written one part of so many of the bound looks at the sum again.
const PORTIONS: u64 = 16;

/// A folder where compiled code is kept, and how much of it.
pub struct CodeCache {
    path: PathBuf,
    bound: u64,
    /// Whether the user has named the folder, and wants to know if it cannot be used.
    named: bool,
    tell: Tell,
    state: Mutex<State>,
}

/// Tells the user something.
type Tell = Box<dyn Fn(&str) + Send + Sync>;

/// What a process has found out so far.
#[derive(Default)]
struct State {
    folder: Option<Folder>,
    /// The folder may not be used.
    refused: bool,
    /// Writing has failed, and is not tried again.
    full: bool,
    /// The user knows.
    told: bool,
    /// The bytes that this process has written since it looked at the sum; none as long as it has not looked.
    unseen: Option<u64>,
}

impl CodeCache {
    /// A cache in a folder, which is made when there is something to keep. `tell` gets a sentence, at most once, if the
    /// folder may not be used; and if it cannot be and the user has `named` it.
    pub fn new(path: PathBuf, bound: u64, named: bool, tell: impl Fn(&str) + Send + Sync + 'static) -> Self {
        Self { path, bound, named, tell: Box::new(tell), state: Mutex::default() }
    }

    /// The folder.
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// The most bytes that are kept.
    pub fn bound(&self) -> u64 {
        self.bound
    }

    /// What lies in the folder; none if there is no folder yet.
    ///
    /// # Errors
    /// Why the folder is not used.
    pub fn survey(&self) -> Result<Option<Survey>, String> {
        let folder = Folder::open(&self.path).map_err(|refused| self.sentence(&refused))?;
        let survey = |folder| sweep::survey(&folder).map_err(|error| self.sentence(&Refused::System(error)));
        folder.map(survey).transpose()
    }

    /// The object file that was kept under a key.
    pub fn find(&self, key: &Key) -> Option<Entry> {
        let mut state = self.state();
        let file = self.folder(&mut state)?.read(&key.file_name())?;
        Entry::read(file, key)
    }

    /// Keeps an object file.
    pub fn keep(&self, key: &Key, object: &[u8]) {
        let mut state = self.state();
        if state.full || state.refused || object.len() as u64 > self.bound / LARGEST {
            return;
        }
        let (name, file) = (key.file_name(), Entry::written(key, object));
        let mut kept = self.write(&mut state, &name, &file);
        // Somebody has removed the folder meanwhile, and may: it is made again.
        if kept.as_ref().is_err_and(|error| error.kind() == io::ErrorKind::NotFound) {
            state.folder = None;
            kept = self.write(&mut state, &name, &file);
        }
        match kept {
            Ok(()) => self.look_at_the_sum(&mut state, file.len() as u64),
            Err(error) => {
                state.full = true;
                self.complain(&mut state, &Refused::System(error));
            }
        }
    }

    fn write(&self, state: &mut State, name: &str, file: &[u8]) -> io::Result<()> {
        if self.folder(state).is_none() && !state.refused {
            Folder::make(&self.path)?;
        }
        // What is refused has been told already.
        self.folder(state).map_or(Ok(()), |folder| folder.write(name, file))
    }

    /// Who writes sees to the bound: at first, and then now and then.
    fn look_at_the_sum(&self, state: &mut State, written: u64) {
        let unseen = state.unseen.map(|unseen| unseen + written);
        if unseen.is_some_and(|unseen| unseen < self.bound / PORTIONS) {
            state.unseen = unseen;
            return;
        }
        state.unseen = Some(0);
        if let Some(folder) = &state.folder {
            // A folder that cannot be listed can be written to all the same; the next process tries again.
            let _listed = sweep::sweep(folder, self.bound);
        }
    }

    /// The folder, if it is there and may be used.
    fn folder<'a>(&self, state: &'a mut State) -> Option<&'a Folder> {
        if state.folder.is_none() && !state.refused {
            match Folder::open(&self.path) {
                Ok(folder) => state.folder = folder,
                Err(refused) => {
                    state.refused = true;
                    self.complain(state, &refused);
                }
            }
        }
        state.folder.as_ref()
    }

    /// Tells the user why nothing is kept. Who has not named the folder need not care whether there can be one.
    fn complain(&self, state: &mut State, refused: &Refused) {
        let matters = self.named || matches!(refused, Refused::NotOwn(_));
        if matters && !std::mem::replace(&mut state.told, true) {
            (self.tell)(&format!("compiled code is not kept: {}", self.sentence(refused)));
        }
    }

    fn sentence(&self, refused: &Refused) -> String {
        format!("{}: {refused}", self.path.display())
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for CodeCache {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CodeCache").field("path", &self.path).field("bound", &self.bound).finish()
    }
}
