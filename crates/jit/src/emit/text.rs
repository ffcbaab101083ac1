//! What the emitter gives: a function as text, with what a module must have for it.

use std::collections::{BTreeMap, BTreeSet};

use ptxvm_ir::FunctionId;

use super::repeated::Uses;

/// A function in LLVM IR.
pub struct Text {
    /// Its definition.
    pub definition: String,
    /// The declarations that it needs.
    pub declarations: BTreeSet<String>,
    /// The functions that it shares with others.
    pub repeated: Uses,
    /// The functions that it calls.
    pub calls: BTreeSet<FunctionId>,
    /// By instruction of the PTX function that it has: whether it executes it itself.
    pub instructions: BTreeMap<u32, bool>,
    /// The blocks with which it goes on where warps have met, if the same piece has a function that begins there.
    pub followers: BTreeSet<u32>,
    /// Whether it accesses local memory.
    pub uses_local: bool,
}

impl Text {
    /// Both of two functions of a region.
    pub(super) fn and(mut self, other: Self) -> Self {
        self.definition.push_str(&other.definition);
        self.declarations.extend(other.declarations);
        self.followers.extend(other.followers);
        self.calls.extend(other.calls);
        for (number, times) in other.repeated {
            *self.repeated.entry(number).or_default() += times;
        }
        self
    }
}
