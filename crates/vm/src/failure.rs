//! How loading and launching can fail. Each failure says whose fault it is: the guest's, a limit's or ours.

use ptxvm_ir::LinkProblem;
use ptxvm_isa::Target;
use ptxvm_machine::{Finding, Limit, Stop, Unsupported};
use ptxvm_memory::{OutOfMemory, OverBudget};
use ptxvm_syntax::Diagnostic;

use crate::arguments::ArgumentsError;

/// Why a module cannot be loaded.
#[derive(Clone, Debug)]
pub enum LoadError {
    /// A part of a program to be linked cannot be loaded.
    Part {
        /// The part's name.
        name: String,
        /// What is wrong; the spans are those of the part's own text.
        error: Box<LoadError>,
    },
    /// The parts do not go together: names are defined twice, or taken for different things.
    Link(Vec<LinkProblem>),
    /// The PTX is wrong; every error and warning, in the order of the source.
    Invalid(Vec<Diagnostic>),
    /// The PTX is for another device.
    Target {
        /// What the module asks for.
        module: Target,
        /// What the device is.
        device: Target,
        /// The device's name.
        name: &'static str,
    },
    /// Functions or variables that are declared `.extern`, used, and defined nowhere.
    Unresolved(Vec<String>),
    /// ptxvm cannot run this yet.
    Unsupported(Vec<Unsupported>),
    /// There is no memory for the module's variables.
    Memory(OutOfMemory),
    /// Loading a text of this length takes more of the host's memory than is left.
    Budget(OverBudget),
    /// ptxvm is broken; what the panic said.
    Bug(String),
}

impl std::fmt::Display for LoadError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Part { name, error } => write!(f, "{name}: {error}"),
            Self::Link(problems) => {
                f.write_str("the parts cannot be linked")?;
                problems.iter().take(5).try_for_each(|p| write!(f, "; {p}"))
            }
            Self::Invalid(diagnostics) => {
                f.write_str("invalid PTX")?;
                diagnostics.iter().take(5).try_for_each(|d| write!(f, "; {}: {}", d.code, d.message))
            }
            Self::Target { module, device, name } => {
                write!(f, "the module is for {module}, and {name} ({device}) cannot run that")
            }
            Self::Unresolved(names) => write!(f, "declared but not defined: {}", names.join(", ")),
            Self::Unsupported(what) => {
                let names: Vec<&str> = what.iter().take(5).map(|u| u.what.as_str()).collect();
                write!(f, "not supported yet: {}", names.join("; "))
            }
            Self::Memory(error) => error.fmt(f),
            Self::Budget(error) => write!(f, "no memory to load the module: {error}"),
            Self::Bug(message) => write!(f, "a bug in ptxvm: {message}"),
        }
    }
}

impl std::error::Error for LoadError {}

/// Why a module gives no kernel.
#[derive(Clone, Debug)]
pub enum KernelError {
    /// It has no such entry.
    Unknown {
        /// The name that was asked for.
        name: String,
        /// The entries that it has.
        known: Vec<String>,
    },
    /// It has been read only now ([`LoadOptions::bodies_later`](crate::LoadOptions)), and something is wrong with it.
    Load(Box<LoadError>),
    /// ptxvm is broken; what the panic said.
    Bug(String),
}

impl std::fmt::Display for KernelError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Unknown { name, known } if known.is_empty() => {
                write!(f, "there is no entry `{name}`, nor any other")
            }
            Self::Unknown { name, known } => {
                write!(f, "there is no entry `{name}`; available: {}", known.join(", "))
            }
            Self::Load(error) => error.fmt(f),
            Self::Bug(message) => write!(f, "a bug in ptxvm: {message}"),
        }
    }
}

impl std::error::Error for KernelError {}

/// Why a launch did not end well.
#[derive(Clone, Debug)]
pub enum Failure {
    /// The guest is wrong.
    Finding(Box<Finding>),
    /// ptxvm cannot run this yet.
    Unsupported(Unsupported),
    /// A limit that the host set was reached, or the host stopped it.
    Limit(Limit),
    /// A cooperative launch has more CTAs than the device holds at once; nothing has run.
    TooLarge {
        /// The CTAs of the launch.
        ctas: u64,
        /// How many of them the device holds.
        resident: u64,
    },
    /// The arguments do not fit the kernel; nothing has run.
    Arguments(ArgumentsError),
    /// ptxvm is broken; what the panic said.
    Bug(String),
}

impl From<Stop> for Failure {
    fn from(stop: Stop) -> Self {
        match stop {
            Stop::Finding(finding) => Self::Finding(finding),
            Stop::Unsupported(what) => Self::Unsupported(what),
            Stop::Limit(limit) => Self::Limit(limit),
        }
    }
}

impl std::fmt::Display for Failure {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Finding(finding) => {
                write!(f, "{}: {}", finding.kind.name(), finding.message)?;
                if let Some(place) = &finding.place {
                    write!(f, ", in `{}`", place.function)?;
                }
                if let Some(t) = finding.thread {
                    let ([cx, cy, cz], [x, y, z]) = (t.ctaid, t.tid);
                    write!(f, ", by thread ({x},{y},{z}) of CTA ({cx},{cy},{cz})")?;
                }
                Ok(())
            }
            Self::Unsupported(what) => write!(f, "not supported yet: {}", what.what),
            Self::Limit(Limit::Instructions(n)) => write!(f, "stopped after {n} instructions"),
            Self::Limit(Limit::Time(time)) => write!(f, "stopped after {time:?}"),
            Self::Limit(Limit::Memory(over)) => write!(f, "out of memory: {over}"),
            Self::Limit(Limit::Interrupted) => f.write_str("interrupted"),
            Self::TooLarge { ctas, resident } => {
                write!(f, "a cooperative launch of {ctas} CTAs, the device holds {resident} at once")
            }
            Self::Arguments(error) => error.fmt(f),
            Self::Bug(message) => write!(f, "a bug in ptxvm: {message}"),
        }
    }
}

impl std::error::Error for Failure {}

/// Runs something that must not panic; if it does, that is our bug, and this is what it said.
pub(crate) fn guarded<T>(run: impl FnOnce() -> T) -> Result<T, String> {
    std::panic::catch_unwind(std::panic::AssertUnwindSafe(run)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().map(|s| (*s).to_owned());
        text.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_else(|| "a panic".to_owned())
    })
}
