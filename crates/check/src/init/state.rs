//! What the checker knows of a launch: its memories, the registers of warps that have undefined values, and where those
//! were born.

use std::sync::Arc;

use ptxvm_ir::Program;
use ptxvm_ir::operation::access::AtomicFunction;
use ptxvm_ir::operation::matrix::{Matrix, MatrixLayout};
use ptxvm_ir::operation::{Access as Operated, Operation};
use ptxvm_machine::code::{Meaning, Source};
use ptxvm_machine::door::observer::{Access, Who};
use ptxvm_machine::door::touch::{Space, Wants};
use ptxvm_machine::door::values::{Begun, Executed};
use ptxvm_machine::registers::Slot;
use rustc_hash::FxHashMap;

use crate::init::bitwise::{extended, ones};
use crate::init::decide::{Use, deciding, only_computes};
use crate::init::memory::{Memories, Memory, memory};
use crate::init::propagate::{Results, results};
use crate::init::registers::{Lanes, Origin, Registers, Undefined};
use crate::told::Told;

/// Where an undefined value was born.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Birth {
    /// An instruction read bytes that nobody had written.
    Memory(Source, Space),
    /// A register that was never written, by its function and where it begins among its registers.
    Register(u32, u32),
}

/// Undefined bytes, lane by lane, as bits from the first byte up.
#[derive(Clone, Debug, Default)]
pub struct Bytes {
    pub masks: [u32; 32],
    pub origins: [Origin; 32],
}

/// What is known of an instruction that is about to be executed.
#[derive(Debug, Default)]
struct Pending {
    results: Results,
    /// What it stores.
    values: Option<Box<Bytes>>,
    /// The lanes whose guard is undefined, and where that comes from.
    open: u32,
    origin: Origin,
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

/// So many places of an instruction that stores undefined values are looked at when the launch has ended.
const MOST_LEFT: usize = 64;

/// A warp: its cluster, the rank of its CTA, its number there.
type Warp = (u64, u32, u32);

/// What the checker knows of a launch.
#[derive(Debug)]
pub struct State {
    pub program: Arc<Program>,
    pub memories: Memories,
    warps: FxHashMap<Warp, Registers>,
    pub births: Vec<(Birth, u64)>,
    by_birth: FxHashMap<Birth, usize>,
    pending: Option<Pending>,
    loaded: Option<(Source, Box<Bytes>)>,
    /// What the asynchronous operation that is looked at leaves undefined: by instruction, where.
    pub copied: Vec<(Source, u64)>,
    pub left: FxHashMap<Source, Vec<Left>>,
    pub told: Told,
}

fn warp(who: &Who) -> Warp {
    (who.cluster, who.rank, who.warp)
}

pub fn lanes_in(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 != 0)
}

/// Where a lane's bytes lie: in which memory, and there.
fn place(access: &Access<'_>, lane: usize) -> Option<(Memory, u64)> {
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

impl State {
    pub fn new(program: &Arc<Program>, memories: Memories, told: Told) -> Self {
        Self {
            program: Arc::clone(program),
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
            if bytes != 0 {
                self.memories.undefine(Memory::Local(thread), frame[lane], bytes, None);
            }
        }
        if let Some(registers) = self.warps.get_mut(&warp(&who)) {
            match activation {
                0 => drop(self.warps.remove(&warp(&who))),
                _ => registers.forget(activation, who.lanes),
            }
        }
        for slot in unset {
            let origin = self.born(Birth::Register(function.0, slot.offset()), 0);
            let registers = self.warps.entry(warp(&who)).or_default();
            registers.set(activation, *slot, who.lanes, |_| Undefined { bits: u128::MAX, origin });
        }
    }

    /// Lanes touch memory. Gives whether they read something undefined.
    pub fn access(&mut self, access: &Access<'_>) -> bool {
        let (bytes, lanes) = (access.bytes, access.who.lanes);
        match access.wants {
            Wants::Read => self.read(access),
            Wants::Write => {
                if self.pending.as_ref().is_some_and(|pending| pending.values.is_some()) {
                    self.store(access);
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
            Some(Operation::Access(Operated::Atomic(atomic))) => Some(atomic.function),
            _ => None,
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
                Some(AtomicFunction::Cas) if old != 0 => {
                    self.report(&access.who, access.source, (lane, origin), Found::Compared);
                    0
                }
                Some(AtomicFunction::Exch | AtomicFunction::Cas) => given,
                _ => u32::MAX,
            };
            self.memories.define(at.0, at.1, access.bytes);
            let from = if new == given { from } else { origin };
            self.leave(access, lane, at, (new, from.computed()));
        }
        any
    }

    /// An instruction of a warp with undefined values is about to be executed.
    pub fn execute(&mut self, executed: &Executed<'_>) {
        (self.pending, self.loaded) = (None, None);
        let Some(operation) = self.operation(executed.source) else { return };
        if executed.meaning != Meaning::Program {
            return;
        }
        let Some(registers) = self.warps.get(&warp(&executed.who)) else { return };
        let mut pending = Pending::default();
        let mut found: Vec<(usize, Origin, Found)> = Vec::new();
        if let Some(guard) = executed.guard.and_then(|slot| registers.get(executed.activation, slot)) {
            let open = lanes_in(executed.active).filter(|lane| guard[*lane].bits != 0);
            pending.open = open.fold(0, |open, lane| open | 1 << lane);
            if pending.open != 0 {
                let lane = pending.open.trailing_zeros() as usize;
                pending.origin = guard[lane].origin.computed();
                if !only_computes(&operation) {
                    found.push((lane, guard[lane].origin, Found::Guard));
                    pending.open = 0;
                }
            }
        }
        let (activation, written) = (executed.activation, executed.written.min(executed.slots.len()));
        if registers.has_any(activation, &executed.slots[written..]) {
            for (index, what) in deciding(&operation, written, executed.slots.len()) {
                if matches!(operation, Operation::Matrix(Matrix::Wgmma(_))) && index < written {
                    continue;
                }
                let Some(lanes) = registers.get(activation, executed.slots[index]) else { continue };
                let lane = lanes_in(executed.who.lanes).find(|lane| lanes[*lane].bits != 0);
                found.extend(lane.map(|lane| (lane, lanes[lane].origin, Found::Operand(index, what))));
            }
            match operation {
                Operation::Access(Operated::Store(words)) => {
                    let first = words.address.operand + 1;
                    pending.values = stored(registers, executed, first, words.count, words.bits);
                }
                Operation::Access(Operated::Atomic(atomic)) => {
                    let first = atomic.address.operand + 1;
                    let bits = atomic.ty.bits();
                    let bytes = stored(registers, executed, first, atomic.count, bits);
                    // `atom.cas` stores its second value.
                    pending.values = match atomic.function {
                        AtomicFunction::Cas => stored(registers, executed, first + 1, 1, bits),
                        _ => bytes,
                    };
                }
                Operation::Access(_) | Operation::Texture(_) | Operation::Surface(_) => {}
                _ if found.is_empty() => pending.results = results(&operation, executed, registers),
                _ => {}
            }
        }
        self.pending = Some(pending);
        for (lane, origin, what) in found {
            self.report(&executed.who, executed.source, (lane, origin), what);
        }
    }

    /// It has been executed. Gives whether its warp has undefined values.
    pub fn executed(&mut self, executed: &Executed<'_>) -> bool {
        let pending = self.pending.take().unwrap_or_default();
        let loaded = self.loaded.take().filter(|(source, _)| *source == executed.source);
        let operation = self.operation(executed.source);
        let registers = self.warps.entry(warp(&executed.who)).or_default();
        let written = executed.written.min(executed.slots.len());
        for (index, slot) in executed.slots[..written].iter().enumerate() {
            let result = pending.results.get(index).map(|(_, lanes)| &**lanes);
            let loaded = loaded.as_ref().map(|(_, bytes)| &**bytes);
            let new = |lane: usize| match (result, loaded, &operation) {
                (Some(lanes), ..) => lanes[lane],
                (None, Some(bytes), Some(operation)) if executed.meaning == Meaning::Program => {
                    given(operation, bytes, (index, *slot), lane)
                }
                _ => Undefined::default(),
            };
            registers.set(executed.activation, *slot, executed.who.lanes, new);
            let open = Undefined { bits: u128::MAX, origin: pending.origin };
            registers.set(executed.activation, *slot, pending.open, |_| open);
        }
        let any = !registers.is_empty();
        if !any {
            self.warps.remove(&warp(&executed.who));
        }
        any
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

/// How an undefined value decides something.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Found {
    /// It is an operand of the instruction, this one among its slots.
    Operand(usize, Use),
    /// It is the predicate in front of the instruction.
    Guard,
    /// Threads branch, return or end by it.
    Way,
    /// A function is called by it.
    Callee,
    /// It names a barrier, or how many come there.
    Barrier,
    /// `atom.cas` compares with it.
    Compared,
    /// It stays in global memory when the launch ends.
    Left,
    /// A tensor core or a copy reads it from memory.
    Read(Space),
}

/// The undefined bytes of the values that lanes store one after the other.
fn stored(
    registers: &Registers,
    executed: &Executed<'_>,
    first: usize,
    count: usize,
    bits: u32,
) -> Option<Box<Bytes>> {
    let values = executed.slots.get(first..first.checked_add(count)?)?;
    if !registers.has_any(executed.activation, values) {
        return None;
    }
    let width = bits.div_ceil(8).max(1);
    let mut bytes = Box::<Bytes>::default();
    for (place, slot) in (0u32..).zip(values) {
        let Some(lanes) = registers.get(executed.activation, *slot) else { continue };
        for lane in 0..32 {
            let undefined = lanes[lane].bits;
            let mask = (0..width).filter(|byte| undefined >> (8 * byte) & 0xff != 0);
            let mask = mask.fold(0u32, |mask, byte| mask | 1 << byte);
            if mask != 0 {
                bytes.masks[lane] |= mask.checked_shl(place * width).unwrap_or(0);
                bytes.origins[lane] = lanes[lane].origin;
            }
        }
    }
    Some(bytes)
}

/// What is undefined of a destination, by the bytes that were loaded.
fn given(operation: &Operation, bytes: &Bytes, (index, slot): (usize, Slot), lane: usize) -> Undefined {
    let of_bytes = |mask: u32, first: u32, width: u32| {
        let bits = (0..width).filter(|byte| first + byte < 32 && mask >> (first + byte) & 1 != 0);
        bits.fold(0u128, |all, byte| all | 0xff << (8 * byte))
    };
    match operation {
        Operation::Access(Operated::Load(words)) => {
            let width = words.bits.div_ceil(8);
            let undefined = of_bytes(bytes.masks[lane], index as u32 * width, width);
            let undefined = if slot.is_signed() { extended(undefined, words.bits) } else { undefined };
            Undefined { bits: undefined & ones(slot.bits()), origin: bytes.origins[lane] }
        }
        Operation::Access(Operated::Atomic(atomic)) => {
            let width = atomic.ty.bits().div_ceil(8);
            let undefined = of_bytes(bytes.masks[lane], index as u32 * width, width);
            Undefined { bits: undefined, origin: bytes.origins[lane] }
        }
        Operation::Matrix(Matrix::Load(moved)) => {
            let (group, within) = (lane / 4, lane % 4);
            let row = |row: usize, byte: usize| bytes.masks[(index * 8 + row) % 32] >> byte & 1 != 0;
            let place = |byte: usize| match moved.layout {
                MatrixLayout::Rows => Some((group, 4 * within + byte)),
                MatrixLayout::Columns => Some((2 * within + byte / 2, 2 * group + byte % 2)),
                MatrixLayout::SixteenColumns | MatrixLayout::Accumulators => None,
            };
            let any = lanes_in(u32::MAX).find(|lane| bytes.masks[*lane] != 0);
            let origin = any.map_or_else(Origin::default, |lane| bytes.origins[lane]);
            let bits = (0..4).filter(|byte| place(*byte).map_or(any.is_some(), |(r, b)| row(r, b)));
            Undefined { bits: bits.fold(0, |all, byte| all | 0xff << (8 * byte)), origin }
        }
        _ => {
            let any = lanes_in(u32::MAX).find(|lane| bytes.masks[*lane] != 0);
            any.map_or_else(Undefined::default, |lane| Undefined {
                bits: u128::MAX,
                origin: bytes.origins[lane],
            })
        }
    }
}
