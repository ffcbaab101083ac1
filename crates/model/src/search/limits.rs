//! How much a search may take, and what it says when that is not enough.

/// How much a search may take. Each bound is told of when it is reached.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// How often a loop that does something is entered again.
    pub unroll: usize,
    /// How many paths a thread may have.
    pub paths: usize,
    /// How many candidates are looked at.
    pub steps: u64,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { unroll: 2, paths: 20_000, steps: 1_000_000 }
    }
}

/// Which bound was reached.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TooLarge {
    /// An execution has more events than a set can hold.
    Events,
    /// A thread has too many paths.
    Paths(String),
    /// There are too many candidates.
    Steps(u64),
    /// A location may hold too many values.
    Values(String),
    /// Threads may meet at barriers in too many ways.
    Meetings,
}

impl std::fmt::Display for TooLarge {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            TooLarge::Events => {
                write!(f, "an execution has more than {} operations", crate::relation::MOST_EVENTS)
            }
            TooLarge::Paths(thread) => write!(f, "thread {thread} has too many paths"),
            TooLarge::Steps(steps) => write!(f, "there are more than {steps} candidate executions"),
            TooLarge::Meetings => f.write_str("threads may meet at barriers in too many ways"),
            TooLarge::Values(location) => write!(f, "`{location}` may hold too many different values"),
        }
    }
}
