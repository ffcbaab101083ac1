//! How a launch is executed, as opposed to what is launched.
//!
//! The one structure goes whole from the command line and the environment down to the machine: `ptxvm_vm`'s launch
//! options and [`Launch`](crate::Launch) embed it, and nothing between copies its fields. `ptxvm_settings` has the list of
//! switches that set them.

use std::time::Duration;

use crate::explain::mistake::Findings;
use crate::matrix::cores::Mma;

/// Everything that says how a launch is executed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Settings {
    /// Chooses among the orders that PTX leaves open; 0 is the plain order. Its upper half is by how many powers of two
    /// a warp's turn may be longer, up to 20.
    pub seed: u64,
    /// Which write a read sees.
    pub memory_model: MemoryModel,
    /// What is looked for besides faults.
    pub checks: Checks,
    /// How many findings of that are told of one launch, at most.
    pub check_limit: u32,
    /// When asynchronous operations complete.
    pub asynchrony: Asynchrony,
    /// Who executes kernels.
    pub engine: EngineChoice,
    /// The arithmetic of matrix instructions: the device's, another generation's, or a faster one.
    pub mma: Mma,
    /// How many host threads run CTAs; with one, every run is the same.
    pub threads: usize,
    /// Stops the kernel after so many warp instructions.
    pub max_instructions: Option<u64>,
    /// Stops the kernel after so long.
    pub timeout: Option<Duration>,
    /// What is done about mistakes that an H200 survives: accesses a little out of bounds, metadata that means nothing.
    pub findings: Findings,
    /// Whether memory traffic is counted, which costs time.
    pub statistics: bool,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            seed: 0,
            memory_model: MemoryModel::default(),
            checks: Checks::default(),
            check_limit: 100,
            asynchrony: Asynchrony::default(),
            engine: EngineChoice::default(),
            mma: Mma::default(),
            threads: 1,
            max_instructions: None,
            timeout: None,
            findings: Findings::default(),
            statistics: false,
        }
    }
}

/// Who executes kernels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum EngineChoice {
    /// The interpreter, and compiled code as soon as there is some of a kernel that has run for a while.
    #[default]
    Auto,
    /// The interpreter.
    Interpret,
    /// Compiled code, and the interpreter where that hands over to it.
    Compile,
}

impl EngineChoice {
    /// Every choice.
    pub const ALL: [EngineChoice; 3] = [Self::Auto, Self::Interpret, Self::Compile];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Auto => "auto",
            Self::Interpret => "interpret",
            Self::Compile => "compile",
        }
    }
}

/// Which write a read sees.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum MemoryModel {
    /// The newest.
    #[default]
    Strong,
    /// Any that PTX's memory model lets it see, as the seed decides.
    Weak,
}

impl MemoryModel {
    /// Every choice.
    pub const ALL: [MemoryModel; 2] = [Self::Strong, Self::Weak];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Strong => "strong",
            Self::Weak => "weak",
        }
    }
}

/// Something that is looked for besides faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Check {
    /// Races, as the programs of this field are written.
    Race,
    /// Where programs of this field rely on more than the manual's words promise, the manual counts.
    Strict,
    /// Values that nobody has defined and that decide something.
    Init,
    /// Accesses through the address of one variable that reach another.
    Bounds,
    /// Barriers, masks and clusters used against their rules.
    Sync,
    /// Asynchronous operations and mbarrier objects used against their rules.
    Async,
    /// Memory and objects that are never given back.
    Leak,
}

impl Check {
    /// Every one.
    pub const ALL: [Check; 7] =
        [Self::Race, Self::Strict, Self::Init, Self::Bounds, Self::Sync, Self::Async, Self::Leak];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Race => "race",
            Self::Strict => "strict",
            Self::Init => "init",
            Self::Bounds => "bounds",
            Self::Sync => "sync",
            Self::Async => "async",
            Self::Leak => "leak",
        }
    }
}

/// What is looked for besides faults, together.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Checks(u16);

impl Checks {
    /// Nothing.
    pub const NONE: Self = Self(0);

    /// What is meant by `--check` without a value.
    pub const USUAL: Self = Self::NONE
        .with(Check::Race)
        .with(Check::Init)
        .with(Check::Bounds)
        .with(Check::Sync)
        .with(Check::Async);

    /// These and one more. What is strict is strict about something.
    #[must_use]
    pub const fn with(self, check: Check) -> Self {
        match check {
            Check::Strict => Self(self.0 | 1 << check as u16 | 1 << Check::Race as u16),
            Check::Race | Check::Init | Check::Bounds | Check::Sync | Check::Async | Check::Leak => {
                Self(self.0 | 1 << check as u16)
            }
        }
    }

    /// All of both.
    #[must_use]
    pub const fn and(self, others: Self) -> Self {
        Self(self.0 | others.0)
    }

    /// Whether it is looked for.
    #[must_use]
    pub const fn has(self, check: Check) -> bool {
        self.0 >> check as u16 & 1 != 0
    }

    /// Whether anything is.
    #[must_use]
    pub const fn are_any(self) -> bool {
        self.0 != 0
    }
}

impl From<Check> for Checks {
    fn from(check: Check) -> Self {
        Self::NONE.with(check)
    }
}

impl std::fmt::Display for Checks {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let names: Vec<&str> =
            Check::ALL.into_iter().filter(|check| self.has(*check)).map(Check::name).collect();
        f.write_str(if names.is_empty() { "none" } else { "" })?;
        f.write_str(&names.join(","))
    }
}

/// When asynchronous operations complete, between the moment they are issued and the last that the program allows.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Asynchrony {
    /// At once.
    Eager,
    /// Only when the program waits for them, or nothing else in the cluster can run; one at a time.
    Lazy,
    /// At a time and in an order that the seed decides.
    #[default]
    Seeded,
}

impl Asynchrony {
    /// Every choice.
    pub const ALL: [Asynchrony; 3] = [Self::Eager, Self::Lazy, Self::Seeded];

    /// The name on the command line.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Eager => "eager",
            Self::Lazy => "lazy",
            Self::Seeded => "seeded",
        }
    }
}
