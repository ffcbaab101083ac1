//! The tensor memory of a cluster's CTAs: who holds columns, who waits for some, and what is left at the end.
//!
//! With `.cta_group::2` one warp of each CTA of a pair allocates, and both get the same columns. The first one waits for
//! the other. The manual says that deallocating together may wait too, so the caller chooses.

use ptxvm_memory::TensorMemory;
use ptxvm_memory::tensor::{Refusal, room};

use crate::asynchronous::issuer::Issuer;
use crate::asynchronous::mbarrier::record::Party;
use crate::asynchronous::trouble::Wrong;
use crate::state::awaited::Awaited;

/// The tensor memory of each CTA and what is known of its use.
#[derive(Debug, Default)]
pub struct TensorMemories {
    /// By rank.
    pub of_ctas: Vec<TensorMemory>,
    /// Who allocated what is allocated.
    pub(super) holders: Vec<Holder>,
    /// Warps that have begun something with a warp of the peer CTA.
    pub(super) meetings: Vec<Meeting>,
    /// How many allocations each CTA has freed together with its peer.
    pub(super) freed: Vec<u32>,
    /// The `.cta_group` that the kernel's instructions have.
    group: Option<u32>,
}

#[derive(Debug)]
pub(super) struct Holder {
    pub(super) rank: u32,
    pub(super) first: u32,
    pub(super) issuer: Issuer,
    /// Whether the issuer's place is known.
    pub(super) placed: bool,
}

#[derive(Clone, Copy, Debug)]
pub(super) struct Meeting {
    pub(super) rank: u32,
    pub(super) warp: u32,
    pub(super) about: About,
}

#[derive(Clone, Copy, Debug)]
pub(super) enum About {
    /// It wants so many columns; those that it has got begin there.
    Columns { wanted: u32, got: Option<u32> },
    /// It has freed the allocation of this number that it and its peer freed together.
    Freed(u32),
}

/// What became of a wish for columns.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Gain {
    /// They are there; the first.
    Columns(u32),
    /// The warp must wait.
    Wait(Awaited),
}

impl TensorMemories {
    /// Makes it that of a fresh cluster of so many CTAs.
    pub fn start(&mut self, ctas: usize) {
        self.of_ctas.resize_with(ctas, TensorMemory::default);
        self.of_ctas.iter_mut().for_each(TensorMemory::reset);
        self.holders.clear();
        self.meetings.clear();
        self.freed.clear();
        self.freed.resize(ctas, 0);
        self.group = None;
    }

    /// The instruction at this place is over: if it has allocated, that was here.
    pub fn place(&mut self, at: u32, activation: u32) {
        for holder in self.holders.iter_mut().filter(|holder| !holder.placed) {
            (holder.issuer.at, holder.issuer.activation, holder.placed) = (at, activation, true);
        }
    }

    /// What a CTA holds, in words.
    #[must_use]
    pub fn held(&self, rank: u32) -> String {
        let Some(memory) = self.of_ctas.get(rank as usize) else { return String::new() };
        let held = memory.allocations().iter().map(|(first, columns)| {
            let holder = self.holders.iter().find(|holder| (holder.rank, holder.first) == (rank, *first));
            let by = holder.map_or(String::new(), |holder| format!(" (by warp {})", holder.issuer.warp));
            format!("{first} to {}{by}", first + columns - 1)
        });
        let held: Vec<String> = held.collect();
        match held.len() {
            0 => "none are allocated".into(),
            _ => format!("allocated are columns {}", held.join(", ")),
        }
    }

    /// All instructions of a kernel that have a `.cta_group` have the same.
    pub fn agree(&mut self, group: u32) -> Result<(), Wrong> {
        match self.group.replace(group) {
            Some(before) if before != group => Err(Wrong {
                message: format!(
                    "a tcgen05 instruction with .cta_group::{group} after one with .cta_group::{before}"
                ),
                notes: vec!["all tcgen05 instructions of a kernel must have the same .cta_group".into()],
            }),
            _ => Ok(()),
        }
    }

    pub(super) fn meeting(&self, rank: u32, warp: u32) -> Option<usize> {
        self.meetings.iter().position(|meeting| (meeting.rank, meeting.warp) == (rank, warp))
    }

    pub(super) fn take(&mut self, rank: u32, by: Issuer, first: u32, columns: u32) {
        self.of_ctas[rank as usize].allocate(first, columns);
        self.holders.push(Holder { rank, first, issuer: by, placed: false });
    }

    pub(super) fn allocate(&mut self, by: Party, columns: u32) -> Result<Gain, Wrong> {
        let memory = &self.of_ctas[by.rank as usize];
        memory.may_allocate(columns).map_err(|refusal| refused("tcgen05.alloc", refusal, columns))?;
        match room(memory.allocated(), columns) {
            Some(first) => {
                self.take(by.rank, issuer(by), first, columns);
                Ok(Gain::Columns(first))
            }
            None => Ok(Gain::Wait(Awaited::Columns(columns))),
        }
    }

    pub(super) fn allocate_together(&mut self, by: Party, columns: u32) -> Result<Gain, Wrong> {
        let own = match self.meeting(by.rank, by.warp) {
            Some(index) => match self.meetings[index].about {
                About::Columns { got: Some(first), .. } => {
                    self.meetings.remove(index);
                    self.holders.push(Holder { rank: by.rank, first, issuer: issuer(by), placed: false });
                    return Ok(Gain::Columns(first));
                }
                _ => index,
            },
            None => {
                let memory = &self.of_ctas[by.rank as usize];
                memory.may_allocate(columns).map_err(|refusal| refused("tcgen05.alloc", refusal, columns))?;
                let about = About::Columns { wanted: columns, got: None };
                self.meetings.push(Meeting { rank: by.rank, warp: by.warp, about });
                self.meetings.len() - 1
            }
        };
        let peer = by.rank ^ 1;
        let found = self.meetings.iter().position(|meeting| {
            meeting.rank == peer && matches!(meeting.about, About::Columns { got: None, .. })
        });
        let Some(other) = found else { return Ok(Gain::Wait(Awaited::PeerAllocates(columns))) };
        if let About::Columns { wanted, .. } = self.meetings[other].about
            && wanted != columns
        {
            return Err(Wrong {
                message: format!(
                    "tcgen05.alloc.cta_group::2 of {columns} columns in CTA {} and of {wanted} in CTA {peer}",
                    by.rank
                ),
                notes: vec!["both CTAs of a pair must allocate the same number of columns".into()],
            });
        }
        let taken =
            [by.rank, peer].iter().fold(0, |taken, rank| taken | self.of_ctas[*rank as usize].allocated());
        let Some(first) = room(taken, columns) else { return Ok(Gain::Wait(Awaited::Columns(columns))) };
        self.meetings[other].about = About::Columns { wanted: columns, got: Some(first) };
        self.of_ctas[peer as usize].allocate(first, columns);
        self.meetings.remove(own);
        self.take(by.rank, issuer(by), first, columns);
        Ok(Gain::Columns(first))
    }
}

fn issuer(by: Party) -> Issuer {
    Issuer { rank: by.rank, warp: by.warp, lanes: by.lanes, ..Issuer::default() }
}

/// What is wrong with a number of columns.
pub(super) fn refused(what: &str, refusal: Refusal, columns: u32) -> Wrong {
    let (message, note) = match refusal {
        Refusal::Count => {
            (format!("{what} of {columns} columns"), "nCols must be a power of two from 32 to 512".to_owned())
        }
        Refusal::Growing(latest) => (
            format!("{what} of {columns} columns after one of {latest}"),
            "the number of columns must not increase from one allocation of a CTA to the next".to_owned(),
        ),
        Refusal::Relinquished => (
            format!("{what} in a CTA that has executed tcgen05.relinquish_alloc_permit"),
            "no thread of the CTA may allocate after that".to_owned(),
        ),
        Refusal::NoAllocation => (
            format!("{what} where no allocation begins"),
            "taddr must be what a tcgen05.alloc has given, and be freed once".to_owned(),
        ),
        Refusal::OtherCount(size) => (
            format!("{what} of {columns} columns of an allocation of {size}"),
            "nCols must be that of the tcgen05.alloc".to_owned(),
        ),
    };
    Wrong { message, notes: vec![note] }
}
