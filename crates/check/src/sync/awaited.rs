//! Asynchronous operations that nobody has waited for when their CTA ends, and copies of one group that write the same
//! bytes (9.7.9.25, 9.7.15.7.3, 9.7.16.6).
//!
//! A thread waits for the groups that it closes, and anybody for the phase of an mbarrier object by which an operation tells
//! that it is done. `tcgen05.commit` and `cp.async.mbarrier.arrive` tell so of all that their thread has issued before, also
//! of what an earlier one has told another object. For bulk groups it is enough to wait for what they read: no thread need
//! see what is in global memory before the kernel's end.

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

/// An operation of a thread, and which one of those that it has issued.
#[derive(Clone, Copy, Debug)]
struct Numbered {
    number: u64,
    issue: Issue,
}

/// The operations of a thread that it has closed no group of, and the groups that it has not waited for.
#[derive(Debug, Default)]
struct Groups {
    /// How many operations it has issued.
    issued: u64,
    open: Vec<Numbered>,
    writes: Vec<(Written, Source)>,
    closed: VecDeque<Vec<Numbered>>,
}

/// Of which operations an mbarrier object is told that they are done.
#[derive(Clone, Copy, Debug)]
enum Signal {
    /// Of one.
    Of(Issue),
    /// Of all that a thread has issued, up to one.
    UpTo(Batch, Member, u64),
}

/// What an mbarrier object is told.
#[derive(Debug, Default)]
struct Signals {
    /// What it has not been told yet, each by an operation.
    under_way: Vec<(u64, Signal)>,
    /// What it has been told in the phase that is not over.
    told: Vec<Signal>,
    /// The same of phases that are over, and that nobody has waited for.
    over: Vec<Signal>,
}

impl Signals {
    fn all(&self) -> impl Iterator<Item = &Signal> {
        self.under_way.iter().map(|(_, signal)| signal).chain(&self.told).chain(&self.over)
    }
}

/// Those of a cluster.
#[derive(Debug, Default)]
pub struct Outstanding {
    groups: FxHashMap<(Batch, Member), Groups>,
    signals: FxHashMap<u64, Signals>,
}

/// Adds what an mbarrier object is told, unless it says no more than what is there.
fn add(all: &mut Vec<Signal>, new: Signal) {
    for known in all.iter_mut() {
        match (known, new) {
            (Signal::Of(known), Signal::Of(new)) if known.at == new.at => return,
            (Signal::UpTo(batch, member, last), Signal::UpTo(of, by, to))
                if (*batch, *member) == (of, by) =>
            {
                *last = to.max(*last);
                return;
            }
            _ => {}
        }
    }
    all.push(new);
}

impl Outstanding {
    /// A thread issues an operation that belongs to the group which it closes next.
    pub fn issue(&mut self, batch: Batch, member: Member, issue: Issue) {
        let groups = self.groups.entry((batch, member)).or_default();
        groups.issued += 1;
        // One of each instruction is enough: the last, for which the others have been waited for too.
        groups.open.retain(|known| known.issue.at != issue.at);
        groups.open.push(Numbered { number: groups.issued, issue });
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

    /// An operation is to tell an mbarrier object when all that a thread has issued are done.
    pub fn tell(&mut self, batch: Batch, member: Member, (operation, mbarrier): (u64, u64)) {
        let Some(groups) = self.groups.get_mut(&(batch, member)) else { return };
        // Who waits for the object may copy there again.
        groups.writes.clear();
        let signal = Signal::UpTo(batch, member, groups.issued);
        self.signals.entry(mbarrier).or_default().under_way.push((operation, signal));
    }

    /// An operation is issued that tells an mbarrier object itself.
    pub fn signal(&mut self, operation: u64, mbarrier: u64, issue: Issue) {
        self.signals.entry(mbarrier).or_default().under_way.push((operation, Signal::Of(issue)));
    }

    /// An operation is complete, and tells an mbarrier object.
    pub fn complete(&mut self, operation: u64, mbarrier: u64) {
        let Some(signals) = self.signals.get_mut(&mbarrier) else { return };
        for (_, signal) in signals.under_way.extract_if(.., |(number, _)| *number == operation) {
            add(&mut signals.told, signal);
        }
    }

    /// A phase of an mbarrier object is over.
    pub fn phase_ended(&mut self, mbarrier: u64) {
        if let Some(signals) = self.signals.get_mut(&mbarrier) {
            for signal in std::mem::take(&mut signals.told) {
                add(&mut signals.over, signal);
            }
        }
    }

    /// Somebody has waited for the phases of an mbarrier object that are over.
    pub fn see(&mut self, mbarrier: u64) {
        let Some(signals) = self.signals.get_mut(&mbarrier) else { return };
        for signal in std::mem::take(&mut signals.over) {
            if let Signal::UpTo(batch, member, last) = signal
                && let Some(groups) = self.groups.get_mut(&(batch, member))
            {
                groups.open.retain(|known| known.number > last);
                groups.closed.iter_mut().for_each(|group| group.retain(|known| known.number > last));
            }
        }
    }

    /// A CTA has ended.
    pub fn ended(&mut self, rank: u32, is_of: impl Fn(u64) -> bool, found: &mut Vec<Wrong>) {
        const SIGNAL: &str = "a wait for the phase of the mbarrier object that it signals";
        let mut left: Vec<(Issue, &str, &str)> = Vec::new();
        for ((batch, member), groups) in self.groups.extract_if(|(_, member), _| member.rank == rank) {
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
            // Up to which operation mbarrier objects are told, of this CTA and of others.
            let (mut here, mut elsewhere) = (0, 0);
            for (mbarrier, signals) in &self.signals {
                let to = if is_of(*mbarrier) { &mut here } else { &mut elsewhere };
                for signal in signals.all() {
                    match *signal {
                        Signal::UpTo(of, by, last) if (of, by) == (batch, member) => *to = last.max(*to),
                        _ => {}
                    }
                }
            }
            let all = groups.closed.into_iter().flatten().chain(groups.open);
            // A CTA that goes on may still wait for its object.
            for Numbered { number, issue } in all.filter(|known| known.number > elsewhere) {
                left.push((issue, what, if number <= here { SIGNAL } else { wait }));
            }
        }
        for (_, signals) in self.signals.extract_if(|mbarrier, _| is_of(*mbarrier)) {
            left.extend(signals.all().filter_map(|signal| match *signal {
                Signal::Of(issue) => Some((issue, "an asynchronous operation", SIGNAL)),
                Signal::UpTo(..) => None,
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
