//! How an access or a fence is ordered, and for whom: the words of the manual's memory model (chapter 8).

use super::form::Form;

/// The semantics of an access or a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Order {
    /// `.weak`, or nothing: no other thread may touch the bytes meanwhile.
    Weak,
    /// `.volatile`: as `.relaxed` for the whole system.
    Volatile,
    /// `.mmio`: as `.relaxed` for the whole system, and performed as often as it is written.
    Mmio,
    /// `.relaxed`
    Relaxed,
    /// `.acquire`
    Acquire,
    /// `.release`
    Release,
    /// `.acq_rel`
    AcqRel,
    /// `.sc`
    Sc,
}

impl Order {
    /// The order that an instruction says, in its name or among its modifiers.
    pub(super) fn of(form: &Form<'_>) -> Option<Self> {
        // `ld.mmio.relaxed` says both.
        const ALL: [Order; 8] = [
            Order::Mmio,
            Order::Volatile,
            Order::Relaxed,
            Order::Acquire,
            Order::Release,
            Order::AcqRel,
            Order::Sc,
            Order::Weak,
        ];
        ALL.into_iter().find(|order| form.says(order.name()))
    }

    /// Whether other threads may touch the bytes meanwhile.
    #[must_use]
    pub fn is_strong(self) -> bool {
        self != Self::Weak
    }

    /// Whether what others did before they released is seen after it.
    #[must_use]
    pub fn acquires(self) -> bool {
        matches!(self, Self::Acquire | Self::AcqRel | Self::Sc)
    }

    /// Whether what was done before it is seen by those who acquire.
    #[must_use]
    pub fn releases(self) -> bool {
        matches!(self, Self::Release | Self::AcqRel | Self::Sc)
    }

    /// The name in PTX, without its dot.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Weak => "weak",
            Self::Volatile => "volatile",
            Self::Mmio => "mmio",
            Self::Relaxed => "relaxed",
            Self::Acquire => "acquire",
            Self::Release => "release",
            Self::AcqRel => "acq_rel",
            Self::Sc => "sc",
        }
    }
}

/// The threads for whom an order holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Scope {
    /// `.cta`
    Cta,
    /// `.cluster`
    Cluster,
    /// `.gpu`, and `.gl` of `membar`
    Gpu,
    /// `.sys`
    Sys,
}

impl Scope {
    /// The scope that an instruction says.
    pub(super) fn of(form: &Form<'_>) -> Option<Self> {
        const ALL: [Scope; 4] = [Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Sys];
        let named = ALL.into_iter().find(|scope| form.says(scope.name()));
        named.or(form.says("gl").then_some(Self::Gpu))
    }

    /// The name in PTX, without its dot.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Cta => "cta",
            Self::Cluster => "cluster",
            Self::Gpu => "gpu",
            Self::Sys => "sys",
        }
    }
}
