//! What a switch is: its names, what it takes, how it is read and shown.

use crate::choices::Choices;

/// A switch of the list.
pub struct Switch {
    /// `async` is `--async` on the command line and `PTXVM_ASYNC` in the environment.
    pub name: &'static str,
    /// What follows it.
    pub takes: Takes,
    /// Who may use it besides the environment.
    pub who: Who,
    /// Its line of help.
    pub help: &'static str,
    /// The line in `ptxvm exec --help`, where that says it otherwise.
    pub exec_help: Option<&'static str>,
    /// Reads a value; the error is a sentence.
    pub set: fn(&mut Choices, &str) -> Result<(), String>,
    /// Writes the value as [`Switch::set`] reads it.
    pub show: fn(&Choices) -> String,
}

/// What a switch takes.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// Nothing on the command line; in the environment 1, or 0.
    Nothing,
    /// A value, by the name that help has for it.
    Value(&'static str),
    /// One of these words, by the name that help has for it; with what each means.
    OneOf(&'static str, &'static [(&'static str, &'static str)]),
    /// A value after `=`, by the name that help has for it, or without one this.
    Optional(&'static str, &'static str),
}

/// Who may use a switch. Each includes those before it, and the environment says all of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Who {
    /// The launch line of a file, `ptxvm run` and `ptxvm exec`.
    File,
    /// `ptxvm run` and `ptxvm exec`: a file has no say in what the user is told of its mistakes.
    Run,
    /// `ptxvm exec`: `ptxvm run` has an option of its own by this name, or no use for it.
    Exec,
}

impl Switch {
    /// The name in the environment.
    #[must_use]
    pub fn variable(&self) -> String {
        format!("PTXVM_{}", self.name.to_ascii_uppercase().replace('-', "_"))
    }

    /// A value as the environment passes it on: `1500ms` of `--timeout` is `1.5`.
    ///
    /// # Errors
    /// A sentence if there is no such value.
    pub fn canonical(&self, text: &str) -> Result<String, String> {
        let mut choices = Choices::default();
        (self.set)(&mut choices, text)?;
        Ok((self.show)(&choices))
    }
}

impl std::fmt::Debug for Switch {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "--{}", self.name)
    }
}
