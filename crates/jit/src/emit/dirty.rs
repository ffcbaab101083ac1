//! Which registers differ from what the activation holds.
//!
//! An instruction that the interpreter executes finds its sources in the activation and leaves its results there. A value
//! that only such instructions read and write, like the accumulators of matrix products, then never needs to be moved, and a
//! way out need not put it back. That is found out in two passes: the first writes the code as if all registers differed,
//! and notes what each block does; the second one knows which do at the beginning of each block.

use std::collections::{BTreeMap, BTreeSet};

use ptxvm_machine::context::Code;

use crate::region::Region;

/// Registers by the offsets of their slots; `None`: all.
pub type Dirty = Option<BTreeSet<u32>>;

/// What a block does to registers.
#[derive(Clone, Debug, Default)]
pub struct Changes {
    /// Those that differ after it.
    dirtied: BTreeSet<u32>,
    /// Those that do not, whatever they did before.
    cleaned: BTreeSet<u32>,
    /// How often the code writes each, and those that the interpreter reads.
    written: BTreeMap<u32, u32>,
    handed_over: BTreeSet<u32>,
}

impl Changes {
    /// The code has written a register.
    pub fn write(&mut self, slot: u32) {
        self.cleaned.remove(&slot);
        self.dirtied.insert(slot);
        *self.written.entry(slot).or_default() += 1;
    }

    /// The interpreter reads a register.
    pub fn hand_over(&mut self, slot: u32) {
        self.handed_over.insert(slot);
    }

    /// A register is as in the activation.
    pub fn clean(&mut self, slot: u32) {
        self.dirtied.remove(&slot);
        self.cleaned.insert(slot);
    }

    /// Some registers go to the activation as soon as they are written.
    pub fn write_through(&mut self, through: &BTreeSet<u32>) {
        let gone: Vec<u32> = self.dirtied.intersection(through).copied().collect();
        gone.into_iter().for_each(|slot| self.clean(slot));
    }

    fn after(&self, before: &BTreeSet<u32>) -> BTreeSet<u32> {
        before.difference(&self.cleaned).chain(&self.dirtied).copied().collect()
    }
}

/// The registers that go to the activation as soon as they are written: the interpreter reads them there, and only one
/// instruction writes them. Until it does, no way out has to put them back.
pub fn through(changes: &BTreeMap<u32, Changes>) -> BTreeSet<u32> {
    let mut written: BTreeMap<u32, u32> = BTreeMap::new();
    for (slot, times) in changes.values().flat_map(|changes| &changes.written) {
        *written.entry(*slot).or_default() += times;
    }
    let handed_over = changes.values().flat_map(|changes| &changes.handed_over);
    handed_over.filter(|slot| written.get(slot) == Some(&1)).copied().collect()
}

/// By block: the registers that differ when lanes come to its beginning. Where lanes wait, all may.
pub fn at_beginnings(
    code: &Code,
    region: &Region,
    changes: &BTreeMap<u32, Changes>,
) -> BTreeMap<u32, BTreeSet<u32>> {
    let mut known = BTreeMap::from([(region.entry, BTreeSet::new())]);
    let mut unknown: BTreeSet<u32> = region.waiting.values().flatten().copied().collect();
    let mut open: Vec<u32> = unknown.iter().copied().chain([region.entry]).collect();
    while let Some(block) = open.pop() {
        let Some(changed) = changes.get(&block) else { continue };
        let alone = region.waiting.get(&block).is_some_and(BTreeSet::is_empty);
        let after = known.get(&block).filter(|_| alone && !unknown.contains(&block));
        let after = after.map(|before| changed.after(before));
        for next in code.blocks[block as usize].end_with.successors() {
            let news = match &after {
                None => unknown.insert(next),
                Some(after) => {
                    let news = !known.contains_key(&next);
                    let before: &mut BTreeSet<u32> = known.entry(next).or_default();
                    let size = before.len();
                    before.extend(after);
                    news || before.len() > size
                }
            };
            if news {
                open.push(next);
            }
        }
    }
    known.retain(|block, _| !unknown.contains(block));
    known
}
