//! The base sets and relations: what a model's text may take for granted. Each calls a predicate of [`crate::strength`] or
//! says what the threads did.

use super::value::Value;
use crate::event::{Event, Kind, Proxy, Semantics};
use crate::relation::{Relation, Set};
use crate::strength;

/// The base sets, in the order of [`Base::values`].
pub const BASE_SETS: &[&str] = &[
    "R",
    "W",
    "M",
    "I",
    "F",
    "SC",
    "strong",
    "acquire",
    "release",
    "reduction",
    "phase-test",
    "generic",
    "alias-fence",
    "tensor",
    "tensor-before",
    "tensor-after",
];

/// The base relations, in the order of [`Base::values`]; `rf` is the last.
pub const BASE_RELATIONS: &[&str] = &[
    "id",
    "all",
    "po",
    "rmw",
    "dep",
    "barrier",
    "issue",
    "inclusive",
    "same-address",
    "same-location",
    "same-proxy",
    "same-cta",
    "proxy-fence-of",
    "rf",
];

/// What the threads of one execution did, before anything is said of what they saw.
#[derive(Clone, Debug)]
pub struct Base {
    pub events: Vec<Event>,
    /// Program order (8.9.1).
    pub po: Relation,
    /// From the read to the write of an atomic operation.
    pub rmw: Relation,
    /// From a read to what depends on it.
    pub dep: Relation,
    /// From arriving at a barrier to waiting at it (8.9.4).
    pub barrier: Relation,
    /// From what a thread did before it started an asynchronous operation to that operation (8.9.1.1).
    pub issue: Relation,
}

impl Base {
    /// The values of the base names but `rf`, in their order.
    #[must_use]
    pub fn values(&self) -> Vec<Value> {
        let events = &self.events;
        let count = events.len();
        let set = |holds: &dyn Fn(&Event) -> bool| -> Value {
            let members = events.iter().enumerate().filter(|(_, event)| holds(event));
            Value::Set(members.fold(0, |set: Set, (i, _)| set | 1 << i))
        };
        let pairs = |holds: fn(&Event, &Event) -> bool| -> Value {
            Value::Relation(Relation::of(count, |a, b| holds(&events[a], &events[b])))
        };
        let fence = |e: &Event| e.kind == Kind::Fence;
        let everything = if count == 128 { Set::MAX } else { (1 << count) - 1 };
        vec![
            set(&Event::reads),
            set(&Event::writes),
            set(&Event::accesses),
            set(&|e| e.kind == Kind::Initial),
            set(&fence),
            set(&|e| fence(e) && e.semantics == Semantics::Sc),
            set(&strength::strong),
            set(&|e| e.semantics.acquires()),
            set(&|e| e.semantics.releases()),
            set(&|e| e.reduction),
            set(&|e| e.phase_test),
            set(&|e| e.proxy == Proxy::Generic),
            set(&|e| e.kind == Kind::AliasFence),
            set(&|e| e.accesses() && e.proxy == Proxy::Tensor),
            set(&|e| e.kind == Kind::TensorBefore),
            set(&|e| e.kind == Kind::TensorAfter),
            Value::Relation(Relation::identity(count, everything)),
            Value::Relation(Relation::product(count, everything, everything)),
            Value::Relation(self.po.clone()),
            Value::Relation(self.rmw.clone()),
            Value::Relation(self.dep.clone()),
            Value::Relation(self.barrier.clone()),
            Value::Relation(self.issue.clone()),
            pairs(strength::inclusive),
            pairs(strength::same_address),
            pairs(strength::same_location),
            pairs(strength::same_proxy),
            pairs(strength::same_cta),
            pairs(strength::proxy_fence_of),
        ]
    }
}
