//! What stops a kernel: the guest did something impossible, or somebody's patience ended.
//!
//! A [`Finding`] says what, where and who in numbers and names; it prints nothing. The doors to the world turn
//! spans into lines and choose colours.

use ptxvm_memory::{Budget, OverBudget};
use ptxvm_syntax::ast::Span;

/// Why a launch ended before its kernel did.
#[derive(Clone, Debug)]
pub enum Stop {
    /// The guest is wrong.
    Finding(Box<Finding>),
    /// ptxvm cannot run this yet.
    Unsupported(Unsupported),
    /// A limit that the user set was reached, or the user interrupted.
    Limit(Limit),
}

impl Stop {
    /// A budget of the host's memory has no more for a launch that needs about so many bytes.
    pub(crate) fn out_of_memory(budget: &Budget, bytes: usize) -> Self {
        Self::Limit(Limit::Memory(budget.refusal(bytes as u64)))
    }
}

/// Something that ptxvm does not do yet.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unsupported {
    /// The instruction's head in the table, or what else is missing.
    pub what: String,
    /// Where it stands in the PTX.
    pub span: Span,
}

/// A limit that stopped a guest.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Limit {
    /// `--max-instructions`
    Instructions(u64),
    /// `--timeout`
    Time(std::time::Duration),
    /// `--max-memory`: what was needed, and what there is.
    Memory(OverBudget),
    /// The user asked for it.
    Interrupted,
}

/// What kind of wrong it is; the name is stable and stands in JSON.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Kind {
    /// An access outside of every object, or over the end of one.
    OutOfBounds,
    /// An address that is no multiple of the access's size.
    Misaligned,
    /// An address in another space than the instruction says.
    WrongSpace,
    /// An access to the shared memory of another CTA of the cluster that is not there.
    ForeignShared,
    /// An access through a null pointer.
    Null,
    /// An access to memory that has been freed.
    UseAfterFree,
    /// A write to constant or parameter memory.
    ReadOnly,
    /// `free` of something that is not a live allocation.
    BadFree,
    /// More local memory than a thread may have.
    StackOverflow,
    /// A call through a value that is no function's address, or of a function with another signature.
    BadCall,
    /// A `brx.idx` with an index past the end of its list.
    BranchIndex,
    /// `trap`
    Trap,
    /// `brkpt` without a debugger.
    Breakpoint,
    /// `__assertfail`
    Assert,
    /// Nothing can run and not everything has ended.
    Deadlock,
    /// A barrier, warp or other instruction used against its rules.
    Misuse,
    /// A launch that breaks a limit of the kernel or the device.
    Launch,
    /// A value that nobody has defined decides something.
    Uninitialised,
    /// An access through the address of one variable that leaves it.
    OutsideObject,
    /// An `.aligned` barrier that only a part of the threads executes that it is for.
    Divergent,
    /// Threads that come to a barrier of their CTA in ways that do not fit together.
    Barrier,
    /// A mask of lanes that is not the one of those who execute the instruction.
    MemberMask,
    /// A value of a lane that does not take part.
    InactiveLane,
    /// Shared memory of another CTA of the cluster, which may not have begun or may have ended.
    ClusterLifetime,
    /// An mbarrier object used against the order of its phases.
    Mbarrier,
    /// An asynchronous operation that nobody has waited for when its CTA ends.
    Unawaited,
    /// Two copies of one group that write the same bytes.
    OverlappingCopies,
    /// Registers of a `wgmma` product that are touched while it is under way, or not fenced before it.
    WgmmaRegisters,
    /// An operation whose result the manual leaves open.
    UndefinedResult,
    /// Memory or an object that is never given back.
    Leak,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Kind; 30] = [
        Self::OutOfBounds,
        Self::Misaligned,
        Self::WrongSpace,
        Self::ForeignShared,
        Self::Null,
        Self::UseAfterFree,
        Self::ReadOnly,
        Self::BadFree,
        Self::StackOverflow,
        Self::BadCall,
        Self::BranchIndex,
        Self::Trap,
        Self::Breakpoint,
        Self::Assert,
        Self::Deadlock,
        Self::Misuse,
        Self::Launch,
        Self::Uninitialised,
        Self::OutsideObject,
        Self::Divergent,
        Self::Barrier,
        Self::MemberMask,
        Self::InactiveLane,
        Self::ClusterLifetime,
        Self::Mbarrier,
        Self::Unawaited,
        Self::OverlappingCopies,
        Self::WgmmaRegisters,
        Self::UndefinedResult,
        Self::Leak,
    ];

    /// The name in JSON and on documentation pages.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OutOfBounds => "out-of-bounds",
            Self::Misaligned => "misaligned",
            Self::WrongSpace => "wrong-space",
            Self::ForeignShared => "foreign-shared",
            Self::Null => "null",
            Self::UseAfterFree => "use-after-free",
            Self::ReadOnly => "read-only",
            Self::BadFree => "bad-free",
            Self::StackOverflow => "stack-overflow",
            Self::BadCall => "bad-call",
            Self::BranchIndex => "branch-index",
            Self::Trap => "trap",
            Self::Breakpoint => "breakpoint",
            Self::Assert => "assert",
            Self::Deadlock => "deadlock",
            Self::Misuse => "misuse",
            Self::Launch => "launch",
            Self::Uninitialised => "uninitialised",
            Self::OutsideObject => "outside-object",
            Self::Divergent => "divergent",
            Self::Barrier => "barrier",
            Self::MemberMask => "member-mask",
            Self::InactiveLane => "inactive-lane",
            Self::ClusterLifetime => "cluster-lifetime",
            Self::Mbarrier => "mbarrier",
            Self::Unawaited => "unawaited",
            Self::OverlappingCopies => "overlapping-copies",
            Self::WgmmaRegisters => "wgmma-registers",
            Self::UndefinedResult => "undefined-result",
            Self::Leak => "leak",
        }
    }
}

/// Something that the guest did wrong.
#[derive(Clone, Debug)]
pub struct Finding {
    /// What kind of wrong.
    pub kind: Kind,
    /// One sentence: what happened.
    pub message: String,
    /// More sentences: the object, the distance, who waits for whom.
    pub notes: Vec<String>,
    /// The kernel that was launched.
    pub kernel: String,
    /// Where it happened; `None` for launches.
    pub place: Option<Place>,
    /// Who did it; `None` if it is nobody's alone.
    pub thread: Option<Thread>,
    /// The registers involved, with their values in that thread.
    pub registers: Vec<(String, u64)>,
    /// Whether an H200 goes on after it.
    pub survived: bool,
    /// Other places that belong to it: where a value came from, who else waits.
    pub related: Vec<Related>,
}

/// Another place of a finding.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Related {
    /// Where it stands in the PTX.
    pub span: Span,
    /// What was done there, and by whom: a few words.
    pub text: String,
    /// Where what it was made from stands, as for a [`Place`].
    pub sources: Vec<SourceLine>,
}

/// The place of an instruction.
#[derive(Clone, Debug)]
pub struct Place {
    /// The function it stands in.
    pub function: String,
    /// Where it stands in the PTX.
    pub span: Span,
    /// Where what it was made from stands: if functions were inlined there, the innermost first, and after each where it
    /// was inlined.
    pub sources: Vec<SourceLine>,
    /// The calls that led here, innermost first: function and span of the call.
    pub calls: Vec<(String, Span)>,
}

/// A position in the source that PTX was made from, as `.loc` gives it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SourceLine {
    /// The file's name.
    pub file: String,
    /// The line, from 1.
    pub line: u32,
    /// The column, from 1; 0 if it is not known.
    pub column: u32,
    /// The inlined function that it stands in, if it does and its name is known.
    pub function: Option<String>,
}

/// A thread's coordinates.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Thread {
    /// `%ctaid`
    pub ctaid: [u32; 3],
    /// `%tid`
    pub tid: [u32; 3],
    /// The warp in its CTA.
    pub warp: u32,
    /// The lane in its warp.
    pub lane: u32,
}
