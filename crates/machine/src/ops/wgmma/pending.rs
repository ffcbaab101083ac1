//! The `wgmma` products of one warp that are under way, in the order in which they were issued.
//!
//! Their results go to registers, so they belong to the warp and not to the cluster's queue. They are computed one
//! after the other, at the latest when the warp waits for them; until then D has its old values, and what A, B and D hold
//! at that moment counts.

use std::collections::VecDeque;
use std::sync::Arc;

use crate::asynchronous::queue::{Issuer, Trouble};
use crate::code::Instruction;
use crate::context::{Context, Worker, splitmix64};
use crate::door::Peer;
use crate::door::observer::Origin;
use crate::explain::finding::Kind;
use crate::launch::Asynchrony;
use crate::matrix::Cores;
use crate::matrix::units::Units;
use crate::ops::wgmma::{A, Product};
use crate::registers::{ALL, Bank, Slot};
use crate::schedule::halt::Halt;
use crate::schedule::warp::Warp;
use crate::vector::lanes::Flow;

/// How many products of a warp may be under way: a program that never waits must not fill the host's memory.
const MOST_PENDING: usize = 256;

/// The products of a warp.
#[derive(Debug, Default)]
pub struct Products {
    /// Whether there has been a `wgmma.fence`.
    pub fenced: bool,
    pending: VecDeque<Pending>,
    watched: Watched,
    /// How many groups have been closed.
    groups: u32,
    /// How many products have been issued, and a digest of which.
    issued: (u32, u64),
    /// The instruction that issued the last, and its activation; the interpreter fills it in.
    pub place: (u32, u32),
}

/// A product that has been issued: what it is and where its operands are.
#[derive(Debug)]
pub struct Pending {
    pub product: Arc<Product>,
    pub slots: Box<[Slot]>,
    /// The registers of the activation that issued it.
    pub bank: Bank,
    pub cores: Cores,
    /// The CTA's shared memory.
    pub shared: Peer,
    /// The warp's place in its warpgroup.
    pub warp: u32,
    /// Whether D is added.
    pub add: bool,
    pub a: A,
    pub b: Units,
    /// For a sparse A, the row of B that each stored element belongs to.
    pub belongs: Option<Vec<u16>>,
    /// Whether its metadata was forgiven.
    pub forgiven: bool,
    /// The group it belongs to: the number of those closed before.
    pub group: u32,
    /// Where it comes from, if somebody observes.
    pub origin: Option<Origin>,
}

impl Products {
    /// Forgets everything, for a fresh warp.
    pub fn start(&mut self) {
        (self.fenced, self.groups, self.issued) = (false, 0, (0, 0));
        self.pending.clear();
    }

    /// Takes a product. All warps of a warpgroup should issue those of the same descriptors.
    pub fn push(&mut self, product: Pending, descriptors: [u64; 2]) {
        let (count, digest) = &mut self.issued;
        *count += 1;
        let instruction = Arc::as_ptr(&product.product).addr() as u64;
        *digest = digested(*digest, [instruction, descriptors[0], descriptors[1]]);
        if self.pending.is_empty() {
            self.watched.clear();
        }
        self.watched.add(&product);
        self.pending.push_back(Pending { group: self.groups, ..product });
    }

    /// How many products have been issued.
    #[must_use]
    pub fn count(&self) -> u64 {
        self.issued.0.into()
    }

    /// Forgets the registers of products that are no longer under way.
    fn watch_the_rest(&mut self) {
        self.watched.clear();
        self.pending.iter().for_each(|product| self.watched.add(product));
    }

    /// Closes a group.
    pub fn commit(&mut self) {
        self.groups = self.groups.saturating_add(1);
    }

    /// Completes all groups but the latest so many. Gives whether it has: a launch that is to end leaves the rest.
    pub fn wait(&mut self, latest: u32, worker: &mut Worker, halt: Halt<'_>) -> bool {
        let before = self.groups.saturating_sub(latest);
        let done = self.complete_while(|product| product.group < before, worker, halt);
        self.watch_the_rest();
        done
    }

    /// Completes everything: the registers are about to go. Gives whether it has.
    pub fn finish(&mut self, worker: &mut Worker, halt: Halt<'_>) -> bool {
        self.complete_while(|_| true, worker, halt)
    }

    fn complete_while(
        &mut self,
        mut wanted: impl FnMut(&mut Pending) -> bool,
        worker: &mut Worker,
        halt: Halt<'_>,
    ) -> bool {
        loop {
            if halt.is_set() {
                worker.halted = true;
                return false;
            }
            let Some(first) = self.pending.pop_front_if(&mut wanted) else { return true };
            first.complete(worker);
        }
    }

    /// Whether something is under way.
    #[must_use]
    pub fn is_busy(&self) -> bool {
        !self.pending.is_empty()
    }
}

/// The registers that products under way use, so that others who use them can be told.
#[derive(Debug, Default)]
struct Watched {
    /// A bit for each register, by its number.
    registers: Vec<u64>,
    /// The activation whose registers they are: the last that issued a product.
    bank: Option<Bank>,
}

impl Watched {
    fn clear(&mut self) {
        self.registers.fill(0);
    }

    fn add(&mut self, product: &Pending) {
        if self.bank.is_none_or(|bank| !bank.is(&product.bank)) {
            self.clear();
            self.bank = Some(product.bank);
        }
        for slot in product.product.registers_among(&product.slots).filter(|slot| !slot.is_sink()) {
            let number = slot.number();
            if self.registers.len() <= number / 64 {
                self.registers.resize(number / 64 + 1, 0);
            }
            self.registers[number / 64] |= 1 << (number % 64);
        }
    }

    /// Whether an instruction with these operands uses one of them.
    fn is_touched(&self, bank: &Bank, slots: &[Slot]) -> bool {
        let watched = |slot: &Slot| {
            let number = slot.number();
            self.registers.get(number / 64).is_some_and(|word| word >> (number % 64) & 1 != 0)
        };
        self.bank.is_some_and(|own| own.is(bank))
            && slots.iter().any(|slot| !slot.is_constant() && !slot.is_sink() && watched(slot))
    }
}

impl Context<'_> {
    /// The tensor cores have had time for some of the warp's products, or none.
    pub fn wgmma_goes_on(&mut self) {
        let products = &mut self.warp.wgmma;
        let mut completed = false;
        loop {
            let go_on = match self.run.launch.asynchrony {
                Asynchrony::Eager => true,
                Asynchrony::Lazy => false,
                Asynchrony::Seeded => self.worker.cluster.queue.toss(),
            };
            if !go_on && products.pending.len() <= MOST_PENDING || self.run.halt.is_set() {
                break;
            }
            match products.pending.pop_front() {
                Some(first) => first.complete(self.worker),
                None => break,
            }
            completed = true;
        }
        if completed {
            products.watch_the_rest();
        }
    }

    /// Whether somebody must look which registers instructions use: if products are under way, unless all is to come as
    /// late as the manual allows.
    #[must_use]
    pub fn watches_registers(&self) -> bool {
        self.warp.wgmma.is_busy() && self.run.launch.asynchrony != Asynchrony::Lazy
    }

    /// Completes the products whose registers an instruction is about to use. The manual forbids such a use, but ptxas
    /// waits there (its warning C7517), and compilers rely on that.
    pub fn before(&mut self, instruction: &Instruction) -> Result<(), Flow> {
        let products = &mut self.warp.wgmma;
        if instruction.op.is_wgmma() || !products.watched.is_touched(&self.bank, &instruction.slots) {
            return Ok(());
        }
        self.worker.statistics.injected_waits += 1;
        if products.finish(self.worker, self.run.halt) { Ok(()) } else { Err(Flow::Stop) }
    }
}

/// The digest of some words after those of another digest. Words that differ in few bits, as addresses do, must not
/// cancel one another out.
fn digested(digest: u64, words: [u64; 3]) -> u64 {
    words.into_iter().fold(digest, |digest, word| splitmix64(&mut (digest ^ word)))
}

/// Says which warps of a CTA that has ended have not executed the same products as the others of their warpgroup.
#[must_use]
pub fn disagreement(warps: &[Warp], rank: u32) -> Option<Trouble> {
    let of = |warp: &Warp| warp.state.wgmma.issued;
    let (group, [first, other]) = warps.chunks(4).enumerate().find_map(|(group, warps)| {
        let first = warps.first()?;
        let other = warps.iter().find(|warp| of(warp) != of(first))?;
        // Who has executed more can say where.
        Some((group, if of(first).0 >= of(other).0 { [first, other] } else { [other, first] }))
    })?;
    let (at, activation) = first.state.wgmma.place;
    let count = |warp: &Warp| format!("warp {} executed {}", warp.state.index, of(warp).0);
    let message = match of(first).0 == of(other).0 {
        true => format!(
            "warps {} and {} of warpgroup {group} executed different wgmma.mma_async instructions, or with different \
             descriptors",
            first.state.index, other.state.index
        ),
        false => format!(
            "{} wgmma.mma_async instructions, but {} of the same warpgroup {group}",
            count(first),
            count(other)
        ),
    };
    let rule = "all threads of the warpgroup must execute the same wgmma.mma_async instructions".to_owned();
    let issuer = Issuer { rank, warp: first.state.index, lanes: ALL, at, activation, ..Issuer::default() };
    Some(Trouble { kind: Kind::Misuse, message, notes: vec![rule], issuer })
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    #[test]
    fn products_in_another_order_have_another_digest() {
        for (one, other) in [(0x7f00_1000, 0x7f00_1060), (0x7f00_0fc0, 0x7f00_1fc0), (8, 16)] {
            let digests: HashSet<u64> = (0..1u32 << 12)
                .map(|order| {
                    (0..12).fold(0, |digest, bit| {
                        let instruction = if order >> bit & 1 != 0 { one } else { other };
                        digested(digest, [instruction, 0x4000_0040_0000, 0x4000_0040_0010])
                    })
                })
                .collect();
            assert_eq!(digests.len(), 1 << 12, "{one:#x} {other:#x}");
        }
    }
}
