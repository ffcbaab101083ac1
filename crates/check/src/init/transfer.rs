//! What asynchronous operations do to what is known of memory: copies carry it along, tensor cores must not read what
//! nobody has written.
//!
//! An operation counts as done when it is issued: whether it has been waited for is a question of order, not of
//! initialisation.

use ptxvm_ir::operation::{Copy, Operation, Tcgen05};
use ptxvm_machine::code::Source;
use ptxvm_machine::door::observer::{Transferred, Who};
use ptxvm_machine::door::touch::{Space, Touch, Wants};

use crate::init::found::Found;
use crate::init::memory::{Memory, cell, memory};
use crate::init::state::{Birth, Left, State};

/// Where the bytes of a touch begin, in its memory.
fn place(touch: &Touch, cluster: u64) -> Option<(Memory, u64)> {
    let address = if touch.space == Space::Tensor { cell(touch.address) } else { touch.address };
    memory(touch.space, cluster).map(|memory| (memory, address))
}

impl State {
    /// An asynchronous operation has been issued.
    pub fn issue(&mut self, operation: &Transferred<'_>) {
        let Transferred { who, source, touches, .. } = *operation;
        match self.operation(source) {
            Some(Operation::Copy(Copy::Async(_) | Copy::Bulk(_) | Copy::Tensor(_))) => {
                self.copy(who, source, touches);
            }
            Some(Operation::Matrix(_) | Operation::Tcgen05(_)) => self.multiply(who, source, touches),
            _ => {}
        }
        for touch in touches.iter().filter(|touch| touch.wants == Wants::Write) {
            if let Some((memory, address)) = place(touch, who.cluster)
                && !self.is_copied_undefined(source, touch)
            {
                self.memories.define(memory, address, touch.bytes);
            }
        }
        self.copied.clear();
    }

    fn is_copied_undefined(&self, source: Source, touch: &Touch) -> bool {
        self.copied.contains(&(source, touch.address))
    }

    /// What is undefined of a copy's source is undefined of its destination, where both are the same bytes in order.
    fn copy(&mut self, who: Who, source: Source, touches: &[Touch]) {
        let of = |wants: Wants| touches.iter().filter(move |touch| touch.wants == wants);
        let (reads, writes) = (of(Wants::Read).count(), of(Wants::Write).count());
        if reads != writes {
            return;
        }
        for (from, to) in of(Wants::Read).zip(of(Wants::Write)) {
            let (Some(at), Some(into)) = (place(from, who.cluster), place(to, who.cluster)) else { continue };
            if from.bytes != to.bytes || self.memories.has_all(at.0, at.1, from.bytes) {
                continue;
            }
            self.copied.push((source, to.address));
            self.memories.define(into.0, into.1, to.bytes);
            let mut whole = true;
            let mut first = None;
            for part in (0..from.bytes).step_by(4) {
                let bytes = (from.bytes - part).min(4);
                let mask = self.memories.unwritten(at.0, at.1 + part, bytes);
                whole &= mask.count_ones() == bytes as u32;
                if mask == 0 {
                    continue;
                }
                let origin = match self.memories.origin(at.0, at.1 + part) {
                    Some(origin) => origin,
                    None => self.born(Birth::Memory(source, from.space), at.1 + part),
                };
                first.get_or_insert((part, mask, origin));
                for byte in (0..bytes).filter(|byte| mask >> byte & 1 != 0) {
                    self.memories.undefine(into.0, into.1 + part + byte, 1, Some(origin));
                }
            }
            if let (Memory::Global, true, Some((part, mask, origin))) = (into.0, whole, first) {
                let lane = who.lanes.trailing_zeros().min(31) as usize;
                let left = Left { who, lane, address: into.1 + part, mask, origin };
                self.left.entry(source).or_default().push(left);
            }
        }
    }

    /// A tensor core reads matrices from shared memory. Of formats of less than eight bits the second half of each sixteen
    /// bytes may be padding, and columns that a mask names count as zero.
    fn multiply(&mut self, who: Who, source: Source, touches: &[Touch]) {
        let (unit, part) = match self.operation(source) {
            Some(Operation::Tcgen05(Tcgen05::Mma(mma))) if mma.zero_columns.is_some() => return,
            Some(Operation::Tcgen05(_)) => (16, 8),
            _ => (32, 32),
        };
        let lane = who.lanes.trailing_zeros().min(31) as usize;
        for touch in touches.iter().filter(|touch| touch.wants == Wants::Read && touch.space == Space::Shared)
        {
            let Some((memory, address)) = place(touch, who.cluster) else { continue };
            if self.memories.has_all(memory, address, touch.bytes) {
                continue;
            }
            let first = (0..touch.bytes).step_by(unit).find_map(|from| {
                let bytes = (touch.bytes - from).min(part);
                let mask = self.memories.unwritten(memory, address + from, bytes);
                (mask != 0).then(|| address + from + u64::from(mask.trailing_zeros()))
            });
            if let Some(at) = first {
                let known = self.memories.origin(memory, at);
                let origin = known.unwrap_or_else(|| self.born(Birth::Memory(source, touch.space), at));
                return self.report(&who, source, (lane, origin), Found::Read(touch.space));
            }
        }
    }
}
