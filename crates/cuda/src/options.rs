//! What `ptxvm exec` tells the library through environment variables: the switches, and the file for findings.

use std::path::{Path, PathBuf};
use std::sync::{OnceLock, PoisonError, RwLock};

use ptxvm_host::Share;
use ptxvm_report::suppress::Suppressions;
use ptxvm_settings::{Choices, Said};
use ptxvm_vm::Settings;

/// What the process was told.
#[derive(Debug)]
pub struct Options {
    /// What the switches say (`PTXVM_SEED` and the others): device, settings of launches, what to show.
    pub choices: Choices,
    /// The GPU's memory, and what may be taken of the host's.
    pub share: Share,
    /// `PTXVM_REPORT`: the file where `ptxvm exec` learns what was found.
    pub report: Option<PathBuf>,
    /// The findings that are not told.
    pub suppressions: Suppressions,
    /// `PTXVM_STDERR`: the file that the user sees as standard error, as [`ptxvm_host::standard_error`] names it.
    pub users_stderr: Option<String>,
    /// `PTXVM_INTERRUPT`: the pipe whose end says that the user has interrupted.
    pub interrupt: Option<PathBuf>,
}

static OPTIONS: OnceLock<Options> = OnceLock::new();

/// The seed that the program has chosen for its next launches, in place of the user's.
static SEED: RwLock<Option<u64>> = RwLock::new(None);

/// The settings, read at the first call.
pub fn get() -> &'static Options {
    OPTIONS.get_or_init(read)
}

/// How launches that begin now are executed.
pub fn settings() -> Settings {
    let settings = get().choices.settings;
    let seed = SEED.read().unwrap_or_else(PoisonError::into_inner).unwrap_or(settings.seed);
    Settings { seed, ..settings }
}

/// Chooses a seed for launches that begin from now on.
pub fn set_seed(seed: u64) {
    *SEED.write().unwrap_or_else(PoisonError::into_inner) = Some(seed);
}

fn read() -> Options {
    let said = Said::from_environment(
        |_| true,
        |why| ptxvm_host::say(format_args!("ptxvm: {why}; it is ignored\n")),
    );
    let choices = said.choices();
    Options {
        suppressions: choices.suppress.as_deref().map(suppressions).unwrap_or_default(),
        share: choices.memory.share(choices.profile.memory),
        choices,
        report: std::env::var_os("PTXVM_REPORT").map(PathBuf::from),
        users_stderr: std::env::var("PTXVM_STDERR").ok(),
        interrupt: std::env::var_os("PTXVM_INTERRUPT").map(PathBuf::from),
    }
}

/// What `--suppress` names. A file that cannot be read suppresses nothing, and the user is told.
fn suppressions(path: &Path) -> Suppressions {
    let complain =
        |why: &dyn std::fmt::Display| ptxvm_host::say(format_args!("ptxvm: {}: {why}\n", path.display()));
    let text = std::fs::read_to_string(path).map_err(|error| complain(&error)).unwrap_or_default();
    Suppressions::read(&text).unwrap_or_else(|wrong| {
        wrong.iter().for_each(|wrong| complain(wrong));
        Suppressions::default()
    })
}
