//! What lanes read and write: undefined bytes that are loaded, stored, and changed where they lie.

use ptxvm_ir::operation::access::AtomicFunction;
use ptxvm_ir::operation::{Access as Operated, Hint, Operation};
use ptxvm_machine::code::Source;
use ptxvm_machine::door::observer::Access;
use ptxvm_machine::door::touch::{Space, Wants};

use crate::init::found::Found;
use crate::init::memory::{Memory, place};
use crate::init::registers::{Origin, lanes_in};
use crate::init::state::{Birth, Left, State};
use crate::init::values::Bytes;

/// So many places of an instruction that stores undefined values are looked at when the launch has ended.
const MOST_LEFT: usize = 64;

impl State {
    /// Lanes touch memory. Gives whether they read something undefined.
    pub fn access(&mut self, access: &Access<'_>) -> bool {
        let (bytes, lanes) = (access.bytes, access.who.lanes);
        if !self.unwritten {
            self.store_at_once(access);
            return false;
        }
        match access.wants {
            Wants::Read => self.read(access),
            Wants::Write => {
                if self.pending.as_ref().is_some_and(|pending| pending.values.is_some()) {
                    self.store(access);
                } else if let Some(Operation::Hint(Hint::Discard(_))) = self.operation(access.source) {
                    self.discard(access);
                } else {
                    self.define(access, lanes);
                }
                false
            }
            Wants::Update => self.update(access),
            Wants::Mbarrier => {
                for lane in lanes_in(lanes) {
                    if let Some((memory, address)) = place(access, lane) {
                        self.memories.define(memory, address, bytes);
                    }
                }
                false
            }
            Wants::ReadLater | Wants::WriteLater | Wants::Nothing => false,
        }
    }

    /// Of a value that lanes store it is not known what becomes of it: in global memory somebody will use it.
    fn store_at_once(&mut self, access: &Access<'_>) {
        let values = self.pending.as_ref().and_then(|pending| pending.values.as_ref());
        let Some(values) = values.filter(|_| access.space == Space::Global) else { return };
        if let Some(lane) = lanes_in(access.who.lanes).find(|lane| values.masks[*lane] != 0) {
            let origin = values.origins[lane];
            self.report(&access.who, access.source, (lane, origin), Found::Left);
        }
    }

    /// What lanes have discarded means nothing any more.
    fn discard(&mut self, access: &Access<'_>) {
        for lane in lanes_in(access.who.lanes) {
            if let Some((memory, address)) = place(access, lane) {
                self.memories.undefine(memory, address, access.bytes, None);
            }
        }
    }

    /// Bytes of lanes are written; those of neighbours at once.
    fn define(&mut self, access: &Access<'_>, lanes: u32) {
        let mut run: Option<(Memory, u64, u64)> = None;
        for lane in lanes_in(lanes) {
            let Some((memory, address)) = place(access, lane) else { continue };
            run = match run {
                Some((of, from, to)) if of == memory && to == address => Some((of, from, to + access.bytes)),
                before => {
                    if let Some((of, from, to)) = before {
                        self.memories.define(of, from, to - from);
                    }
                    Some((memory, address, address.saturating_add(access.bytes)))
                }
            };
        }
        if let Some((of, from, to)) = run {
            self.memories.define(of, from, to - from);
        }
    }

    /// Which of a lane's bytes are undefined.
    fn undefined(&mut self, (memory, address): (Memory, u64), bytes: u64) -> u32 {
        match bytes {
            0..=32 => self.memories.unwritten(memory, address, bytes),
            _ if self.memories.has_all(memory, address, bytes) => 0,
            _ => u32::MAX,
        }
    }

    fn origin_of(&mut self, access: &Access<'_>, (memory, address): (Memory, u64), mask: u32) -> Origin {
        let first = address + u64::from(mask.trailing_zeros() % 32);
        match self.memories.origin(memory, first) {
            Some(origin) => origin,
            None => self.born(Birth::Memory(access.source, access.space), first),
        }
    }

    fn read(&mut self, access: &Access<'_>) -> bool {
        if access.space == Space::Parameter {
            return false;
        }
        let mut any = false;
        let mut before = (u64::MAX, 0);
        for lane in lanes_in(access.who.lanes) {
            let Some(at) = place(access, lane) else { continue };
            let mask = match before {
                (address, mask) if address == at.1 && access.space != Space::Local => mask,
                _ => self.undefined(at, access.bytes),
            };
            before = (at.1, mask);
            if mask != 0 {
                let origin = self.origin_of(access, at, mask);
                let loaded = self.loaded_by(access.source);
                (loaded.masks[lane], loaded.origins[lane]) = (mask, origin);
                any = true;
            }
        }
        any
    }

    /// What the running instruction has loaded of undefined bytes.
    fn loaded_by(&mut self, source: Source) -> &mut Bytes {
        if self.loaded.as_ref().is_none_or(|(of, _)| *of != source) {
            self.loaded = None;
        }
        &mut self.loaded.get_or_insert_with(|| (source, Box::default())).1
    }

    /// Lanes store values of which some are undefined.
    fn store(&mut self, access: &Access<'_>) {
        let Some(values) = self.pending.as_ref().and_then(|pending| pending.values.clone()) else { return };
        for lane in lanes_in(access.who.lanes) {
            let Some(at) = place(access, lane) else { continue };
            self.memories.define(at.0, at.1, access.bytes);
            self.leave(access, lane, at, (values.masks[lane], values.origins[lane]));
        }
    }

    /// A lane leaves undefined bytes in memory.
    fn leave(&mut self, access: &Access<'_>, lane: usize, at: (Memory, u64), undefined: (u32, Origin)) {
        let (mask, origin) = undefined;
        let bytes = access.bytes.clamp(1, 32);
        let all = u32::MAX >> (32 - bytes);
        let mask = mask & all;
        if mask == 0 {
            return;
        }
        let mut byte = 0;
        while byte < bytes {
            let rest = mask >> byte;
            let run = u64::from(rest.trailing_ones());
            if run != 0 {
                self.memories.undefine(at.0, at.1 + byte, run, Some(origin));
            }
            byte += run.max(1);
        }
        // Padding that is copied is no result: a part of what a thread stores at once, or a single byte.
        if at.0 == Memory::Global && (origin.is_computed() || mask == all && bytes > 1) {
            let left = self.left.entry(access.source).or_default();
            if left.len() < MOST_LEFT {
                left.push(Left { who: access.who, lane, address: at.1, mask, origin });
            }
        }
    }

    /// Lanes read and write memory in one step.
    fn update(&mut self, access: &Access<'_>) -> bool {
        let function = match self.operation(access.source) {
            Some(Operation::Access(Operated::Atomic(atomic))) => atomic.function,
            // A field of a tensor map.
            _ => {
                self.define(access, access.who.lanes);
                return false;
            }
        };
        let values = self.pending.as_ref().and_then(|pending| pending.values.clone());
        let mut any = false;
        for lane in lanes_in(access.who.lanes) {
            let Some(at) = place(access, lane) else { continue };
            let old = self.undefined(at, access.bytes);
            let (given, from) =
                values.as_ref().map_or((0, Origin::default()), |v| (v.masks[lane], v.origins[lane]));
            if old | given == 0 {
                continue;
            }
            let origin = if old != 0 { self.origin_of(access, at, old) } else { from };
            if old != 0 {
                any = true;
                let loaded = self.loaded_by(access.source);
                (loaded.masks[lane], loaded.origins[lane]) = (old, origin);
            }
            let new = match function {
                AtomicFunction::Cas if old != 0 => {
                    self.report(&access.who, access.source, (lane, origin), Found::Compared);
                    0
                }
                AtomicFunction::Exch | AtomicFunction::Cas => given,
                AtomicFunction::Combine(_) => u32::MAX,
            };
            self.memories.define(at.0, at.1, access.bytes);
            let from = if new == given { from } else { origin };
            self.leave(access, lane, at, (new, from.computed()));
        }
        any
    }
}
