//! Accesses to memory that are checked together: those of a block whose addresses are one register's value and a number each.
//!
//! The first of them checks the memory from the lowest to the highest byte of all. If that is not all in one region, the
//! interpreter executes the block from there on and finds what is wrong, if anything is, at the access that is.

use std::collections::HashMap;

use ptxvm_ir::operation::access::Words;
use ptxvm_ir::operation::{Access, AddressSpace, Operation, Order};
use ptxvm_machine::code::Meaning;
use ptxvm_machine::context::Instruction;
use ptxvm_machine::schedule::compiled::Way;

use crate::analysis::Analysis;

/// The accesses of a block that are checked together with others.
#[derive(Default)]
pub struct Together {
    /// By instruction of the code: its group, and how far it lies from where the first of it accesses memory.
    members: HashMap<u32, (usize, i64)>,
    /// By group: its first instruction, and what that checks.
    groups: Vec<(u32, Reach)>,
}

/// What is checked for an access: its own bytes, or those of all accesses that are checked together with it.
#[derive(Clone, Copy)]
pub struct Reach {
    /// How far it begins below the access.
    pub below: u64,
    /// How many bytes it has.
    pub bytes: u64,
}

/// What accesses of a group have in common.
#[derive(PartialEq, Eq, Hash)]
struct Key {
    space: AddressSpace,
    writes: bool,
    bytes: u64,
    /// The register or constant that their addresses begin with.
    address: (bool, u32),
    guard: Option<(u32, bool)>,
    /// The offset of the first in its alignment: others have the same, or the first says nothing about theirs.
    within: i64,
}

impl Together {
    /// Looks at a block of the code.
    pub fn of(analysis: &Analysis<'_>, block: u32) -> Self {
        let mut all = Self::default();
        // By what they have in common: the group, and the offset of its first and of its lowest.
        let mut open: HashMap<Key, (usize, i64, i64)> = HashMap::new();
        let described = &analysis.code.blocks[block as usize];
        for at in described.start..described.end {
            let instruction = &analysis.code.instructions[at as usize];
            if let Some((key, offset)) = access(analysis, instruction) {
                let bytes = key.bytes as i64;
                let (group, first, low) = open.entry(key).or_insert_with(|| {
                    all.groups.push((at, Reach { below: 0, bytes: bytes as u64 }));
                    (all.groups.len() - 1, offset, offset)
                });
                let (_, reach) = &mut all.groups[*group];
                let lowest = offset.min(*low);
                let end = (*low + reach.bytes as i64).max(offset + bytes);
                if (end - lowest) as u64 <= Way::MOST_BYTES {
                    *low = lowest;
                    reach.below = (*first - lowest) as u64;
                    reach.bytes = (end - lowest) as u64;
                    all.members.insert(at, (*group, offset - *first));
                }
            }
            let written = &analysis.function.instructions[instruction.source.instruction as usize];
            for written in analysis.function.writes(written) {
                let Some(slot) = analysis.slot(written.register.0).map(|slot| slot.offset()) else {
                    continue;
                };
                open.retain(|key, _| {
                    key.address != (false, slot) && key.guard.is_none_or(|(guard, _)| guard != slot)
                });
            }
        }
        all
    }

    /// The group of an instruction of the code, and how far it lies from where the first accesses memory.
    pub fn group(&self, at: u32) -> Option<(usize, i64)> {
        self.members.get(&at).copied()
    }

    /// What an instruction of the code checks, if it is the first of a group.
    pub fn reach(&self, at: u32) -> Option<Reach> {
        let (first, reach) = self.groups.get(self.group(at)?.0)?;
        (*first == at).then_some(*reach)
    }
}

/// An access that others may be checked together with, and its offset.
fn access(analysis: &Analysis<'_>, instruction: &Instruction) -> Option<(Key, i64)> {
    if !matches!(instruction.meaning, Meaning::Program) {
        return None;
    }
    let described = &analysis.function.instructions[instruction.source.instruction as usize];
    let (words, writes) = match analysis.code.program.operation(described)? {
        Operation::Access(Access::Load(words)) => (words, false),
        Operation::Access(Access::Store(words)) => (words, true),
        _ => return None,
    };
    let Words { address, bits, count, order, .. } = *words;
    let known = match address.space {
        AddressSpace::Generic => !analysis.has_local,
        AddressSpace::Global | AddressSpace::Const | AddressSpace::Shared | AddressSpace::SharedVariable => {
            true
        }
        AddressSpace::SharedCluster | AddressSpace::Local => false,
    };
    let slot = *instruction.slots.get(address.operand)?;
    // What the linker prepares for an instruction is nobody else's.
    if !known || order != Order::Weak || !slot.is_constant() && analysis.register(slot).is_none() {
        return None;
    }
    let guard = match instruction.guard {
        Some(guard) if guard.is_constant() || analysis.register(guard).is_none() => return None,
        guard => guard.map(|guard| (guard.offset(), guard.is_negated())),
    };
    let bytes = u64::from(bits) / 8 * count as u64;
    // Far from both ends, so that sums do not wrap.
    let offset = i64::from(i32::try_from(address.offset).ok()?);
    let within = offset.rem_euclid(bytes.next_power_of_two() as i64);
    let address = (slot.is_constant(), slot.offset());
    Some((Key { space: words.address.space, writes, bytes, address, guard, within }, offset))
}
