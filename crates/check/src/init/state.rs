//! What the checker knows of a launch: its memories, the registers of warps that have undefined values, and where those
//! were born.

use std::sync::Arc;

use ptxvm_ir::Program;
use ptxvm_ir::operation::{Matrix, Operation};
use ptxvm_machine::code::Source;
use ptxvm_machine::door::executed::{Begun, NoValue};
use ptxvm_machine::door::observer::Who;
use ptxvm_machine::door::touch::Space;
use ptxvm_machine::registers::Slot;
use rustc_hash::FxHashMap;

use crate::init::memory::{Memories, Memory};
use crate::init::products::Products;
use crate::init::propagate::Results;
use crate::init::registers::{Lanes, Origin, Registers, Undefined, lanes_in};
use crate::init::values::Bytes;
use crate::told::Told;

/// Where an undefined value was born.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Birth {
    /// An instruction read bytes that nobody had written.
    Memory(Source, Space),
    /// A parameter or a result of a call that nobody had given.
    Passed,
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
    /// What is undefined of the registers of a matrix that it stores, by their number.
    pub fragment: Vec<(usize, Box<Lanes>)>,
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

/// A lane's atomic operation on bytes of which some were undefined.
#[derive(Clone, Copy, Debug)]
pub struct Combined {
    pub who: Who,
    pub lane: usize,
    pub at: (Memory, u64),
    pub bytes: u64,
    pub old: [u8; 32],
    pub origin: Origin,
}

/// Undefined bytes: where, which bits, and where they come from.
pub type Cells = Vec<((Memory, u64), u8, Origin)>;

/// Where the rows of a matrix begin, by the lane that stands for each.
pub type Rows = [Option<(Memory, u64)>; 32];

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
    /// What it has loaded of matrices: the number of the first register among its slots, and by register.
    pub loaded_registers: Option<(Source, usize, Vec<Lanes>)>,
    /// Whether the rows of tensor memory that are about to be loaded have cells that nobody has written.
    pub rows_unwritten: bool,
    /// Undefined cells of tensor memory that the running instruction is about to store.
    pub cells: Cells,
    /// Whether the program has `wmma` instructions, and where the last access of lanes was if it has.
    pub has_wmma: bool,
    pub last: Option<(Source, Rows)>,
    pub products: Products,
    /// Atomic operations of undefined bytes whose operand says what stays undefined of them.
    pub combined: Vec<Combined>,
    /// What the asynchronous operation that is looked at leaves undefined: by instruction, where.
    pub copied: Vec<(Source, u64)>,
    pub left: FxHashMap<Source, Vec<Left>>,
    pub told: Told,
}

/// The warp of an access.
pub fn warp(who: &Who) -> Warp {
    (who.cluster, who.rank, who.warp)
}

fn has_wmma(program: &Program) -> bool {
    let is_wmma = |operation: &Operation| {
        matches!(operation, Operation::Matrix(Matrix::WmmaLoad(_) | Matrix::WmmaStore(_)))
    };
    let all = program.functions.iter().flat_map(|function| &function.instructions);
    all.filter_map(|instruction| program.operation(instruction)).any(is_wmma)
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
            loaded_registers: None,
            rows_unwritten: false,
            cells: Cells::new(),
            has_wmma: has_wmma(program),
            last: None,
            products: if unwritten { Products::of(program) } else { Products::default() },
            combined: Vec::new(),
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

    /// A register says where lanes go: gives the first for which it is undefined.
    pub fn undecided(&self, who: &Who, activation: u32, slot: Slot) -> Option<(usize, Origin)> {
        let lanes = self.warps.get(&warp(who))?.get(activation, slot)?;
        let lane = lanes_in(who.lanes).find(|lane| lanes[*lane].bits != 0)?;
        Some((lane, lanes[lane].origin))
    }

    /// A cluster has ended.
    pub fn end_cluster(&mut self, cluster: u64) {
        self.warps.retain(|(of, ..), _| *of != cluster);
        self.products.end_cluster(cluster);
        self.memories.end_cluster(cluster);
    }
}
