//! What the checker knows of a launch: its memories, the registers of warps that have undefined values, and where those
//! were born.

use std::sync::Arc;

use ptxvm_ir::Program;
use ptxvm_ir::operation::Operation;
use ptxvm_machine::code::Source;
use ptxvm_machine::door::executed::{Begun, NoValue};
use ptxvm_machine::door::observer::Who;
use ptxvm_machine::door::touch::Space;
use ptxvm_machine::registers::Slot;
use rustc_hash::FxHashMap;

use crate::init::memory::{Memories, Memory};
use crate::init::propagate::Results;
use crate::init::registers::{Lanes, Origin, Registers, Undefined, lanes_in};
use crate::init::values::Bytes;
use crate::told::Told;

/// Where an undefined value was born.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Birth {
    /// An instruction read bytes that nobody had written.
    Memory(Source, Space),
    /// A register that was never written, by its function and where it begins among its registers.
    Register(u32, u32),
    /// An instruction gave a value that the manual leaves undefined.
    Result(Source, NoValue),
}

/// What is known of an instruction that is about to be executed.
#[derive(Debug, Default)]
pub struct Pending {
    pub results: Results,
    /// What it stores.
    pub values: Option<Box<Bytes>>,
    /// The lanes whose guard is undefined, and where that comes from.
    pub open: u32,
    pub origin: Origin,
}

/// Undefined bytes that stay in global memory: which instruction stored them, who, and where.
#[derive(Clone, Copy, Debug)]
pub struct Left {
    pub who: Who,
    pub lane: usize,
    pub address: u64,
    pub mask: u32,
    pub origin: Origin,
}

/// A warp: its cluster, the rank of its CTA, its number there.
pub type Warp = (u64, u32, u32);

/// What the checker knows of a launch.
#[derive(Debug)]
pub struct State {
    pub program: Arc<Program>,
    /// Whether what nobody has written is undefined.
    pub unwritten: bool,
    pub memories: Memories,
    pub warps: FxHashMap<Warp, Registers>,
    pub births: Vec<(Birth, u64)>,
    by_birth: FxHashMap<Birth, usize>,
    pub pending: Option<Pending>,
    pub loaded: Option<(Source, Box<Bytes>)>,
    /// What the asynchronous operation that is looked at leaves undefined: by instruction, where.
    pub copied: Vec<(Source, u64)>,
    pub left: FxHashMap<Source, Vec<Left>>,
    pub told: Told,
}

/// The warp of an access.
pub fn warp(who: &Who) -> Warp {
    (who.cluster, who.rank, who.warp)
}

impl State {
    pub fn new(program: &Arc<Program>, unwritten: bool, memories: Memories, told: Told) -> Self {
        Self {
            program: Arc::clone(program),
            unwritten,
            memories,
            warps: FxHashMap::default(),
            births: Vec::new(),
            by_birth: FxHashMap::default(),
            pending: None,
            loaded: None,
            copied: Vec::new(),
            left: FxHashMap::default(),
            told,
        }
    }

    /// What an instruction means.
    pub fn operation(&self, source: Source) -> Option<Operation> {
        let function = self.program.functions.get(source.function.0 as usize)?;
        self.program.operation(function.instructions.get(source.instruction as usize)?).copied()
    }

    /// The number of a birth, at this address.
    pub fn born(&mut self, birth: Birth, address: u64) -> Origin {
        let Self { births, by_birth, .. } = self;
        let number = *by_birth.entry(birth).or_insert_with(|| {
            births.push((birth, address));
            births.len() - 1
        });
        Origin::new(number)
    }

    /// Lanes begin a call, or the entry: their frames hold nothing yet.
    pub fn begin(&mut self, begun: &Begun<'_>) {
        let Begun { who, activation, unset, frame, bytes, function } = *begun;
        for lane in lanes_in(who.lanes) {
            let thread = (who.cluster, who.rank, who.warp, lane as u32);
            if bytes != 0 && self.unwritten {
                self.memories.undefine(Memory::Local(thread), frame[lane], bytes, None);
            }
        }
        if let Some(registers) = self.warps.get_mut(&warp(&who)) {
            match activation {
                0 => drop(self.warps.remove(&warp(&who))),
                _ => registers.forget(activation, who.lanes),
            }
        }
        if !self.unwritten {
            return;
        }
        for slot in unset {
            let origin = self.born(Birth::Register(function.0, slot.offset()), 0);
            let registers = self.warps.entry(warp(&who)).or_default();
            registers.set(activation, *slot, who.lanes, |_| Undefined { bits: u128::MAX, origin });
        }
    }

    /// What is known of a register goes with its value.
    pub fn pass(&mut self, who: &Who, from: (u32, Slot), to: (u32, Slot)) {
        let Some(registers) = self.warps.get_mut(&warp(who)) else { return };
        let known: Option<Box<Lanes>> = registers.get(from.0, from.1).map(|lanes| Box::new(*lanes));
        let of = |lane: usize| known.as_ref().map_or_else(Undefined::default, |lanes| lanes[lane]);
        registers.set(to.0, to.1, who.lanes, of);
    }

    /// A register says where lanes go: gives the first for which it is undefined.
    pub fn undecided(&self, who: &Who, activation: u32, slot: Slot) -> Option<(usize, Origin)> {
        let lanes = self.warps.get(&warp(who))?.get(activation, slot)?;
        let lane = lanes_in(who.lanes).find(|lane| lanes[*lane].bits != 0)?;
        Some((lane, lanes[lane].origin))
    }

    /// A cluster has ended.
    pub fn end_cluster(&mut self, cluster: u64) {
        self.warps.retain(|(of, ..), _| *of != cluster);
        self.memories.end_cluster(cluster);
    }
}
