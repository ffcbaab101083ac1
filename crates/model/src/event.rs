//! An event: one operation of one thread in an execution, with what the model's definitions ask of it. The names are the
//! manual's (PTX ISA 9.1, chapter 8).

use ptxvm_syntax::ast::Span;

/// A set of threads that may interact directly with an operation (8.5).
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Scope {
    Cta,
    Cluster,
    Gpu,
    Sys,
}

impl Scope {
    pub const ALL: [Scope; 4] = [Scope::Cta, Scope::Cluster, Scope::Gpu, Scope::Sys];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Scope::Cta => "cta",
            Scope::Cluster => "cluster",
            Scope::Gpu => "gpu",
            Scope::Sys => "sys",
        }
    }
}

/// Where a thread runs. Numbers of CTAs and clusters are unique over all devices of a test.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Place {
    pub cta: u32,
    pub cluster: u32,
    pub gpu: u32,
}

/// A method of memory access (8.6).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Proxy {
    Generic,
    Surface,
    Texture,
    Constant,
    /// What bulk copies and the tensor cores use for shared and global memory.
    Async,
    /// Accesses of tensor memory by `tcgen05` instructions.
    Tensor,
}

impl Proxy {
    pub const ALL: [Proxy; 6] =
        [Proxy::Generic, Proxy::Surface, Proxy::Texture, Proxy::Constant, Proxy::Async, Proxy::Tensor];

    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Proxy::Generic => "generic",
            Proxy::Surface => "surface",
            Proxy::Texture => "texture",
            Proxy::Constant => "constant",
            Proxy::Async => "async",
            Proxy::Tensor => "tensor",
        }
    }
}

/// How an operation takes part in synchronization (8.4).
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Semantics {
    Weak,
    Relaxed,
    Acquire,
    Release,
    AcqRel,
    Sc,
}

impl Semantics {
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Semantics::Weak => "weak",
            Semantics::Relaxed => "relaxed",
            Semantics::Acquire => "acquire",
            Semantics::Release => "release",
            Semantics::AcqRel => "acq_rel",
            Semantics::Sc => "sc",
        }
    }

    #[must_use]
    pub fn acquires(self) -> bool {
        matches!(self, Semantics::Acquire | Semantics::AcqRel | Semantics::Sc)
    }

    #[must_use]
    pub fn releases(self) -> bool {
        matches!(self, Semantics::Release | Semantics::AcqRel | Semantics::Sc)
    }
}

/// What an event does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kind {
    /// W0, which gives a location its value before any thread starts (8.2.6).
    Initial,
    Read,
    Write,
    /// A memory fence.
    Fence,
    /// A proxy fence: between the generic proxy and this one.
    ProxyFence(Proxy),
    /// The proxy fence between aliases.
    AliasFence,
    /// `tcgen05.fence::before_thread_sync`, or what stands for it.
    TensorBefore,
    /// `tcgen05.fence::after_thread_sync`, or what stands for it.
    TensorAfter,
    /// Waits for asynchronous operations of the thread.
    Await,
    /// Part of an execution barrier: whether it arrives, and whether it waits.
    Barrier {
        arrives: bool,
        waits: bool,
    },
}

/// One operation in an execution.
#[derive(Clone, Debug)]
pub struct Event {
    /// The number of its thread; initial writes have none.
    pub thread: Option<usize>,
    pub place: Place,
    pub kind: Kind,
    pub semantics: Semantics,
    /// The scope of a strong operation.
    pub scope: Scope,
    pub proxy: Proxy,
    /// The virtual address, as a number.
    pub address: Option<usize>,
    /// The memory location that it maps to.
    pub location: Option<usize>,
    /// What is read or written.
    pub value: i64,
    /// Whether it is half of an atomic operation.
    pub atomic: bool,
    /// Whether that is a `red`, whose read half is no read operation (8.4) and forms no acquire pattern (8.8).
    pub reduction: bool,
    /// Whether it looks at the phase of an mbarrier: `mbarrier.test_wait`, `mbarrier.try_wait`.
    pub phase_test: bool,
    /// Which asynchronous operation it belongs to (8.9.1.1), if any: a number within its thread.
    pub asynchronous: Option<usize>,
    /// Which instruction of the source it comes from.
    pub span: Span,
}

impl Event {
    #[must_use]
    pub fn reads(&self) -> bool {
        self.kind == Kind::Read
    }

    #[must_use]
    pub fn writes(&self) -> bool {
        matches!(self.kind, Kind::Write | Kind::Initial)
    }

    /// Whether it is a memory operation.
    #[must_use]
    pub fn accesses(&self) -> bool {
        self.reads() || self.writes()
    }
}
