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

/// So many undefined bytes that a copy brings to global memory are more than padding.
const PADDING: u64 = 16;

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
            Some(Operation::Copy(Copy::Bulk(bulk))) if bulk.reduction.is_some() => {
                self.reduce(who, source, touches);
            }
            Some(Operation::Copy(Copy::Async(_) | Copy::Bulk(_) | Copy::Tensor(_))) => {
                self.copy(who, source, touches);
            }
            Some(Operation::Matrix(_)) => {
                self.issue_product(&who, source);
                self.multiply(who, source, touches);
            }
            Some(Operation::Tcgen05(_)) => self.multiply(who, source, touches),
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
        for ((memory, at), bits, origin) in std::mem::take(&mut self.cells) {
            self.memories.undefine_bits(memory, at, bits, Some(origin));
        }
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
            let mut run = 0;
            let mut result = None;
            for part in (0..from.bytes).step_by(4) {
                let bytes = (from.bytes - part).min(4);
                let undefined = self.memories.undefined_bits(at.0, at.1 + part, bytes);
                let is_undefined = |byte: &usize| undefined[*byte] != 0;
                let mask = (0..bytes as usize).filter(is_undefined).fold(0u32, |mask, byte| mask | 1 << byte);
                run = if mask.count_ones() == bytes as u32 { run + bytes } else { 0 };
                if mask == 0 {
                    continue;
                }
                let origin = match self.memories.origin(at.0, at.1 + part) {
                    Some(origin) => origin,
                    None => self.born(Birth::Memory(source, from.space), at.1 + part),
                };
                for byte in (0..bytes).filter(|byte| mask >> byte & 1 != 0) {
                    let bits = undefined[byte as usize];
                    self.memories.undefine_bits(into.0, into.1 + part + byte, bits, Some(origin));
                }
                // Padding of structures is shorter.
                if result.is_none() && (run >= PADDING.min(from.bytes) || origin.is_computed()) {
                    result = Some((part, mask, origin));
                }
            }
            if let (Memory::Global, Some((part, mask, origin))) = (into.0, result) {
                let lane = who.lanes.trailing_zeros().min(31) as usize;
                let left = Left { who, lane, address: into.1 + part, mask, origin };
                self.left.entry(source).or_default().push(left);
            }
        }
    }

    /// A bulk reduction computes with all that it reads.
    fn reduce(&mut self, who: Who, source: Source, touches: &[Touch]) {
        let of = |wants: Wants| touches.iter().filter(move |touch| touch.wants == wants);
        for (from, to) in of(Wants::Read).zip(of(Wants::Update)) {
            let (Some(at), Some(into)) = (place(from, who.cluster), place(to, who.cluster)) else { continue };
            if from.bytes != to.bytes || self.memories.has_all(at.0, at.1, from.bytes) {
                continue;
            }
            for part in (0..from.bytes).step_by(4) {
                let bytes = (from.bytes - part).min(4);
                let mask = self.memories.unwritten(at.0, at.1 + part, bytes);
                if mask == 0 {
                    continue;
                }
                let known = self.memories.origin(at.0, at.1 + part);
                let origin = known
                    .unwrap_or_else(|| self.born(Birth::Memory(source, from.space), at.1 + part))
                    .computed();
                self.memories.undefine(into.0, into.1 + part, bytes, Some(origin));
                let all = self.left.entry(source).or_default();
                if into.0 == Memory::Global && all.is_empty() {
                    let lane = who.lanes.trailing_zeros().min(31) as usize;
                    all.push(Left { who, lane, address: into.1 + part, mask, origin });
                }
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
        let is_product = matches!(self.operation(source), Some(Operation::Tcgen05(Tcgen05::Mma(_))));
        if is_product && let Some((at, address)) = self.unwritten_accumulator(who.cluster, touches) {
            let known = self.memories.origin(at, address);
            let origin = known.unwrap_or_else(|| self.born(Birth::Memory(source, Space::Tensor), address));
            return self.report(&who, source, (lane, origin), Found::Read(Space::Tensor));
        }
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

    /// Cells that a product reads, writes, and nobody has written before: what it adds to.
    fn unwritten_accumulator(&mut self, cluster: u64, touches: &[Touch]) -> Option<(Memory, u64)> {
        let of = |wants: Wants| touches.iter().filter(move |t| t.space == Space::Tensor && t.wants == wants);
        let unwritten = of(Wants::Read).filter_map(|touch| {
            let (memory, address) = place(touch, cluster)?;
            (!self.memories.has_all(memory, address, touch.bytes)).then_some((touch.address, memory, address))
        });
        let unwritten: Vec<(u64, Memory, u64)> = unwritten.collect();
        let is_written = |address: u64| of(Wants::Write).any(|touch| touch.address == address);
        let found = unwritten.into_iter().find(|(touched, ..)| is_written(*touched));
        found.map(|(_, memory, address)| (memory, address))
    }
}
