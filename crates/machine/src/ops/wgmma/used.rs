//! Which registers the products of a warp use that have not been waited for, and which others have used since the last
//! `wgmma.fence`. Only launches that are checked for it keep this (`rules/products.rs`).

use std::collections::BTreeMap;

use crate::code::Source;
use crate::registers::{Bank, KeptBank, Slot};

/// A register that belongs to a product.
#[derive(Clone, Copy, Debug)]
pub struct Use {
    /// The group of the product: the number of those closed before.
    group: u32,
    /// The instruction that issued it.
    pub by: Source,
    /// Whether it is an accumulator, which the product writes.
    accumulates: bool,
}

/// The registers of one activation, by their numbers.
#[derive(Debug, Default)]
pub struct UsedRegisters {
    /// The activation whose registers they are: the last that issued a product or a fence.
    bank: Option<KeptBank>,
    in_products: BTreeMap<usize, Use>,
    /// Those that other instructions have used since the last fence, where, and whether they have been written.
    touched: BTreeMap<usize, (Source, bool)>,
    groups: u32,
}

/// The numbers of registers among operands.
fn numbers(slots: &[Slot]) -> impl Iterator<Item = usize> + '_ {
    slots.iter().filter(|slot| !slot.is_constant() && !slot.is_sink()).map(|slot| slot.number())
}

impl UsedRegisters {
    /// Whether anything is kept: from the first fence of a warp on.
    pub fn are_followed(&self) -> bool {
        self.bank.is_some()
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        *self = Self::default();
    }

    fn of(&mut self, bank: &Bank<'_>) {
        if !self.bank.as_ref().is_some_and(|own| own.is(bank)) {
            self.clear();
            self.bank = Some(bank.keep());
        }
    }

    /// `wgmma.fence`
    pub fn fence(&mut self, bank: &Bank<'_>) {
        self.of(bank);
        self.touched.clear();
    }

    /// `wgmma.commit_group`
    pub fn commit(&mut self) {
        self.groups = self.groups.saturating_add(1);
    }

    /// `wgmma.wait_group`
    pub fn wait(&mut self, latest: u32) {
        let before = self.groups.saturating_sub(latest);
        self.in_products.retain(|_, used| used.group >= before);
    }

    /// Another instruction writes registers and reads some. Gives one that it must not: an accumulator of a product, or a
    /// factor that it writes.
    pub fn touch(&mut self, bank: &Bank<'_>, (written, read): (&[Slot], &[Slot]), at: Source) -> Option<Use> {
        if !self.bank.as_ref().is_some_and(|own| own.is(bank)) {
            return None;
        }
        for number in numbers(read) {
            self.touched.entry(number).or_insert((at, false));
        }
        self.touched.extend(numbers(written).map(|number| (number, (at, true))));
        let used = |number: usize| self.in_products.get(&number).copied();
        let read = numbers(read).filter_map(used).find(|used| used.accumulates);
        numbers(written).find_map(used).or(read)
    }

    /// A product is issued. Gives who has used one of its registers since the last fence.
    pub fn issue(&mut self, bank: &Bank<'_>, registers: [&[Slot]; 2], by: Source) -> Option<Source> {
        self.of(bank);
        let [accumulators, factors] = registers;
        let touched = |number: usize| self.touched.get(&number).copied();
        let before = numbers(accumulators).find_map(touched);
        let written = numbers(factors).filter_map(touched).find(|(_, written)| *written);
        for (slots, accumulates) in [(factors, false), (accumulators, true)] {
            let used = Use { group: self.groups, by, accumulates };
            self.in_products.extend(numbers(slots).map(|number| (number, used)));
        }
        before.or(written).map(|(at, _)| at)
    }
}
