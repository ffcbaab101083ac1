//! Asynchronous operations that nobody has waited for when their CTA ends, and copies of one group that write the same
//! bytes (9.7.9.25, 9.7.15.7.3, 9.7.16.6).
//!
//! A thread waits for the groups that it closes, and anybody for the phase of an mbarrier object by which an operation tells
//! that it is done. For bulk groups it is enough to wait for what they read: no thread need see what is in global
//! memory before the kernel's end.

use std::collections::VecDeque;

use ptxvm_machine::code::Source;
use ptxvm_machine::door::follower::Batch;
use ptxvm_machine::{Kind, Thread};
use rustc_hash::FxHashMap;

use crate::sync::thread::Member;
use crate::sync::told::Wrong;

/// An operation that has been issued.
#[derive(Clone, Copy, Debug)]
pub struct Issue {
    pub at: Source,
    pub thread: Thread,
}

/// The bytes that a copy writes.
#[derive(Clone, Copy, Debug)]
pub struct Written {
    pub address: u64,
    pub bytes: u64,
}

/// So many of a group's copies are compared with a new one, at most.
const COMPARED: usize = 256;

/// So many groups of a thread are kept, at most: older ones are taken to be waited for.
const MOST_GROUPS: usize = 64;

/// The operations of a thread that it has closed no group of, and the groups that it has not waited for.
#[derive(Debug, Default)]
struct Groups {
    open: Vec<Issue>,
    writes: Vec<(Written, Source)>,
    closed: VecDeque<Vec<Issue>>,
}

/// The operations that tell an mbarrier object.
#[derive(Debug, Default)]
struct Signals {
    /// Those that have not.
    under_way: Vec<(u64, Issue)>,
    /// Those that have told the phase that is not over.
    told: Vec<Issue>,
    /// Those of phases that are over, and that nobody has waited for.
    over: Vec<Issue>,
}

/// Those of a cluster.
#[derive(Debug, Default)]
pub struct Outstanding {
    groups: FxHashMap<(Batch, Member), Groups>,
    signals: FxHashMap<u64, Signals>,
}

/// Adds one of those that have not been issued by the same instruction.
fn add(all: &mut Vec<Issue>, issue: Issue) {
    if all.iter().all(|known| known.at != issue.at) {
        all.push(issue);
    }
}

impl Outstanding {
    /// A thread issues an operation that belongs to the group which it closes next.
    pub fn issue(&mut self, batch: Batch, member: Member, issue: Issue) {
        let groups = self.groups.entry((batch, member)).or_default();
        add(&mut groups.open, issue);
    }

    /// A copy of the group that a thread closes next writes bytes.
    pub fn write(&mut self, member: Member, written: Written, issue: Issue, found: &mut Vec<Wrong>) {
        let groups = self.groups.entry((Batch::Copies, member)).or_default();
        let overlaps = |(other, _): &&(Written, Source)| {
            other.address < written.address + written.bytes && written.address < other.address + other.bytes
        };
        if let Some((_, before)) = groups.writes.iter().find(overlaps) {
            found.push(Wrong {
                kind: Kind::OverlappingCopies,
                at: issue.at,
                thread: Some(issue.thread),
                message: "a `cp.async` writes bytes that another one of its group writes".into(),
                note: "nothing orders the copies of a group; `cp.async.wait_group` must come between the two"
                    .into(),
                related: vec![(*before, "the other is here".into())],
            });
        }
        if groups.writes.len() < COMPARED {
            groups.writes.push((written, issue.at));
        }
    }

    /// A thread closes a group.
    pub fn commit(&mut self, batch: Batch, member: Member) {
        let groups = self.groups.entry((batch, member)).or_default();
        groups.closed.push_back(std::mem::take(&mut groups.open));
        if groups.closed.len() > MOST_GROUPS {
            groups.closed.pop_front();
        }
        groups.writes.clear();
        // Groups without operations in front need no wait.
        while groups.closed.front().is_some_and(Vec::is_empty) {
            groups.closed.pop_front();
        }
    }

    /// A thread has waited for all groups but the latest.
    pub fn wait(&mut self, batch: Batch, member: Member, latest: u32) {
        if let Some(groups) = self.groups.get_mut(&(batch, member)) {
            let done = groups.closed.len().saturating_sub(latest as usize);
            groups.closed.drain(..done);
        }
    }

    /// All operations of a thread are to tell an mbarrier object when they are done, by one that tells it.
    pub fn tell(&mut self, batch: Batch, member: Member, (operation, mbarrier): (u64, u64)) {
        let Some(groups) = self.groups.remove(&(batch, member)) else { return };
        let signals = self.signals.entry(mbarrier).or_default();
        let all = groups.closed.into_iter().flatten().chain(groups.open);
        signals.under_way.extend(all.map(|issue| (operation, issue)));
    }

    /// An operation is issued that tells an mbarrier object itself.
    pub fn signal(&mut self, operation: u64, mbarrier: u64, issue: Issue) {
        self.signals.entry(mbarrier).or_default().under_way.push((operation, issue));
    }

    /// An operation is complete, and tells an mbarrier object.
    pub fn complete(&mut self, operation: u64, mbarrier: u64) {
        let Some(signals) = self.signals.get_mut(&mbarrier) else { return };
        for (_, issue) in signals.under_way.extract_if(.., |(number, _)| *number == operation) {
            add(&mut signals.told, issue);
        }
    }

    /// A phase of an mbarrier object is over.
    pub fn phase_ended(&mut self, mbarrier: u64) {
        if let Some(signals) = self.signals.get_mut(&mbarrier) {
            for issue in std::mem::take(&mut signals.told) {
                add(&mut signals.over, issue);
            }
        }
    }

    /// Somebody has waited for the phases of an mbarrier object that are over.
    pub fn see(&mut self, mbarrier: u64) {
        if let Some(signals) = self.signals.get_mut(&mbarrier) {
            signals.over.clear();
        }
    }

    /// A CTA has ended.
    pub fn ended(&mut self, rank: u32, is_of: impl Fn(u64) -> bool, found: &mut Vec<Wrong>) {
        let mut left: Vec<(Issue, &str, &str)> = Vec::new();
        for ((batch, _), groups) in self.groups.extract_if(|(_, member), _| member.rank == rank) {
            let (what, wait) = match batch {
                Batch::Copies => ("`cp.async`", "`cp.async.wait_all`, or `commit_group` and `wait_group`"),
                Batch::Bulk => {
                    ("a bulk copy", "`cp.async.bulk.commit_group` and `cp.async.bulk.wait_group.read`")
                }
                Batch::Products => ("a `wgmma.mma_async`", "`wgmma.commit_group` and `wgmma.wait_group`"),
                Batch::TensorStores => ("a `tcgen05.st`", "`tcgen05.wait::st`"),
                // Who uses what has been loaded waits by that; those of tensor cores have no groups, and wait for a commit.
                Batch::TensorLoads => ("a tcgen05 operation", "`tcgen05.commit` and a wait for its mbarrier"),
            };
            let all = groups.closed.into_iter().flatten().chain(groups.open);
            left.extend(all.map(|issue| (issue, what, wait)));
        }
        for (_, signals) in self.signals.extract_if(|mbarrier, _| is_of(*mbarrier)) {
            let under_way = signals.under_way.into_iter().map(|(_, issue)| issue);
            let all = under_way.chain(signals.told).chain(signals.over);
            left.extend(all.map(|issue| {
                (
                    issue,
                    "an asynchronous operation",
                    "a wait for the phase of the mbarrier object that it signals",
                )
            }));
        }
        left.sort_by_key(|(issue, ..)| (issue.at, issue.thread.warp, issue.thread.lane));
        found.extend(left.into_iter().map(|(issue, what, wait)| Wrong {
            kind: Kind::Unawaited,
            at: issue.at,
            thread: Some(issue.thread),
            message: format!("{what} is issued here, and the CTA ends before anybody has waited for it"),
            note: format!("{wait} must come before the CTA ends"),
            related: Vec::new(),
        }));
    }
}
