//! The functions that code calls itself, and what it must know of them.

use std::collections::BTreeMap;

use ptxvm_ir::FunctionId;
use ptxvm_machine::code::{self, Actual, Call};
use ptxvm_machine::registers::Slot;

/// The functions that code can call, by their numbers.
pub type Callees = BTreeMap<FunctionId, Callee>;

/// A function that code can call.
#[derive(Clone, Copy, Debug)]
pub struct Callee {
    /// How many calls are inside of one another at most, with its own.
    pub height: u32,
    /// The instructions of all of these: what the host's stack may hold of them grows with it.
    pub instructions: u64,
    /// Its own instructions, and those of the calls that are written in their place.
    pub expanded: u64,
    /// The bytes of a lane's stack that its call takes, and all inside of it.
    pub stack: u64,
    /// Whether lanes may end in it.
    pub ends: bool,
    /// Whether it has variables in local memory, or one that it calls has.
    pub frames: bool,
}

/// The slots of parameters that are all in registers; `None` if one lies elsewhere.
pub fn slots(actual: &[Actual]) -> Option<Vec<Slot>> {
    let slot = |actual: &Actual| match actual {
        Actual::Slot(slot) if slot.width() != 0 && slot.width() <= 8 => Some(*slot),
        _ => None,
    };
    actual.iter().map(slot).collect()
}

/// The function that code calls at the end of a block itself, if it does.
pub fn callee(call: &Call, callees: &Callees) -> Option<FunctionId> {
    let code::Callee::Function(id) = call.callee else { return None };
    let in_registers = slots(&call.arguments).is_some() && slots(&call.returns).is_some();
    (in_registers && callees.contains_key(&id)).then_some(id)
}
