//! What the compiler knows of a function before it writes code: which values share a home, which of them are the same in
//! all lanes or grow from lane to lane, and which registers are live where.

mod few;
mod home;
mod id;
mod late;
mod left_out;
mod pattern;
mod promise;
mod remade;
mod root;
mod shape;
mod unread;
mod whole;
mod wild;

use few::few;
pub use home::{Homes, Maker};
pub use id::{HomeId, is_in};
pub use late::{Late, Products, wgmma};
use left_out::{LeftOut, left_out};
pub use pattern::Pattern;
pub use promise::Promise;
use root::roots;
pub use root::{Made, Root};
pub use shape::{Rows, Shape, of_special, row_width};
use unread::{live_at_end, step_back, unread};
use whole::is_whole;
use wild::{of_memory, without_pattern};

use std::cell::OnceCell;
use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use ptxvm_ir::flow::{Flow, Graph, Loops, Uniformity, live_in};
use ptxvm_ir::{BlockId, Function, FunctionId, Instruction, Program};
use ptxvm_machine::code::{self, Block};
use ptxvm_machine::context::Code;
use ptxvm_machine::registers::{LANES, Slot};

use crate::tuning::Tuning;

/// More homes of registers at the beginnings of blocks than this are not looked at: the interpreter serves.
const MOST: usize = 1 << 24;

/// A function of a kernel, for CTAs of one shape.
pub struct Analysis<'a> {
    /// The linked kernel.
    pub code: &'a Code,
    /// The function.
    pub function: &'a Function,
    /// The function, linked.
    pub linked: &'a code::Function,
    /// The threads of a CTA in each dimension.
    pub cta: [u32; 3],
    /// Where values live.
    pub homes: Homes,
    /// The registers whose values are in the activation and nowhere else.
    pub late: Late,
    live: Vec<Vec<u64>>,
    live_homes: Vec<OnceCell<Vec<(u32, HomeId)>>>,
    registers: HashMap<u32, u32>,
    wild: OnceCell<Vec<bool>>,
    of_memory: OnceCell<Vec<bool>>,
    roots: OnceCell<Vec<Made>>,
    few: OnceCell<Vec<bool>>,
    unread: OnceCell<Vec<bool>>,
    left_out: LeftOut,
    /// By instruction of the function: those of the code that it has become.
    linked_at: OnceCell<HashMap<u32, Range<u32>>>,
    graph: Graph,
    loops: Loops,
    uniformity: Uniformity,
    /// How code is made of it.
    pub tuning: Tuning,
    /// Whether some function that the kernel can reach has variables in local memory, to which generic addresses may lead.
    pub has_local: bool,
    /// The slot of the carry flag, if some instruction uses it.
    pub carry: Option<Slot>,
}

impl<'a> Analysis<'a> {
    /// Looks at a function; `None` if that is too much.
    pub fn of(code: &'a Code, id: FunctionId, cta: [u32; 3], tuning: Tuning) -> Option<Self> {
        let program: &'a Program = &code.program;
        let function = program.functions.get(id.0 as usize)?;
        let linked = code.functions.get(id.0 as usize)?.as_ref()?;
        if function.blocks.len().saturating_mul(function.registers.len() + 1) > MOST {
            return None;
        }
        let flow = Flow::of(program, function);
        let uniformity = Uniformity::in_cta(program, function, &flow, Some(cta));
        let live = live_in(function)?;
        let late = Late::of(program, function);
        let homes = Homes::of(
            program,
            function,
            (&flow, &uniformity, &live, &late),
            cta,
            (tuning.close, tuning.one_way),
        )?;
        let registers = linked.registers.iter().zip(0..).map(|(slot, number)| (slot.offset(), number));
        let mut registers: HashMap<u32, u32> = registers.collect();
        let carry = carry(code, id, function);
        registers.extend(carry.map(|slot| (slot.offset(), function.registers.len() as u32)));
        let left_out = left_out(function, &homes, &live);
        let live_homes = vec![OnceCell::new(); live.len()];
        let has_local = code.functions.iter().flatten().any(|function| function.frame_bytes != 0);
        Some(Self {
            code,
            function,
            linked,
            cta,
            homes,
            late,
            live,
            live_homes,
            registers,
            wild: OnceCell::new(),
            of_memory: OnceCell::new(),
            roots: OnceCell::new(),
            few: OnceCell::new(),
            unread: OnceCell::new(),
            left_out,
            linked_at: OnceCell::new(),
            graph: flow.graph,
            loops: flow.loops,
            uniformity,
            tuning,
            has_local,
            carry,
        })
    }

    /// The number of the register that lies in a slot; `None` for what an instruction of the linker's own prepares.
    pub fn register(&self, slot: Slot) -> Option<u32> {
        self.registers.get(&slot.offset()).copied()
    }

    /// The slot of a register.
    pub fn slot(&self, register: u32) -> Option<Slot> {
        self.linked.registers.get(register as usize).copied().or(self.carry)
    }

    /// The block of the function that a block of the code begins as: its own, or for one that the linker has added the
    /// one that it leads to.
    pub fn begins_as(&self, block: &Block) -> BlockId {
        match (block.of, &block.end_with) {
            (Some(of), _) => of,
            (None, code::Terminator::Next(head)) => {
                self.code.blocks.get(*head as usize).and_then(|head| head.of).unwrap_or(BlockId(0))
            }
            (None, _) => BlockId(0),
        }
    }

    /// Whether what a register holds has no pattern over lanes.
    pub fn is_wild(&self, register: u32) -> bool {
        let wild = self.wild.get_or_init(|| without_pattern(&self.code.program, self.function));
        wild.get(register as usize).copied().unwrap_or(true)
    }

    /// What an address in a slot is made of.
    pub fn made(&self, slot: Slot) -> Option<Made> {
        let roots = self.roots.get_or_init(|| roots(&self.code.program, self.function));
        roots.get(self.register(slot)? as usize).copied()
    }

    /// Whether what a register holds comes of more than arithmetic.
    pub fn is_of_memory(&self, register: u32) -> bool {
        let all = self.of_memory.get_or_init(|| of_memory(&self.code.program, self.function));
        all.get(register as usize).copied().unwrap_or(true)
    }

    /// Whether a register counts few turns of a loop.
    pub fn counts_few(&self, register: u32) -> bool {
        let few = self.few.get_or_init(|| few(&self.code.program, self.function));
        few.get(register as usize).copied().unwrap_or(false)
    }

    /// How many warps a CTA has.
    pub fn warps(&self) -> u32 {
        self.cta.iter().product::<u32>().div_ceil(LANES as u32)
    }

    /// The lanes of a warp that have a thread.
    pub fn lanes_of(&self, warp: u32) -> u32 {
        let lanes = LANES as u32;
        let threads = self.cta.iter().product::<u32>();
        u32::MAX >> (lanes - threads.saturating_sub(warp * lanes).clamp(1, lanes))
    }

    /// Whether a block of the code is in a loop.
    pub fn repeats(&self, block: u32) -> bool {
        let block = self.begins_as(&self.code.blocks[block as usize]);
        self.loops.innermost(block.0).is_some()
    }

    /// Whether warps only begin with a block of the code: no lane has ended or parted before it.
    pub fn is_beginning(&self, block: u32) -> bool {
        let leads_back = |from: &ptxvm_ir::Block| {
            from.terminator.successors(&self.function.branch_lists).any(|next| next == BlockId(0))
        };
        self.function.entry
            && self.linked.block == block
            && self.code.blocks[block as usize].of == Some(BlockId(0))
            && !self.function.blocks.iter().any(leads_back)
    }

    /// Whether warps that come to a block of the code have, as a rule, lost no lane.
    pub fn is_whole(&self, block: u32) -> bool {
        let block = self.begins_as(&self.code.blocks[block as usize]);
        is_whole(self.function, &self.graph, &self.uniformity, block)
    }

    /// Whether code that is left does not put a register back.
    pub fn leaves_out(&self, register: u32) -> bool {
        self.left_out.registers.contains(&register)
    }

    /// The instructions of the code that make what is not put back.
    pub fn remade(&self) -> Vec<u32> {
        self.left_out.instructions.iter().flat_map(|instruction| self.linked_at(*instruction)).collect()
    }

    /// The instructions of the code that one of the function has become.
    pub fn linked_at(&self, instruction: u32) -> Range<u32> {
        let all = self.linked_at.get_or_init(|| {
            let id = self.code.blocks[self.linked.block as usize].source.function;
            let mut all: HashMap<u32, Range<u32>> = HashMap::new();
            for (at, linked) in (0u32..).zip(&self.code.instructions) {
                if linked.source.function == id {
                    all.entry(linked.source.instruction).or_insert(at..at).end = at + 1;
                }
            }
            all
        });
        all.get(&instruction).cloned().unwrap_or_default()
    }

    /// How what a register holds at the end of a block of the code differs between lanes.
    pub fn shape_at_end(&self, block: u32, register: u32) -> Shape {
        let described = &self.code.blocks[block as usize];
        let start = self.begins_as(described);
        let written = described.of.and_then(|of| {
            let of = &self.function.blocks[of.0 as usize];
            (of.start..of.end).rev().find_map(|at| self.homes.written(at, register))
        });
        self.homes.shape(written.unwrap_or_else(|| self.homes.at_start(start, register)))
    }

    /// Whether an instruction may have to wait for somebody outside of the warp.
    pub fn waits(&self, instruction: &Instruction) -> bool {
        self.code.program.operation(instruction).is_some_and(|operation| operation.effects().waits)
    }

    /// Whether a slot is that of a register whose value is in the activation and nowhere else.
    pub fn is_late(&self, slot: Slot) -> bool {
        !self.late.is_empty() && self.register(slot).is_some_and(|register| self.late.has(register))
    }

    /// The registers of a set that have homes, with their slots, and the carry flag.
    pub fn all_registers(&self, set: &[u64]) -> Vec<(u32, Slot)> {
        let wanted = |register: &u32| is_in(set, *register) && !self.late.has(*register);
        let registers = (0..self.function.registers.len() as u32).filter(wanted);
        let carry = self.carry.map(|_| self.function.registers.len() as u32);
        let slots = registers.chain(carry).map(|register| (register, self.slot(register)));
        slots.filter_map(|(register, slot)| Some((register, slot?))).collect()
    }

    /// The registers with homes that are live at the beginning of a block of the code, and these.
    pub fn live_at(&self, block: u32) -> &[(u32, HomeId)] {
        let of = self.begins_as(&self.code.blocks[block as usize]);
        self.live_homes[of.0 as usize].get_or_init(|| {
            let live = &self.live[of.0 as usize];
            let wanted = |register: &u32| is_in(live, *register) && !self.late.has(*register);
            let registers = (0..self.function.registers.len() as u32).filter(wanted);
            let carry = self.carry.map(|_| self.function.registers.len() as u32);
            registers.chain(carry).map(|register| (register, self.homes.at_start(of, register))).collect()
        })
    }

    /// The registers that are live before one of some instructions of the function, which stand in one block.
    pub fn live_before(&self, instructions: &BTreeSet<u32>) -> Vec<u64> {
        let words = self.function.registers.len().div_ceil(64);
        let block =
            instructions.first().map(|first| self.function.blocks.partition_point(|b| b.end <= *first));
        let block = block.and_then(|at| self.function.blocks.get(at));
        let within =
            |block: &&ptxvm_ir::Block| instructions.iter().all(|at| (block.start..block.end).contains(at));
        let Some(block) = block.filter(within) else { return vec![!0; words] };
        let mut live = live_at_end(self.function, &self.live, block);
        let mut all = vec![0; words];
        for at in (block.start..block.end).rev() {
            step_back(self.function, at, &mut live);
            if instructions.contains(&at) {
                all.iter_mut().zip(&live).for_each(|(all, live)| *all |= live);
            }
        }
        all
    }

    /// Whether nobody reads what an instruction of the function writes.
    pub fn is_unread(&self, instruction: u32) -> bool {
        let unread = self.unread.get_or_init(|| unread(self.function, &self.live));
        unread.get(instruction as usize).copied().unwrap_or(false)
    }
}

/// The slot of a function's carry flag: the last destination of who writes it, the last source of who reads it.
fn carry(code: &Code, id: FunctionId, function: &Function) -> Option<Slot> {
    code.instructions.iter().filter(|linked| linked.source.function == id).find_map(|linked| {
        let instruction = function.instructions.get(linked.source.instruction as usize)?;
        let operation = code.program.operation(instruction)?;
        let destinations = function.operands_of(instruction).iter().filter(|operand| operand.written).count();
        if operation.writes_carry() {
            return linked.slots.get(destinations).copied();
        }
        if operation.reads_carry() { linked.slots.last().copied() } else { None }
    })
}
