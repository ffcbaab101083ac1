//! Several checkers of one launch: each is told everything.

use std::sync::Arc;

use ptxvm_machine::Follower;
use ptxvm_machine::code::Source;
use ptxvm_machine::door::executed::{Begun, Decides, Executed, Passed};
use ptxvm_machine::door::follower::{Decision, Doubted, Found, OldBytes, OldWord, Ordering, Temper};
use ptxvm_machine::door::fragments::Fragments;
use ptxvm_machine::door::observer::{Access, HeapChange, Transferred, Who};
use ptxvm_machine::registers::{LANES, Slot};

/// Several followers as one. None of them may have reads see anything but the newest writes.
#[must_use]
pub fn together(mut followers: Vec<Arc<dyn Follower>>) -> Option<Arc<dyn Follower>> {
    match followers.len() {
        0 | 1 => followers.pop(),
        _ => Some(Arc::new(Several(followers))),
    }
}

#[derive(Debug)]
struct Several(Vec<Arc<dyn Follower>>);

impl Follower for Several {
    fn access(&self, access: &Access<'_>, memory: &Found<'_>, old: &mut OldBytes) -> Decision {
        self.0.iter().fold(Decision::default(), |sum, follower| {
            let one = follower.access(access, memory, old);
            Decision {
                elsewhere: sum.elsewhere | one.elsewhere,
                look_again: sum.look_again | one.look_again,
                undefined: sum.undefined | one.undefined,
            }
        })
    }

    fn look_again(&self, access: &Access<'_>, memory: &Found<'_>, old: &OldBytes) {
        self.0.iter().for_each(|follower| follower.look_again(access, memory, old));
    }

    fn issued(&self, operation: &Transferred<'_>) {
        self.0.iter().for_each(|follower| follower.issued(operation));
    }

    fn completes(&self, operation: &Transferred<'_>) -> Vec<Doubted> {
        self.0.iter().flat_map(|follower| follower.completes(operation)).collect()
    }

    fn completed(&self, operation: &Transferred<'_>, changed: &[Doubted]) {
        self.0.iter().for_each(|follower| follower.completed(operation, changed));
    }

    fn reads(&self, operation: &Transferred<'_>) -> Vec<OldWord> {
        self.0.iter().flat_map(|follower| follower.reads(operation)).collect()
    }

    fn touched(&self, access: &Access<'_>) {
        self.0.iter().for_each(|follower| follower.touched(access));
    }

    fn heap(&self, change: &HeapChange) {
        self.0.iter().for_each(|follower| follower.heap(change));
    }

    fn ordered(&self, who: Who, source: Source, ordering: Ordering) {
        self.0.iter().for_each(|follower| follower.ordered(who, source, ordering));
    }

    fn phase_ended(&self, cluster: u64, mbarrier: u32) {
        self.0.iter().for_each(|follower| follower.phase_ended(cluster, mbarrier));
    }

    fn cta_ended(&self, cluster: u64, rank: u32) {
        self.0.iter().for_each(|follower| follower.cta_ended(cluster, rank));
    }

    fn cluster_ended(&self, cluster: u64) {
        self.0.iter().for_each(|follower| follower.cluster_ended(cluster));
    }

    fn moment(&self) -> u64 {
        self.0.first().map_or(0, |follower| follower.moment())
    }

    fn put_off(&self, since: Option<u64>) -> Option<u64> {
        self.0.iter().fold(None, |before, follower| follower.put_off(since).or(before))
    }

    fn temper(&self) -> Temper {
        Temper::default()
    }

    fn follows_values(&self) -> bool {
        self.0.iter().any(|follower| follower.follows_values())
    }

    fn begins(&self, begun: &Begun<'_>) {
        self.0.iter().for_each(|follower| follower.begins(begun));
    }

    fn executes(&self, executed: &Executed<'_>) {
        self.0.iter().for_each(|follower| follower.executes(executed));
    }

    fn executed(&self, executed: &Executed<'_>) -> bool {
        self.0.iter().fold(false, |any, follower| follower.executed(executed) | any)
    }

    fn decides(&self, who: Who, source: Source, register: (u32, Slot), what: Decides) {
        self.0.iter().for_each(|follower| follower.decides(who, source, register, what));
    }

    fn passes(&self, who: Who, from: Passed<'_>, to: Passed<'_>) -> bool {
        self.0.iter().fold(false, |any, follower| follower.passes(who, from, to) | any)
    }

    fn fragments(&self, fragments: &Fragments<'_>) -> bool {
        self.0.iter().fold(false, |any, follower| follower.fragments(fragments) | any)
    }

    fn accumulates(&self, who: Who, source: Source) {
        self.0.iter().for_each(|follower| follower.accumulates(who, source));
    }

    fn allocates(&self, who: Who, source: Source, addresses: &[u64; LANES], bytes: &[u64; LANES]) {
        self.0.iter().for_each(|follower| follower.allocates(who, source, addresses, bytes));
    }

    fn local(&self, access: &Access<'_>) -> bool {
        self.0.iter().fold(false, |any, follower| follower.local(access) | any)
    }
}
