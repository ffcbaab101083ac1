//! What happens in a launch that orders memory, told to whoever wants to judge a program by it: fences, asynchronous
//! operations, mbarriers, ends of CTAs.
//!
//! A cluster's events come in the order in which they happen. Operations note them in the cluster's [`Log`] and say
//! [`Flow::Issued`](crate::vector::lanes::Flow), whereupon the interpreter adds where that was and hands them over. Without a
//! listener nothing is noted.

use ptxvm_syntax::ast::Span;

use crate::asynchronous::issuer::{GroupKind, Issuer};
use crate::explain::finding::Thread;

/// Something that happened.
#[derive(Clone, Debug)]
pub struct Event {
    /// The number of the cluster in the grid.
    pub cluster: u64,
    /// The rank of the CTA in it.
    pub rank: u32,
    /// Who did it, or had issued the operation that it happened to; `None` if it is nobody's alone.
    pub thread: Option<Thread>,
    /// Where the instruction stands in the PTX.
    pub span: Option<Span>,
    /// What happened.
    pub what: What,
}

/// What can happen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum What {
    /// A thread executed a fence.
    Fence(Fence),
    /// A thread issued an asynchronous operation.
    Issued {
        /// Its number in the cluster.
        operation: u64,
        /// What it is.
        what: String,
        /// The lanes of the warp that issued it together.
        lanes: u32,
        /// The group of its thread that it belongs to.
        group: Option<(GroupKind, u32)>,
        /// The CTAs, as bits by rank, whose shared memory it reads.
        reads: u32,
        /// The CTAs whose shared memory it writes or signals.
        writes: u32,
    },
    /// An asynchronous operation has read its source.
    Read {
        /// Its number.
        operation: u64,
    },
    /// An asynchronous operation has written its destination; its signals follow.
    Completed {
        /// Its number.
        operation: u64,
    },
    /// A thread closed a group of its asynchronous operations.
    Committed {
        /// What they are.
        kind: GroupKind,
        /// The group's number.
        group: u32,
    },
    /// A thread has waited for groups.
    Waited {
        /// What they are.
        kind: GroupKind,
        /// The first group that it did not wait for.
        before: u32,
        /// Whether it waited for the reading of sources only.
        read: bool,
    },
    /// An mbarrier object was made.
    MbarrierInit {
        /// Its `.shared::cluster` address, here and below.
        mbarrier: u32,
        /// The arrivals that each phase expects.
        count: u32,
    },
    /// An mbarrier object was ended.
    MbarrierInval {
        /// Which one.
        mbarrier: u32,
    },
    /// The counts of an mbarrier object changed: by an arrival, or by bytes that are expected or have come.
    MbarrierChange {
        /// Which one.
        mbarrier: u32,
        /// By how many arrivals fewer are pending.
        arrivals: i64,
        /// By how many bytes more it waits for.
        tx: i64,
    },
    /// A phase of an mbarrier object ended.
    PhaseEnded {
        /// Which one.
        mbarrier: u32,
        /// The parity of the phase.
        parity: bool,
    },
    /// A thread has seen that a phase has ended: `test_wait` or `try_wait` said so.
    PhaseSeen {
        /// Which one.
        mbarrier: u32,
        /// The parity of the phase.
        parity: bool,
    },
    /// A thread has arrived at the barrier of its cluster.
    ClusterArrive {
        /// `release` or `relaxed`.
        sem: &'static str,
    },
    /// A thread has waited for the barrier of its cluster, with `.acquire`.
    ClusterWait,
    /// All threads of the cluster have come to its barrier, the last of them in this CTA.
    ClusterBarrier,
    /// All threads of a CTA have ended.
    CtaEnded,
}

/// A fence, in the words of its instruction.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Fence {
    /// `fence`, `fence.proxy`, `fence.mbarrier_init`, `membar`, `membar.proxy` or `tcgen05.fence::…`.
    pub name: &'static str,
    /// `.acquire`, `.release`, `.acq_rel` or `.sc`; proxy fences without one go both ways.
    pub sem: Option<&'static str>,
    /// `.cta`, `.cluster`, `.gpu` or `.sys`.
    pub scope: Option<&'static str>,
    /// `alias`, `async`, `tensormap::generic` or `async::generic`.
    pub proxy: Option<&'static str>,
    /// The state space that a proxy fence is for.
    pub space: Option<&'static str>,
    /// What `.sync_restrict` restricts it to.
    pub restrict: Option<&'static str>,
    /// The address of the tensor map that it is for.
    pub address: Option<u64>,
}

/// A part of an event, for those who write it down.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    /// Words.
    Text(String),
    /// A number.
    Number(i64),
    /// An address.
    Address(u64),
    /// Whether it is so.
    Flag(bool),
}

impl What {
    /// The event's name; it is stable and stands in JSON.
    #[must_use]
    pub const fn name(&self) -> &'static str {
        match self {
            Self::Fence(_) => "fence",
            Self::Issued { .. } => "issued",
            Self::Read { .. } => "read",
            Self::Completed { .. } => "completed",
            Self::Committed { .. } => "committed",
            Self::Waited { .. } => "waited",
            Self::MbarrierInit { .. } => "mbarrier-init",
            Self::MbarrierInval { .. } => "mbarrier-inval",
            Self::MbarrierChange { .. } => "mbarrier-change",
            Self::PhaseEnded { .. } => "phase-ended",
            Self::PhaseSeen { .. } => "phase-seen",
            Self::ClusterArrive { .. } => "cluster-arrive",
            Self::ClusterWait => "cluster-wait",
            Self::ClusterBarrier => "cluster-barrier",
            Self::CtaEnded => "cta-ended",
        }
    }

    /// Its parts, by name.
    #[must_use]
    pub fn fields(&self) -> Vec<(&'static str, Field)> {
        let number = |n: u64| Field::Number(n as i64);
        let address = |a: u32| Field::Address(u64::from(a));
        let kind = |kind: GroupKind| Field::Text(kind.name().into());
        match self {
            Self::Fence(fence) => {
                let words = [
                    ("name", Some(fence.name)),
                    ("sem", fence.sem),
                    ("scope", fence.scope),
                    ("proxy", fence.proxy),
                    ("space", fence.space),
                    ("restrict", fence.restrict),
                ];
                let words =
                    words.into_iter().filter_map(|(name, word)| Some((name, Field::Text(word?.into()))));
                words.chain(fence.address.map(|at| ("address", Field::Address(at)))).collect()
            }
            Self::Issued { operation, what, lanes, group, reads, writes } => {
                let mut fields = vec![
                    ("operation", number(*operation)),
                    ("what", Field::Text(what.clone())),
                    ("lanes", address(*lanes)),
                ];
                if let Some((which, group)) = group {
                    fields.extend([("kind", kind(*which)), ("group", number(u64::from(*group)))]);
                }
                fields.extend([("reads", address(*reads)), ("writes", address(*writes))]);
                fields
            }
            Self::Read { operation } | Self::Completed { operation } => {
                vec![("operation", number(*operation))]
            }
            Self::Committed { kind: which, group } => {
                vec![("kind", kind(*which)), ("group", number(u64::from(*group)))]
            }
            Self::Waited { kind: which, before, read } => vec![
                ("kind", kind(*which)),
                ("before", number(u64::from(*before))),
                ("read", Field::Flag(*read)),
            ],
            Self::MbarrierInit { mbarrier, count } => {
                vec![("mbarrier", address(*mbarrier)), ("count", number(u64::from(*count)))]
            }
            Self::MbarrierInval { mbarrier } => vec![("mbarrier", address(*mbarrier))],
            Self::MbarrierChange { mbarrier, arrivals, tx } => vec![
                ("mbarrier", address(*mbarrier)),
                ("arrivals", Field::Number(*arrivals)),
                ("tx", Field::Number(*tx)),
            ],
            Self::PhaseEnded { mbarrier, parity } | Self::PhaseSeen { mbarrier, parity } => {
                vec![("mbarrier", address(*mbarrier)), ("parity", number(u64::from(*parity)))]
            }
            Self::ClusterArrive { sem } => vec![("sem", Field::Text((*sem).into()))],
            Self::ClusterWait | Self::ClusterBarrier | Self::CtaEnded => Vec::new(),
        }
    }
}

impl std::fmt::Display for Field {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Text(text) if text.contains(' ') => write!(f, "\"{text}\""),
            Self::Text(text) => f.write_str(text),
            Self::Number(number) => write!(f, "{number}"),
            Self::Address(address) => write!(f, "{address:#x}"),
            Self::Flag(flag) => write!(f, "{flag}"),
        }
    }
}

/// What has happened in a cluster and has not been told yet.
#[derive(Debug, Default)]
pub struct Log {
    on: bool,
    /// The thread whose doing is noted, and whether it is known where.
    actor: Issuer,
    placed: bool,
    pub(crate) records: Vec<EventRecord>,
}

/// Something that happened, as it is noted.
#[derive(Debug)]
pub(crate) struct EventRecord {
    /// Who, unless it is nobody's alone.
    pub(crate) who: Option<Issuer>,
    pub(crate) rank: u32,
    /// Whether it is known at which instruction.
    placed: bool,
    pub(crate) what: What,
}

impl Log {
    /// Forgets everything. Notes what comes, or nothing.
    pub fn start(&mut self, on: bool) {
        self.records.clear();
        self.on = on;
    }

    /// Whether somebody listens.
    #[must_use]
    pub fn is_on(&self) -> bool {
        self.on
    }

    /// What is noted from now on, this thread does with its instruction, whose place the interpreter adds.
    pub fn act(&mut self, actor: Issuer) {
        (self.actor, self.placed) = (actor, false);
    }

    /// What is noted from now on happens to an operation of this thread, which knows its place.
    pub fn act_for(&mut self, actor: Issuer) {
        (self.actor, self.placed) = (actor, true);
    }

    /// Notes what the acting thread has done, or what has happened to its operation.
    pub fn note(&mut self, what: impl FnOnce() -> What) {
        if self.on {
            let Self { actor, placed, .. } = *self;
            self.records.push(EventRecord { who: Some(actor), rank: actor.rank, placed, what: what() });
        }
    }

    /// Notes what happened to a CTA.
    pub fn note_cta(&mut self, rank: u32, what: impl FnOnce() -> What) {
        if self.on {
            self.records.push(EventRecord { who: None, rank, placed: true, what: what() });
        }
    }

    /// The instruction at this place has been executed.
    pub fn place(&mut self, at: u32) {
        for record in self.records.iter_mut().filter(|record| !record.placed) {
            record.placed = true;
            if let Some(who) = &mut record.who {
                who.at = at;
            }
        }
    }
}
