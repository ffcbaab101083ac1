//! mbarrier objects and their phases: somebody waits for each before anybody arrives in the next (9.7.13.15.4), nobody waits
//! again for a phase that is over (9.7.13.15.16), and ordinary accesses leave a live object alone (9.7.13.15.1).

use std::collections::BTreeMap;

use ptxvm_machine::Kind;
use ptxvm_machine::code::Source;
use ptxvm_machine::door::observer::Who;
use ptxvm_order::Shape;
use rustc_hash::FxHashMap;

use crate::sync::thread::Member;
use crate::sync::told::Wrong;

/// The bytes of an object.
const BYTES: u64 = 8;

/// The last phase that a thread has waited for.
#[derive(Clone, Copy, Debug)]
struct Waited {
    /// How many phases were over then.
    ended: u64,
    /// The wait.
    at: Source,
    /// Whether the thread has arrived since.
    arrived: bool,
}

/// A live object.
#[derive(Debug)]
struct Object {
    made_at: Source,
    /// How many of its phases are over, and how many of them somebody has waited for.
    ended: u64,
    seen: u64,
    /// The instruction that arrived last.
    last_arrival: Option<Source>,
    waited: FxHashMap<Member, Waited>,
}

/// The live objects of a cluster, by their `.shared::cluster` addresses.
#[derive(Debug, Default)]
pub struct Objects(BTreeMap<u64, Object>);

impl Objects {
    /// An object is made, and what was known of one there is forgotten.
    pub fn init(&mut self, address: u64, made_at: Source) {
        let fresh = Object { made_at, ended: 0, seen: 0, last_arrival: None, waited: FxHashMap::default() };
        self.0.insert(address, fresh);
    }

    /// An object's life is over.
    pub fn inval(&mut self, address: u64) {
        self.0.remove(&address);
    }

    /// A phase is over.
    pub fn phase_ended(&mut self, address: u64) {
        if let Some(object) = self.0.get_mut(&address) {
            object.ended += 1;
        }
    }

    /// Threads are about to arrive.
    pub fn arrive(&mut self, who: &Who, at: Source, address: u64, shape: &Shape, found: &mut Vec<Wrong>) {
        let Some(object) = self.0.get_mut(&address) else { return };
        if object.seen < object.ended {
            // It is told once, not in each phase from now on.
            object.seen = object.ended;
            let phase = object.ended;
            let related =
                object.last_arrival.map(|before| (before, "somebody has arrived here before".into()));
            found.push(Wrong {
                kind: Kind::Mbarrier,
                at,
                thread: Some(Member::first(who).thread(who.ctaid, shape)),
                message: format!(
                    "an arrival in phase {phase} of an mbarrier object, and nobody has waited for phase {}",
                    phase - 1
                ),
                note: "some thread must have seen that a phase is over before anybody arrives in the next"
                    .into(),
                related: related.into_iter().collect(),
            });
        }
        object.last_arrival = Some(at);
        for member in Member::each(who) {
            if let Some(waited) = object.waited.get_mut(&member) {
                waited.arrived = true;
            }
        }
    }

    /// Threads have seen that a phase is over.
    pub fn see(&mut self, who: &Who, at: Source, address: u64, shape: &Shape, found: &mut Vec<Wrong>) {
        let Some(object) = self.0.get_mut(&address) else { return };
        let ended = object.ended;
        object.seen = ended;
        for member in Member::each(who) {
            let now = Waited { ended, at, arrived: false };
            let before = object.waited.insert(member, now);
            if let Some(before) = before
                && ended > 0
                && before.ended == ended
                && before.arrived
            {
                found.push(Wrong {
                    kind: Kind::Mbarrier,
                    at,
                    thread: Some(member.thread(who.ctaid, shape)),
                    message: format!(
                        "a wait for phase {} of an mbarrier object, which the thread has waited for before; it has arrived \
                         in phase {ended} since",
                        ended - 1
                    ),
                    note: "the parity to wait for changes with each phase".into(),
                    related: if before.at == at { Vec::new() } else { vec![(before.at, "it has waited here".into())] },
                });
            }
        }
    }

    /// Whether bytes may belong to a live object.
    pub fn may_hold(&self, from: u64, to: u64) -> bool {
        let (first, last) = (self.0.first_key_value(), self.0.last_key_value());
        first.is_some_and(|(first, _)| to > *first) && last.is_some_and(|(last, _)| from < last + BYTES)
    }

    /// Something else than mbarrier instructions touches bytes of shared memory.
    pub fn touch(
        &mut self,
        who: &Who,
        at: Source,
        (address, bytes): (u64, u64),
        shape: &Shape,
        found: &mut Vec<Wrong>,
    ) {
        let from = address.saturating_sub(BYTES - 1);
        let Some((_, object)) = self.0.range(from..address.saturating_add(bytes)).next() else { return };
        found.push(Wrong {
            kind: Kind::Mbarrier,
            at,
            thread: Some(Member::first(who).thread(who.ctaid, shape)),
            message: "an ordinary access to a live mbarrier object".into(),
            note: "only mbarrier instructions may touch its eight bytes until `mbarrier.inval`".into(),
            related: vec![(object.made_at, "it was initialised here".into())],
        });
    }

    /// A CTA has ended, and its objects with it.
    pub fn ended(&mut self, is_of: impl Fn(u64) -> bool) {
        self.0.retain(|address, _| !is_of(*address));
    }
}
