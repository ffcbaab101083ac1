//! What the machine remembers of a live mbarrier object beside its counts: who made it and who came, for reports.

use ptxvm_ir::operation::mbarrier::Layout;
use smallvec::SmallVec;

use super::object::Object;
use crate::code::Source;
use crate::door::pointer::Checked;

/// Lanes of a warp of a CTA of the cluster.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Party {
    /// The CTA's rank.
    pub rank: u32,
    /// The warp in its CTA.
    pub warp: u32,
    /// The lanes.
    pub lanes: u32,
}

impl Party {
    /// Whether both are of one warp.
    #[must_use]
    pub fn shares_warp(self, other: Party) -> bool {
        (self.rank, self.warp) == (other.rank, other.warp)
    }

    /// The party in words, with its CTA if there are several.
    #[must_use]
    pub fn in_words(self, ctas: usize) -> String {
        self.with_warps_up_to(self.warp, ctas)
    }

    /// The same lanes of this warp and of all up to another one, in words.
    fn with_warps_up_to(self, last: u32, ctas: usize) -> String {
        let Party { rank, warp, lanes } = self;
        let warps = if warp == last { format!("warp {warp}") } else { format!("warps {warp} to {last}") };
        let whose = if ctas > 1 { format!(" of CTA {rank}") } else { String::new() };
        match lanes.count_ones() {
            1 => format!("lane {} of {warps}{whose}", lanes.trailing_zeros()),
            32 => format!("{warps}{whose}"),
            _ => format!("lanes {lanes:#010x} of {warps}{whose}"),
        }
    }
}

/// Those who did something to an object in one phase, a warp each.
#[derive(Clone, Debug, Default)]
pub struct Parties(pub SmallVec<[Party; 2]>);

impl Parties {
    /// Adds lanes.
    pub fn add(&mut self, party: Party) {
        match self.0.iter_mut().find(|known| known.shares_warp(party)) {
            Some(known) => known.lanes |= party.lanes,
            None => self.0.push(party),
        }
    }

    /// Those who are not among the others.
    #[must_use]
    pub fn without(&self, others: &Parties) -> Parties {
        let rest = self.0.iter().filter_map(|party| {
            let other = others.0.iter().find(|other| other.shares_warp(*party));
            let lanes = party.lanes & !other.map_or(0, |other| other.lanes);
            (lanes != 0).then_some(Party { lanes, ..*party })
        });
        Parties(rest.collect())
    }

    /// Some of them in words, warps of which the same lanes are meant together.
    #[must_use]
    pub fn in_words(&self, ctas: usize) -> String {
        const MOST: usize = 8;
        let mut parties = self.0.clone();
        parties.sort_unstable_by_key(|party| (party.rank, party.warp));
        let follows = |a: &Party, b: &Party| (a.rank, a.warp + 1, a.lanes) == (b.rank, b.warp, b.lanes);
        let runs: Vec<&[Party]> = parties.chunk_by(follows).collect();
        let words = |run: &&[Party]| {
            let (first, last) = (run.first()?, run.last()?);
            Some(first.with_warps_up_to(last.warp, ctas))
        };
        let mut some: Vec<String> = runs.iter().take(MOST).filter_map(words).collect();
        if runs.len() > MOST {
            let rest: usize = runs[MOST..].iter().map(|run| run.len()).sum();
            some.push(format!("and {rest} more warps"));
        }
        some.join(", ")
    }

    /// How many threads they are.
    #[must_use]
    pub fn threads(&self) -> u32 {
        self.0.iter().map(|party| party.lanes.count_ones()).sum()
    }
}

/// A live object.
#[derive(Clone, Debug)]
pub struct Record {
    /// Its counts.
    pub object: Object,
    /// What it was made to keep.
    pub layout: Layout,
    /// How many of its phases are complete.
    pub phases: u64,
    /// Who made it, and with which count.
    pub made_by: Party,
    /// The count that it was made with.
    pub count: u32,
    /// How many arrivals the current phase needs in all.
    pub due: u32,
    /// Who has arrived in the current phase.
    pub arrived: Parties,
    /// Who arrived in the phase before.
    pub arrived_before: Parties,
    /// How many bytes have been expected in the current phase.
    pub expected_bytes: u64,
    /// How many have come.
    pub bytes: u64,
    /// The instruction that last expected bytes, if checks want to know.
    pub expected_by: Option<Source>,
    /// The instruction that last brought some.
    pub brought_by: Option<Source>,
    /// Where it lies, and what lay there when it was made. Nothing but the guest's own stores changes that.
    place: Checked,
    covers: u64,
}

impl Record {
    /// A fresh object at a place of the cluster's shared memory that has been checked and is kept until the cluster
    /// has ended.
    pub(super) fn new((object, layout): (Object, Layout), made_by: Party, place: Checked) -> Self {
        let mut record = Self {
            object,
            layout,
            phases: 0,
            made_by,
            count: object.expected,
            due: object.expected,
            arrived: Parties::default(),
            arrived_before: Parties::default(),
            expected_bytes: 0,
            bytes: 0,
            expected_by: None,
            brought_by: None,
            place,
            covers: 0,
        };
        record.covers = record.memory();
        record
    }

    fn memory(&self) -> u64 {
        self.place.load()
    }

    /// Whether somebody has stored to its memory.
    pub(super) fn is_overwritten(&self) -> bool {
        self.memory() != self.covers
    }

    /// Puts its bits into its memory.
    pub(super) fn write_back(&self) {
        self.place.store(self.object.bits());
    }

    /// Begins the next phase if the current one is complete. Gives whether it did.
    pub(super) fn advance(&mut self) -> bool {
        let over = self.object.advance();
        if over {
            self.phases += 1;
            self.due = self.object.pending;
            std::mem::swap(&mut self.arrived, &mut self.arrived_before);
            self.arrived.0.clear();
            (self.expected_bytes, self.bytes) = (0, 0);
        }
        over
    }

    /// Its counts in words.
    #[must_use]
    pub fn counts(&self) -> String {
        let Object { pending, tx, .. } = self.object;
        let (phase, due) = (self.phases, self.due);
        format!("its phase {phase} lacks {pending} of {due} arrivals, and its tx-count is {tx}")
    }
}
