//! Nothing in a cluster can run, and not all threads have ended: who waits for what, and who could have helped.

use crate::asynchronous::mbarrier::{Parties, Party, Record};
use crate::code::Source;
use crate::context::Run;
use crate::explain::finding::{Finding, Kind};
use crate::explain::missed_variable;
use crate::explain::report::{kernel, place, text, thread};
use crate::schedule::cluster::barrier::ClusterBarrier;
use crate::schedule::cluster::shared::rank_and_offset;
use crate::schedule::cluster::state::ClusterState;
use crate::schedule::cta::Cta;
use crate::schedule::interpret;
use crate::schedule::warp::{Awaited, Group, State, Warp};

/// How many waiting groups of lanes, and how many mbarrier objects, a finding speaks of.
const GROUPS: usize = 16;
const OBJECTS: usize = 4;

/// The finding of a deadlock.
pub fn finding(ctas: &[Box<Cta>], cluster: &ClusterState, run: &Run<'_>) -> Finding {
    let scene = Scene { ctas, cluster, run };
    let all: Vec<(usize, &Warp, &Group)> = scene.groups().collect();
    let mut notes: Vec<String> =
        all.iter().take(GROUPS).map(|(rank, warp, group)| scene.waits(*rank, warp, group)).collect();
    if all.len() > GROUPS {
        notes.push(format!("{} more groups of lanes wait", all.len() - GROUPS));
    }
    if all.iter().any(|(_, _, group)| group.state == State::Wait(Awaited::ClusterBarrier)) {
        notes.push(missing_at_barrier(ctas, &cluster.barrier));
    }
    let mut awaited: Vec<u32> = Vec::new();
    for (_, _, group) in &all {
        if let State::Wait(Awaited::Mbarrier { address, .. }) = group.state
            && !awaited.contains(&address)
        {
            awaited.push(address);
        }
    }
    for address in awaited.iter().take(OBJECTS) {
        if let Some(record) = cluster.mbarriers.get(*address) {
            scene.explain(*address, record, &mut notes);
        }
    }
    if awaited.len() > OBJECTS {
        notes.push(format!("{} more mbarrier objects are waited for", awaited.len() - OBJECTS));
    }
    let ended = ctas.iter().flat_map(|cta| &cta.warps);
    let ended: u32 = ended.map(|w| (w.state.present & w.state.exited).count_ones()).sum();
    if ended > 0 {
        let which = if ctas.len() > 1 { "cluster" } else { "CTA" };
        notes.push(format!("{ended} threads of the {which} have ended"));
    }
    let first = all.first().copied();
    let at = first.map(|(_, warp, group)| place(warp, group.activation, scene.source(group), run));
    let who = first.map(|(rank, warp, group)| {
        thread(ctas[rank].state.ctaid, warp, group.mask.trailing_zeros().min(31) as usize)
    });
    let [x, y, z] = ctas.get(first.map_or(0, |(rank, ..)| rank)).map_or([0; 3], |cta| cta.state.ctaid);
    let message = match ctas.len() {
        1 => format!("no thread of CTA ({x},{y},{z}) can go on"),
        _ => format!("no thread of the cluster of CTA ({x},{y},{z}) can go on"),
    };
    let kind = Kind::Deadlock;
    Finding {
        kind,
        message,
        notes,
        kernel: kernel(run),
        place: at,
        thread: who,
        registers: Vec::new(),
        survived: false,
        related: Vec::new(),
    }
}

/// Who has not arrived at the cluster's barrier.
fn missing_at_barrier(ctas: &[Box<Cta>], barrier: &ClusterBarrier) -> String {
    let missing = |warp: &Warp| (warp.state.alive() & !warp.state.arrivals.open(barrier)).count_ones();
    let each = ctas.iter().enumerate().filter_map(|(rank, cta)| {
        let threads: u32 = cta.warps.iter().map(missing).sum();
        (threads != 0).then(|| format!("{threads} of CTA {rank}"))
    });
    let each: Vec<String> = each.collect();
    let (missing, living) = barrier.progress();
    format!(
        "{missing} of the cluster's {living} living threads have not arrived at its barrier: {}",
        each.join(", ")
    )
}

/// The groups of a warp by their lowest lanes.
fn in_order(warp: &Warp) -> Vec<&Group> {
    let mut groups: Vec<&Group> = warp.groups.iter().collect();
    groups.sort_by_key(|group| group.mask.trailing_zeros());
    groups
}

/// A cluster that stands still.
struct Scene<'a> {
    ctas: &'a [Box<Cta>],
    cluster: &'a ClusterState,
    run: &'a Run<'a>,
}

impl<'a> Scene<'a> {
    /// Every group of lanes, with the rank of its CTA and its warp; those of a warp by their lowest lanes, since their order
    /// in it is only that in which they came.
    fn groups(&self) -> impl Iterator<Item = (usize, &'a Warp, &'a Group)> {
        let warps =
            self.ctas.iter().enumerate().flat_map(|(rank, cta)| cta.warps.iter().map(move |w| (rank, w)));
        warps.flat_map(|(rank, warp)| in_order(warp).into_iter().map(move |group| (rank, warp, group)))
    }

    /// The instruction that a waiting group stands at.
    fn source(&self, group: &Group) -> Source {
        interpret::place(self.run.code, group.at(self.run.code))
    }

    /// What a group waits for.
    fn waits(&self, rank: usize, warp: &Warp, group: &Group) -> String {
        let whose = if self.ctas.len() > 1 { format!("CTA {rank} of the cluster, ") } else { String::new() };
        let who = format!("{whose}warp {}, lanes {:#010x}", warp.state.index, group.mask);
        let line = text(self.source(group), self.run);
        match group.state {
            State::Barrier { number, .. } => {
                let cta = &self.ctas[rank];
                let (arrived, expected) = cta.state.barriers[number as usize].progress(cta.living());
                let missing = warp.state.alive() & !group.mask;
                let own = if missing == 0 {
                    String::new()
                } else {
                    format!("; its own lanes {missing:#010x} have not arrived")
                };
                format!(
                    "{who} wait at barrier {number} ({line}): {arrived} of {expected} warps have arrived{own}"
                )
            }
            State::Converge(members) => {
                let missing = members & warp.state.alive() & !group.mask;
                format!("{who} wait at {line} for lanes {missing:#010x} of their warp")
            }
            State::Wait(Awaited::Mbarrier { address, parity }) => {
                let phase = self.cluster.mbarriers.get(address).map_or(String::new(), |record| {
                    format!("phase {} (parity {}) of ", record.phases, u8::from(parity))
                });
                format!("{who} wait at {line} for {phase}{}", self.object(address))
            }
            State::Wait(Awaited::ClusterBarrier) => {
                format!("{who} wait at {line} for the other threads of the cluster")
            }
            State::Wait(Awaited::Warpgroup | Awaited::Products) => {
                let behind = self.ctas[rank].state.warpgroups.behind(warp.state.index);
                let behind: Vec<String> = behind.map(|warp| warp.to_string()).collect();
                format!("{who} wait at {line} for warp {} of their warpgroup", behind.join(", "))
            }
            State::Wait(Awaited::Columns(columns)) => {
                let held = self.cluster.tensor_memory.held(rank as u32);
                format!("{who} wait at {line} for {columns} columns of tensor memory; {held}")
            }
            State::Wait(Awaited::PeerAllocates(columns)) => format!(
                "{who} wait at {line} for a warp of the peer CTA {} to allocate {columns} columns with them",
                rank ^ 1
            ),
            State::Wait(Awaited::PeerDeallocates) => {
                format!(
                    "{who} wait at {line} for a warp of the peer CTA {} to deallocate with them",
                    rank ^ 1
                )
            }
            State::Wait(Awaited::Grids) => format!("{who} wait at {line} for the grids before this one"),
            State::Ready | State::Released | State::Again(_) => format!("{who} could run"),
        }
    }

    /// An mbarrier object in words.
    fn object(&self, address: u32) -> String {
        let place = self.cluster.whereabouts(address);
        match missed_variable::shared_name(rank_and_offset(address.into()).1, self.run) {
            Some(name) => format!("the mbarrier object {name} at {place}"),
            None => format!("the mbarrier object at {place}"),
        }
    }

    /// Why a phase has not ended.
    fn explain(&self, address: u32, record: &Record, notes: &mut Vec<String>) {
        let ctas = self.ctas.len();
        notes.push(format!("{}: {}", self.object(address), record.counts()));
        if record.object.pending > 0 {
            self.arrivals(record, notes);
        }
        let (expected, came, tx) = (record.expected_bytes, record.bytes, record.object.tx);
        if tx > 0 {
            notes.push(format!(
                "{expected} bytes were expected in this phase and {came} have arrived; no copy is under way that brings \
                 the other {tx}"
            ));
        } else if tx < 0 {
            let early = tx.unsigned_abs();
            let before = if record.phases > 0 {
                "; if they were meant for the phase before, that one ended without them: `expect_tx` must come before \
                 its last arrival"
            } else {
                ""
            };
            notes.push(format!(
                "{came} bytes have arrived in this phase and {expected} were expected: {early} too many{before}"
            ));
        }
        if record.object.pending == 0 {
            let arrived = record.arrived.in_words(ctas);
            notes.push(format!("all arrivals of this phase have happened: {arrived}"));
        }
    }

    /// Who has arrived and who has not.
    fn arrivals(&self, record: &Record, notes: &mut Vec<String>) {
        let ctas = self.ctas.len();
        let pending = record.object.pending;
        if !record.arrived.0.is_empty() {
            notes.push(format!("arrived in this phase: {}", record.arrived.in_words(ctas)));
        } else if record.phases == 0 {
            let maker = record.made_by.in_words(ctas);
            notes.push(format!(
                "nobody has arrived since {maker} initialised it with a count of {}",
                record.count
            ));
        } else {
            notes.push("nobody has arrived in this phase".into());
        }
        let absent = record.arrived_before.without(&record.arrived);
        for party in absent.0.iter().take(OBJECTS) {
            let fate = self.fate(*party);
            notes.push(format!(
                "{} arrived in the phase before and not in this one: {fate}",
                party.in_words(ctas)
            ));
        }
        let mut able = Parties::default();
        for (rank, cta) in self.ctas.iter().enumerate() {
            for warp in &cta.warps {
                let (rank, lanes) = (rank as u32, warp.state.alive());
                able.add(Party { rank, warp: warp.state.index, lanes });
            }
        }
        let able = able.without(&record.arrived);
        notes.push(match able.threads() {
            0 => "every thread that has not ended has arrived in this phase: others were meant to, or the count is too \
                  high"
                .into(),
            left if left < pending => {
                format!("only {left} threads could still arrive: {}", able.in_words(ctas))
            }
            left => format!("{left} threads could still arrive, and all wait: {}", able.in_words(ctas)),
        });
    }

    /// What has become of threads.
    fn fate(&self, party: Party) -> String {
        let warp = self.ctas.get(party.rank as usize).and_then(|cta| cta.warps.get(party.warp as usize));
        let Some(warp) = warp else { return "unknown".into() };
        let mut fates = Vec::new();
        if warp.state.exited & party.lanes != 0 {
            fates.push("ended".to_owned());
        }
        for group in in_order(warp).iter().filter(|group| group.mask & party.lanes != 0) {
            fates.push(format!("waits at {}", text(self.source(group), self.run)));
        }
        fates.dedup();
        fates.join(", ")
    }
}
