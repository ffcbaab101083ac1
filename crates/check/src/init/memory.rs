//! What is known of a launch's memories: which bytes of shared, local and tensor memory are written, and where undefined
//! bytes that were stored come from. What is written of device memory the device itself knows.

use std::sync::Arc;

use ptxvm_machine::door::observer::Access;
use ptxvm_machine::door::touch::Space;
use ptxvm_memory::{Budget, Charge, Unwritten};
use rustc_hash::FxHashMap;

use crate::init::bits::{PAGE_BYTES, Written};
pub use crate::init::home::Memory;
use crate::init::parts::Parts;
use crate::init::registers::Origin;

/// The most places of which it is kept where undefined bytes that were stored come from.
const MOST_STORED: usize = 1 << 16;

/// The memories of a launch.
#[derive(Debug)]
pub struct Memories {
    written: FxHashMap<Memory, Written>,
    /// The shared memory that was touched last.
    last: Option<(u64, Written)>,
    device: Arc<Unwritten>,
    /// Origins of undefined bytes that were stored, by word of four.
    stored: FxHashMap<(Memory, u64), Origin>,
    /// The undefined bits of bytes that are partly defined.
    pub parts: Parts,
    /// The bytes of shared memory that a CTA has by its variables and by the launch.
    shared_bytes: u64,
    budget: Arc<Budget>,
    charged: Vec<Charge>,
    pages: u64,
    /// There was no memory to know more.
    pub is_full: bool,
}

/// The bits of a `.shared::cluster` address that are an offset in one CTA's memory.
const OFFSET: u64 = (1 << 24) - 1;

/// So many pages are taken from the budget at once.
const PAGES: u64 = 64;

impl Memories {
    pub fn new(device: &Arc<Unwritten>, shared_bytes: u64, budget: &Arc<Budget>) -> Self {
        Self {
            written: FxHashMap::default(),
            last: None,
            device: Arc::clone(device),
            stored: FxHashMap::default(),
            parts: Parts::default(),
            shared_bytes,
            budget: Arc::clone(budget),
            charged: Vec::new(),
            pages: 0,
            is_full: false,
        }
    }

    fn of(&mut self, memory: Memory) -> &mut Written {
        if let Memory::Shared(cluster) = memory {
            if self.last.as_ref().is_none_or(|(last, _)| *last != cluster) {
                let new = self.written.remove(&memory).unwrap_or_default();
                if let Some((last, written)) = self.last.replace((cluster, new)) {
                    self.written.insert(Memory::Shared(last), written);
                }
            }
            if let Some((_, written)) = &mut self.last {
                return written;
            }
        }
        self.written.entry(memory).or_default()
    }

    /// Which of up to 32 bytes have not been written, as bits.
    #[inline]
    pub fn unwritten(&mut self, memory: Memory, address: u64, bytes: u64) -> u32 {
        match memory {
            Memory::Global => self.device.mask(address, bytes),
            // Behind the variables the device keeps its own.
            Memory::Shared(_) if (address & OFFSET) + bytes > self.shared_bytes => 0,
            _ if self.is_full => 0,
            _ => self.of(memory).unwritten(address, bytes),
        }
    }

    /// Whether some bytes are all written.
    pub fn has_all(&mut self, memory: Memory, address: u64, bytes: u64) -> bool {
        match memory {
            Memory::Global => self.device.first(address, bytes).is_none(),
            Memory::Shared(_) if (address & OFFSET) + bytes > self.shared_bytes => true,
            _ => self.is_full || self.of(memory).has_all(address, bytes),
        }
    }

    /// Bytes are written.
    #[inline]
    pub fn define(&mut self, memory: Memory, address: u64, bytes: u64) {
        self.parts.clear(memory, address, bytes);
        match memory {
            Memory::Global => self.device.remove(address, bytes),
            _ if self.is_full => {}
            _ => {
                let written = self.of(memory);
                let before = written.count;
                written.set(address, bytes, true);
                let new = written.count - before;
                if new != 0 {
                    self.charge(new);
                }
            }
        }
    }

    /// What bytes hold means nothing, for this reason.
    pub fn undefine(&mut self, memory: Memory, address: u64, bytes: u64, origin: Option<Origin>) {
        self.parts.clear(memory, address, bytes);
        match memory {
            Memory::Global => self.device.add(address, bytes),
            _ => self.of(memory).set(address, bytes, false),
        }
        if let Some(origin) = origin
            && self.stored.len() < MOST_STORED
        {
            self.stored.insert((memory, address & !3), origin);
        }
    }

    /// These bits of a byte mean nothing, for this reason; the others are defined.
    pub fn undefine_bits(&mut self, memory: Memory, address: u64, bits: u8, origin: Option<Origin>) {
        match bits {
            0 => self.define(memory, address, 1),
            0xff => self.undefine(memory, address, 1, origin),
            _ if self.parts.set(memory, address, bits) => {
                let before = self.parts.of(memory, address);
                self.undefine(memory, address, 1, origin);
                self.parts.set(memory, address, before);
            }
            _ => self.define(memory, address, 1),
        }
    }

    /// The undefined bits of up to 32 bytes.
    pub fn undefined_bits(&mut self, memory: Memory, address: u64, bytes: u64) -> [u8; 32] {
        let mask = self.unwritten(memory, address, bytes);
        let parts = &self.parts;
        std::array::from_fn(|byte| match mask >> byte & 1 {
            0 => 0,
            _ if parts.is_empty() => 0xff,
            _ => parts.of(memory, address.wrapping_add(byte as u64)),
        })
    }

    /// The launch ends: global memory is known byte by byte to the next one, and bytes that are partly defined count as
    /// defined there.
    pub fn end(&mut self) {
        for (word, bits) in self.parts.words(Memory::Global) {
            let partly = (0..8).filter(|byte| bits >> (8 * byte) & 0xff != 0);
            partly.for_each(|byte| self.device.remove(word + byte, 1));
        }
    }

    /// Where what was stored there comes from, if something undefined was.
    pub fn origin(&self, memory: Memory, address: u64) -> Option<Origin> {
        self.stored.get(&(memory, address & !3)).copied()
    }

    fn charge(&mut self, new: u64) {
        self.pages += new;
        while self.pages > self.charged.len() as u64 * PAGES {
            match self.budget.charge(PAGES * PAGE_BYTES) {
                Ok(charge) => self.charged.push(charge),
                Err(_) => {
                    self.is_full = true;
                    return;
                }
            }
        }
    }

    /// A cluster has ended, and its memory is gone.
    pub fn end_cluster(&mut self, cluster: u64) {
        let is_of = |memory: &Memory| match memory {
            Memory::Global => false,
            Memory::Shared(of) | Memory::Tensor(of) | Memory::Local((of, ..)) => *of == cluster,
        };
        if self.last.as_ref().is_some_and(|(last, _)| *last == cluster) {
            self.last = None;
        }
        self.written.retain(|memory, _| !is_of(memory));
        self.parts.forget(is_of);
        if !self.stored.is_empty() {
            self.stored.retain(|(memory, _), _| !is_of(memory));
        }
        let shared = self.last.iter().map(|(_, written)| written.count);
        self.pages = self.written.values().map(|written| written.count).chain(shared).sum();
        self.charged.truncate(self.pages.div_ceil(PAGES) as usize);
    }
}

/// The memory of a space, for who has no local memory there.
pub fn memory(space: Space, cluster: u64) -> Option<Memory> {
    match space {
        Space::Global => Some(Memory::Global),
        Space::Shared => Some(Memory::Shared(cluster)),
        Space::Tensor => Some(Memory::Tensor(cluster)),
        Space::Local | Space::Parameter => None,
    }
}

/// Where a lane's bytes lie: in which memory, and there.
pub fn place(access: &Access<'_>, lane: usize) -> Option<(Memory, u64)> {
    let (who, address) = (&access.who, access.addresses[lane]);
    match access.space {
        Space::Local => Some((Memory::Local((who.cluster, who.rank, who.warp, lane as u32)), address)),
        Space::Tensor => Some((Memory::Tensor(who.cluster), cell(address))),
        space => memory(space, who.cluster).map(|memory| (memory, address)),
    }
}

/// Where a column of tensor memory lies if four bytes of each follow one another.
pub fn cell(address: u64) -> u64 {
    let (rank, lane, column) = (address >> 32, address >> 16 & 0xffff, address & 0xffff);
    ((rank << 7 | lane & 127) << 9 | column & 511) * 4
}
