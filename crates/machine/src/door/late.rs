//! Reads that are made late, under weak memory: a load is put off, its thread goes on, and the load chooses what it sees
//! only when somebody needs to know. So what follows it in the program may happen before it (load buffering). What is
//! computed of it is put off with it. Relaxed atomic operations are put off in the same way, with what they write.
//!
//! A read is made at the latest before its thread touches the same bytes, stores or branches by what it has read, executes
//! what orders memory (fences, releases, barriers, asynchronous operations), calls, returns or ends. So nothing that
//! depends on the read comes before it, and whoever learns of what follows it by causality order learns of the read too.
//!
//! A test of an mbarrier that finds no phase ended may be asked again in the same way: what it acquires counts for what runs
//! because it returned true, and that uses its result (choice M2 of docs/memory-model.md).

use ptxvm_ir::operation::access::{Access, Words};
use ptxvm_ir::operation::mbarrier::Mbarrier;
use ptxvm_ir::operation::{Address, Operation, Order};
use smallvec::SmallVec;

use crate::code::Meaning;
use crate::context::{Context, Flow, Instruction};
use crate::door::address::AddressSpace;
use crate::door::touch::Wants;
use crate::ops::load_store::addresses;
use crate::registers::{LANES, Slot, lanes_in};
use crate::state::late::{Held, Late, Lateness};
use crate::vector::value::Value;

/// As many instructions of a warp may be put off at once.
const MOST: usize = 8;

/// After as many times something is done half as often.
const FADES: u64 = 1024;

/// The effort that ends the turn of a whole cluster.
const TURN_OF_ALL: u64 = 1 << 13;

impl Lateness {
    /// What an operation is; `None` is an instruction that we do not know.
    pub(crate) fn of(operation: Option<&Operation>) -> Self {
        match operation {
            Some(Operation::Compute(_)) => Self::Computes,
            Some(Operation::Generic(_) | Operation::Hint(_)) => Self::Registers,
            Some(Operation::Access(Access::LoadParameter(_))) => Self::Registers,
            Some(Operation::Access(Access::Load(Words { order, .. }))) => match order {
                Order::Weak | Order::Volatile | Order::Relaxed => Self::MayBeLate,
                _ => Self::Access,
            },
            Some(Operation::Access(Access::Store(Words { order, .. }))) if !order.releases() => Self::Access,
            Some(Operation::Access(Access::Atomic(atomic))) => match atomic.order {
                Order::Weak | Order::Relaxed => Self::MayBeLate,
                order if order.releases() => Self::Orders,
                _ => Self::Access,
            },
            Some(Operation::Mbarrier(Mbarrier::Wait(_))) => Self::Asks,
            _ => Self::Orders,
        }
    }
}

/// How often of 256 times something is done that has been done so many times: it takes time, and what it shows it shows soon.
fn faded(often: u8, done: u64) -> u64 {
    (u64::from(often) >> (done / FADES).min(7)).max(u64::from(often != 0))
}

/// Whether two operands are the same register.
fn is_same(a: &Slot, b: &Slot) -> bool {
    let is_register = |slot: &Slot| !slot.is_constant() && !slot.is_sink();
    is_register(a) && is_register(b) && a.number() == b.number()
}

impl Context<'_> {
    /// Whether somebody must look at each instruction: for its registers, or because memory is weak.
    #[must_use]
    pub fn watches(&self) -> bool {
        self.run.launch.follower.is_some() || self.watches_registers()
    }

    /// The registers that an instruction that was put off writes.
    fn written(&self, late: &Late) -> &[Slot] {
        let instruction = &self.run.code.instructions[late.at as usize];
        &instruction.slots[..usize::from(instruction.written)]
    }

    /// Whether one of the active lanes waits for a register.
    fn waits(&self, slot: &Slot) -> bool {
        let waits = |late: &Late| {
            late.lanes & self.active != 0 && self.written(late).iter().any(|own| is_same(own, slot))
        };
        self.warp.late.all.iter().any(waits)
    }

    /// Executes what was put off and must come before an instruction.
    pub(crate) fn make_late_before(&mut self, instruction: &Instruction) -> Result<(), Flow> {
        match instruction.lateness {
            Lateness::Orders | Lateness::Asks => self.make_late(),
            _ => self.make_late_for(&instruction.slots, instruction.guard),
        }
    }

    /// Executes what registers of the active lanes wait for.
    pub(crate) fn make_late_for(&mut self, slots: &[Slot], guard: Option<Slot>) -> Result<(), Flow> {
        for slot in slots.iter().chain(&guard) {
            self.make_late_that(|context, late| context.written(late).iter().any(|own| is_same(own, slot)))?;
        }
        Ok(())
    }

    /// Executes all that the active lanes have put off.
    pub(crate) fn make_late(&mut self) -> Result<(), Flow> {
        self.make_late_that(|_, _| true)
    }

    /// Executes what lanes have put off that touches the same bytes, which lie there on the host.
    pub(super) fn make_late_at(&mut self, lanes: u32, places: &[u64; LANES], bytes: u64) -> Result<(), Flow> {
        let source = self.worker.source;
        let made = self.make_late_that(|_, late| late.overlaps(lanes, places, bytes));
        self.worker.source = source;
        made
    }

    fn make_late_that(&mut self, wanted: impl Fn(&Self, &Late) -> bool) -> Result<(), Flow> {
        let mut number = 0;
        while number < self.warp.late.earlier() {
            let late = &self.warp.late.all[number];
            if late.lanes & self.active == 0 || !wanted(self, late) {
                number += 1;
                continue;
            }
            self.make(number)?;
            // Others may have been executed with it.
            number = 0;
        }
        Ok(())
    }

    /// Executes one of those that were put off, after those that its sources wait for.
    fn make(&mut self, mut number: usize) -> Result<(), Flow> {
        let instruction = &self.run.code.instructions[self.warp.late.all[number].at as usize];
        let sources = &instruction.slots[usize::from(instruction.written)..];
        loop {
            let (before, own) = self.warp.late.all[..=number].split_at(number);
            let is_source = |earlier: &Late| {
                let writes = |slot: &Slot| self.written(earlier).iter().any(|own| is_same(own, slot));
                earlier.lanes & own[0].lanes != 0 && sources.iter().any(writes)
            };
            let Some(first) = before.iter().position(is_source) else { break };
            let left = self.warp.late.all.len();
            self.make(first)?;
            number -= left - self.warp.late.all.len();
        }
        let left = self.warp.late.all.len();
        let late = self.warp.late.all.remove(number);
        let outer = self.warp.late.before.replace(number);
        let flow = self.execute_late(instruction, &late);
        // What touches the same bytes and comes before it has been executed with it.
        let gone = left - self.warp.late.all.len();
        let place = (number + 1).saturating_sub(gone);
        self.warp.late.before = outer.map(|outer| outer.saturating_sub(gone));
        self.hand_on(&instruction.slots[..usize::from(instruction.written)], late.lanes, place);
        flow
    }

    fn execute_late(&mut self, instruction: &Instruction, late: &Late) -> Result<(), Flow> {
        let own = &instruction.slots[..usize::from(instruction.written)];
        let mut since: SmallVec<[Held; 2]> = SmallVec::new();
        for (slot, held) in &late.sources {
            if !own.iter().any(|own| is_same(own, slot)) {
                since.push((*slot, Box::new(u128::read(&self.bank, *slot))));
            }
            u128::write(&mut self.bank, *slot, late.lanes, held);
        }
        let asked = self.warp.asked;
        if instruction.lateness == Lateness::Asks {
            // It is answered at once.
            self.warp.expired |= late.lanes;
        }
        let follower = self.run.launch.follower.as_deref();
        let outer = follower.map(|follower| follower.put_off(Some(late.since)));
        let flow = instruction.op.run(self, &instruction.slots, late.lanes);
        if let (Some(follower), Some(outer)) = (follower, outer) {
            follower.put_off(outer);
        }
        self.warp.asked = asked;
        // A register may be a source twice: what it held first comes last.
        for (slot, held) in since.iter().rev() {
            u128::write(&mut self.bank, *slot, late.lanes, held);
        }
        if flow == Flow::Stop { Err(flow) } else { Ok(()) }
    }

    /// Those that were put off later and read what has been written now keep it, for it may be overwritten.
    fn hand_on(&mut self, written: &[Slot], lanes: u32, from: usize) {
        let bank = &self.bank;
        for late in self.warp.late.all.iter_mut().skip(from) {
            let both = late.lanes & lanes;
            for (slot, held) in &mut late.sources {
                if both != 0 && written.iter().any(|own| is_same(own, slot)) {
                    let now = u128::read(bank, *slot);
                    lanes_in(both).for_each(|lane| held[lane] = now[lane]);
                }
            }
        }
    }

    /// Puts an instruction off with what it waits for, if it may be; gives whether it has.
    pub(crate) fn puts_off_with(&mut self, instruction: &Instruction, at: u32) -> bool {
        let written = usize::from(instruction.written);
        if instruction.lateness != Lateness::Computes
            || self.warp.late.all.len() >= MOST
            || instruction.guard.is_some()
            || instruction.slots[..written].iter().any(|slot| self.waits(slot))
            || !instruction.slots[written..].iter().any(|slot| self.waits(slot))
            || self.worker.next_random().is_multiple_of(8)
        {
            return false;
        }
        self.put_off(instruction, (at, self.active), ([0; LANES], 0));
        true
    }

    /// Whether something is put off now that may be.
    fn chooses_late(&mut self) -> bool {
        let Some(follower) = &self.run.launch.follower else { return false };
        let often = faded(follower.temper().late, self.worker.put_off);
        let may = !self.worker.single && !self.worker.forgiving && self.warp.late.all.len() < MOST;
        let late = often != 0 && may && self.worker.next_random() % 256 < often;
        self.worker.put_off += u64::from(late);
        late
    }

    /// Puts a load or an atomic operation off now and then; gives whether it has.
    pub(crate) fn puts_off(&mut self, instruction: &Instruction, at: u32, lanes: u32) -> bool {
        if instruction.lateness != Lateness::MayBeLate || !self.chooses_late() {
            return false;
        }
        let Some((Address { operand, space, offset }, bytes, wants)) = self.accessed(instruction) else {
            return false;
        };
        if matches!(space, AddressSpace::Const | AddressSpace::Local) {
            return false;
        }
        let addresses = addresses(self, instruction.slots[operand], offset);
        let align = bytes.next_power_of_two();
        // What might be a mistake is executed at its place.
        let mut found = self.resolve_followed(space, &addresses, lanes, bytes, align, wants);
        if found.is_none() {
            // Perhaps it is the first access there.
            let first = addresses[lanes.trailing_zeros() as usize % LANES];
            let Some(region) = self.region(space, first, bytes, wants) else { return false };
            self.remember_watched(region);
            found = self.resolve_followed(space, &addresses, lanes, bytes, align, wants);
        }
        let Some(found) = found else { return false };
        let mut places = [0; LANES];
        for lane in lanes_in(lanes) {
            places[lane] = found.lane(lane, 0).addr() as u64;
        }
        self.put_off(instruction, (at, lanes), (places, bytes));
        true
    }

    /// Has a question to an mbarrier that has found no phase ended asked again later, now and then, by the same lanes.
    pub(crate) fn asks_later(&mut self, instruction: &Instruction, at: u32, lanes: u32) {
        if instruction.lateness != Lateness::Asks || instruction.slots[0].is_sink() {
            return;
        }
        let lanes = lanes & !self.bank.mask(instruction.slots[0]);
        if lanes != 0 && self.chooses_late() {
            self.put_off(instruction, (at, lanes), ([0; LANES], 0));
        }
    }

    /// Puts an instruction off for some lanes, with what its sources hold now. `places` says which bytes it reads.
    fn put_off(
        &mut self,
        instruction: &Instruction,
        (at, lanes): (u32, u32),
        (places, bytes): ([u64; LANES], u64),
    ) {
        let since = self.run.launch.follower.as_ref().map_or(0, |follower| follower.moment());
        let sources = instruction.slots[usize::from(instruction.written)..].iter();
        let held = |slot: &Slot| {
            let plain = Slot { flags: 0, ..*slot };
            (plain, Box::new(u128::read(&self.bank, plain)))
        };
        let sources = sources.filter(|slot| !slot.is_constant() && !slot.is_sink()).map(held).collect();
        self.warp.late.all.push(Late { at, lanes, since, sources, places, bytes });
    }

    /// Where a load or an atomic operation accesses memory, how many bytes, and what memory must be good for.
    fn accessed(&self, instruction: &Instruction) -> Option<(Address, u64, Wants)> {
        let Meaning::Program = instruction.meaning else { return None };
        let program = &self.run.code.program;
        let function = program.functions.get(instruction.source.function.0 as usize)?;
        let own = function.instructions.get(instruction.source.instruction as usize)?;
        match program.operation(own) {
            Some(Operation::Access(Access::Load(words))) => {
                Some((words.address, words.count as u64 * u64::from(words.bits / 8), Wants::Nothing))
            }
            Some(Operation::Access(Access::Atomic(atomic))) => {
                let bytes = atomic.count as u64 * u64::from(atomic.ty.bits() / 8);
                Some((atomic.address, bytes, Wants::WriteLater))
            }
            _ => None,
        }
    }

    /// Whether others have their turn after an instruction, now and then: only where threads are interrupted between two
    /// accesses does it show in which order they make them.
    pub(crate) fn gives_way(&mut self, instruction: &Instruction) -> bool {
        if matches!(instruction.lateness, Lateness::Registers | Lateness::Computes) {
            return false;
        }
        let Some(follower) = &self.run.launch.follower else { return false };
        let parts = follower.temper().parts;
        if parts == 0 || self.worker.single {
            return false;
        }
        // Somebody may see what comes after a late read.
        let parts = if self.warp.late.all.is_empty() { parts } else { parts.max(64) };
        let random = self.worker.next_random();
        if random % 256 >= faded(parts, self.worker.gave_way) {
            return false;
        }
        self.worker.gave_way += 1;
        if random >> 32 & 1 != 0 {
            self.worker.effort += TURN_OF_ALL;
        }
        true
    }
}
