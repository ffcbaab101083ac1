//! The `wgmma` products of one warp that are under way, in the order in which they were issued.
//!
//! Their results go to registers, so they belong to the warp and not to the cluster's queue. They are computed one
//! after the other, at the latest when the warp waits for them; until then D has its old values, and what A, B and D hold
//! at that moment counts.

#![allow(unsafe_code)]

use std::collections::VecDeque;
use std::sync::Arc;

use crate::ops::wgmma::resident::ResidentD;
use crate::ops::wgmma::used::UsedRegisters;
use crate::random::splitmix64;
use crate::registers::{Bank, KeptBank, Slot};
use crate::schedule::halt::Halt;
use crate::state::worker::Worker;

/// The products of a warp.
#[derive(Debug, Default)]
pub struct Products {
    /// Whether there has been a `wgmma.fence`.
    pub fenced: bool,
    pending: VecDeque<GroupedProduct>,
    watched: RegistersInUse,
    /// The accumulators of completed products, as long as nobody has waited for the last of them. They are those of the
    /// product that was issued last, so that their registers are watched.
    resident: ResidentD,
    /// How many groups have been closed.
    groups: u32,
    /// How many products have been issued, and a digest of which.
    issued: (u32, u64),
    /// The instruction that issued the last, and its activation; the interpreter fills it in.
    pub place: (u32, u32),
    /// What checks keep of registers.
    pub used: UsedRegisters,
}

/// A product that has been issued. What it is knows `ops/wgmma/product.rs`.
pub trait UnderWay: std::fmt::Debug + Send {
    /// Reads A, B and C as they are now, and writes D, or has it in tiles.
    fn complete(self: Box<Self>, worker: &mut Worker, resident: &mut ResidentD);

    /// The registers of the activation that issued it.
    fn bank(&self) -> &KeptBank;

    /// Its operands, D first.
    fn slots(&self) -> &Arc<[Slot]>;

    /// The registers of D, and of A if it is there.
    fn registers(&self) -> [&[Slot]; 2];
}

/// A product and the group it belongs to: the number of those closed before.
#[derive(Debug)]
struct GroupedProduct {
    product: Box<dyn UnderWay>,
    group: u32,
}

impl Products {
    /// Forgets everything, for a fresh warp.
    pub fn start(&mut self) {
        (self.fenced, self.groups, self.issued) = (false, 0, (0, 0));
        self.pending.clear();
        self.resident.forget();
        if self.used.are_followed() {
            self.used.clear();
        }
    }

    /// Takes a product of an instruction, which a number stands for. All warps of a warpgroup should issue those of the
    /// same instructions and descriptors.
    pub fn push(&mut self, product: Box<dyn UnderWay>, instruction: u64, descriptors: [u64; 2]) {
        let (count, digest) = &mut self.issued;
        *count += 1;
        *digest = digested(*digest, [instruction, descriptors[0], descriptors[1]]);
        if !self.resident.is(product.bank(), product.slots()) {
            self.put_back();
        }
        if self.pending.is_empty() && !self.watched.is_just_that_of(&*product) {
            self.watched.clear();
        }
        self.watched.add(&*product);
        self.pending.push_back(GroupedProduct { product, group: self.groups });
    }

    /// How many products have been issued, and a digest of which.
    #[must_use]
    pub fn issued(&self) -> (u32, u64) {
        self.issued
    }

    /// How many are under way.
    #[must_use]
    pub fn under_way(&self) -> usize {
        self.pending.len()
    }

    /// Completes the oldest. Gives whether there was one.
    pub fn complete_first(&mut self, worker: &mut Worker) -> bool {
        self.pending.pop_front().map(|first| self.complete(first, worker)).is_some()
    }

    fn complete(&mut self, first: GroupedProduct, worker: &mut Worker) {
        first.product.complete(worker, &mut self.resident);
        self.resident.group = first.group;
        if !self.watched.are_last(&self.resident) {
            self.put_back();
        }
    }

    /// Gives registers the values that are in tiles.
    pub fn put_back(&mut self) {
        // SAFETY: the registers of an activation stay where they are as long as its warp is busy: who is about to use
        // or free them has this called before, and `start` forgets them before a warp is used again. Only the host thread
        // that runs the warp has its products, and calls this between two reads or writes of an operation.
        unsafe { self.resident.put_back() };
    }

    /// Whether an instruction with these operands uses a register of a product under way.
    #[must_use]
    pub fn is_touched(&self, bank: &Bank, slots: &[Slot]) -> bool {
        self.is_busy() && self.watched.is_touched(bank, slots)
    }

    /// Forgets the registers of products that are no longer under way.
    pub fn watch_the_rest(&mut self) {
        if !self.pending.is_empty() && self.watched.others {
            self.watched.clear();
            self.pending.iter().for_each(|pending| self.watched.add(&*pending.product));
        }
    }

    /// Closes a group.
    pub fn commit(&mut self) {
        self.groups = self.groups.saturating_add(1);
    }

    /// Completes all groups but the latest so many. Gives whether it has: a launch that is to end leaves the rest. What
    /// other groups may still add to D stays in tiles.
    pub fn wait(&mut self, latest: u32, worker: &mut Worker, halt: Halt<'_>) -> bool {
        self.complete_before(self.before(latest), worker, halt)
    }

    /// The group before which all are complete when the latest so many may be under way.
    #[must_use]
    pub fn before(&self, latest: u32) -> u32 {
        self.groups.saturating_sub(latest)
    }

    /// How many groups have been closed.
    #[must_use]
    pub fn groups(&self) -> u32 {
        self.groups
    }

    /// The group of the oldest product under way.
    #[must_use]
    pub fn first_under_way(&self) -> Option<u32> {
        self.pending.front().map(|pending| pending.group)
    }

    /// The same for all groups before one.
    pub fn complete_before(&mut self, before: u32, worker: &mut Worker, halt: Halt<'_>) -> bool {
        let done = self.complete_while(|pending| pending.group < before, worker, halt);
        self.watch_the_rest();
        if self.resident.group < before {
            self.put_back();
        }
        done
    }

    /// Completes everything: the registers are about to go. Gives whether it has.
    pub fn finish(&mut self, worker: &mut Worker, halt: Halt<'_>) -> bool {
        let done = self.complete_while(|_| true, worker, halt);
        self.put_back();
        done
    }

    fn complete_while(
        &mut self,
        mut wanted: impl FnMut(&mut GroupedProduct) -> bool,
        worker: &mut Worker,
        halt: Halt<'_>,
    ) -> bool {
        loop {
            if halt.is_set() {
                worker.halted = true;
                return false;
            }
            let Some(first) = self.pending.pop_front_if(&mut wanted) else { return true };
            self.complete(first, worker);
        }
    }

    /// Whether something is under way, or D is not yet in its registers.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        !self.pending.is_empty() || self.resident.is_live()
    }
}

/// The registers that products under way use, so that others who use them can be told.
#[derive(Debug, Default)]
struct RegistersInUse {
    /// A bit for each register, by its number.
    registers: Vec<u64>,
    /// The activation whose registers they are: the last that issued a product.
    bank: Option<KeptBank>,
    /// The operands of the product whose registers were added last: those of a loop use the same again and again.
    last: Arc<[Slot]>,
    /// Whether there are others than those.
    others: bool,
}

impl RegistersInUse {
    fn clear(&mut self) {
        self.registers.fill(0);
        self.last = Arc::default();
        self.others = false;
    }

    /// Whether they are the registers of a product and no others.
    fn is_just_that_of(&self, product: &dyn UnderWay) -> bool {
        !self.others && self.is_last(product)
    }

    /// Whether the registers that were added last are those of a product. All products of an instruction share their
    /// operands.
    fn is_last(&self, product: &dyn UnderWay) -> bool {
        self.bank.as_ref().is_some_and(|bank| bank.is_that_of(product.bank()))
            && Arc::ptr_eq(&self.last, product.slots())
    }

    /// Whether accumulators that are in tiles, if any are, are those of the product that was added last.
    fn are_last(&self, resident: &ResidentD) -> bool {
        !resident.is_live() || self.bank.as_ref().is_some_and(|bank| resident.is(bank, &self.last))
    }

    fn add(&mut self, product: &dyn UnderWay) {
        if self.is_last(product) {
            return;
        }
        if self.bank.as_ref().is_none_or(|bank| !bank.is_that_of(product.bank())) {
            self.clear();
            self.bank = Some(*product.bank());
        }
        let [d, a] = product.registers();
        self.others = !self.last.is_empty();
        self.last = Arc::clone(product.slots());
        for slot in d.iter().chain(a) {
            let number = slot.number();
            if slot.is_sink() {
                continue;
            }
            if self.registers.len() <= number / 64 {
                self.registers.resize(number / 64 + 1, 0);
            }
            self.registers[number / 64] |= 1 << (number % 64);
        }
    }

    /// Whether an instruction with these operands uses one of them.
    fn is_touched(&self, bank: &Bank<'_>, slots: &[Slot]) -> bool {
        let watched = |slot: &Slot| {
            let number = slot.number();
            self.registers.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 != 0)
        };
        self.bank.as_ref().is_some_and(|own| own.is(bank))
            && slots.iter().any(|slot| !slot.is_constant() && !slot.is_sink() && watched(slot))
    }
}

/// The digest of some words after those of another digest. Words that differ in few bits, as addresses do, must not
/// cancel one another out.
fn digested(digest: u64, words: [u64; 3]) -> u64 {
    words.into_iter().fold(digest, |digest, word| splitmix64(&mut (digest ^ word)))
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    /// How many products are put in order. Miri looks for undefined behaviour, not for values, and has time for few.
    const PRODUCTS: u32 = if cfg!(miri) { 6 } else { 12 };

    #[test]
    fn products_in_another_order_have_another_digest() {
        for (one, other) in [(0x7f00_1000, 0x7f00_1060), (0x7f00_0fc0, 0x7f00_1fc0), (8, 16)] {
            let digests: HashSet<u64> = (0..1u32 << PRODUCTS)
                .map(|order| {
                    (0..PRODUCTS).fold(0, |digest, bit| {
                        let instruction = if order >> bit & 1 != 0 { one } else { other };
                        digested(digest, [instruction, 0x4000_0040_0000, 0x4000_0040_0010])
                    })
                })
                .collect();
            assert_eq!(digests.len(), 1 << PRODUCTS, "{one:#x} {other:#x}");
        }
    }
}
