//! What can be missing between two accesses that nothing orders: the release, what was seen of it, the acquire, a fence, or a
//! scope.

use ptxvm_machine::Thread;
use ptxvm_model::event::Scope;
use ptxvm_syntax::ast::Span;

use crate::clock::{Event, Key};
use crate::site::SiteId;

/// An access of a run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Accessed {
    /// The instruction.
    pub span: Span,
    /// Who executed it.
    pub thread: Thread,
}

/// A part of the order between a write and a read that is not there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Missing {
    /// The reader saw nothing that the writer did later.
    Signal {
        /// The scope that includes both.
        scope: Scope,
    },
    /// The reader saw a later write of the writer, but nothing releases the first before that.
    Release {
        /// The later write.
        signal: Span,
        /// The scope that it takes.
        scope: Scope,
    },
    /// The later write is weak.
    WeakWrite {
        /// It.
        signal: Span,
        /// The scope that it takes.
        scope: Scope,
    },
    /// The read of the later write is weak.
    WeakRead {
        /// It.
        read: Span,
        /// The scope that it takes.
        scope: Scope,
    },
    /// Nothing acquires after the read of the later write.
    Acquire {
        /// That read.
        read: Span,
        /// The scope that it takes.
        scope: Scope,
    },
    /// The reader released nothing between the read and the write that came after it.
    Before {
        /// The scope that includes both.
        scope: Scope,
    },
    /// The read goes through the async proxy, and no fence of that lies between.
    ProxyFence,
    /// The scope of a release, of an acquire, or of the accesses between them leaves the other thread out.
    Scope {
        /// The operation.
        at: Span,
        /// Its scope.
        has: Scope,
        /// The scope that it takes.
        scope: Scope,
    },
}

impl Missing {
    /// Moves its place.
    pub fn change_spans(&mut self, change: impl Fn(Span) -> Span) {
        match self {
            Self::Signal { .. } | Self::ProxyFence | Self::Before { .. } => {}
            Self::Release { signal: span, .. }
            | Self::WeakWrite { signal: span, .. }
            | Self::WeakRead { read: span, .. }
            | Self::Acquire { read: span, .. }
            | Self::Scope { at: span, .. } => *span = change(*span),
        }
    }
}

/// An access that somebody does not know of who comes later.
#[derive(Clone, Copy, Debug)]
pub struct Missed {
    /// Who made it.
    pub event: Event,
    /// By which instruction.
    pub site: SiteId,
    /// When.
    pub key: Key,
}
