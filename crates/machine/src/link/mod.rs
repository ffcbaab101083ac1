//! From a program to linked code: operands become slots, labels block numbers, instructions operations.

mod frame;
mod graph;
mod layout;
mod live;
mod operand;
mod order;
mod terminator;

use std::sync::Arc;

use ptxvm_ir::{FunctionId, OperandKind, Program};
use ptxvm_isa::ISA;
use smallvec::SmallVec;

use crate::Addresses;
use crate::code::{Block, Code, Converge, Function, Instruction, Source, Terminator};
use crate::door::observer::{Observed, Observer, Telling};
use crate::ops::{self, special};
use crate::registers::{self, Slot};
use crate::statistics::Class;
use crate::vector::lanes::Op;
use frame::Frame;
use layout::Layout;
use operand::Constants;
use ptxvm_ir::operation::compute::{Compute, Movement};
use ptxvm_ir::operation::{self, Converges, Form, Operation, SpecialRegister};

/// Links an entry with all that it can reach.
pub fn link(
    program: Arc<Program>,
    entry: FunctionId,
    addresses: &Addresses,
    observer: Option<Arc<dyn Observer>>,
) -> Code {
    let layout = Layout::of(&program, entry, addresses);
    let mut linker = Linker {
        program: &program,
        layout: &layout,
        blocks: Vec::new(),
        instructions: Vec::new(),
        constants: Constants::default(),
        too_large: false,
    };
    let mut functions: Vec<Option<Function>> = (0..program.functions.len()).map(|_| None).collect();
    for id in &layout.reachable {
        functions[id.0 as usize] = Some(linker.function(*id));
    }
    let reserved_shared =
        layout.reachable.iter().any(|id| asks_for_reserved(&program.functions[id.0 as usize]));
    let Linker { blocks, mut instructions, constants, too_large, .. } = linker;
    let observed = observer.map(|observer| observe(&mut instructions, observer));
    let too_large = too_large || constants.full;
    let mut block = registers::Block::new(constants.bytes.len());
    block.bytes_mut()[..constants.bytes.len()].copy_from_slice(&constants.bytes);
    let (shared_bytes, shared) = (layout.shared_bytes, layout.shared);
    let program = program.clone();
    Code {
        program,
        entry,
        blocks,
        instructions,
        functions,
        constants: block,
        shared_bytes,
        shared,
        reserved_shared,
        too_large,
        observed,
    }
}

/// Has every instruction say what it is before it runs.
fn observe(instructions: &mut Vec<Instruction>, observer: Arc<dyn Observer>) -> Arc<Observed> {
    let sources = instructions.iter().map(|instruction| instruction.source).collect();
    let telling = |instruction: Instruction| Instruction {
        op: Telling::wrap(instruction.op, instruction.source),
        ..instruction
    };
    *instructions = std::mem::take(instructions).into_iter().map(telling).collect();
    Observed::new(observer, sources)
}

/// Whether a function reads one of the registers that say where the reserved shared memory lies.
fn asks_for_reserved(function: &ptxvm_ir::Function) -> bool {
    function.operands.iter().any(|operand| match operand.kind {
        OperandKind::Special { sreg, .. } => SpecialRegister::of(sreg).asks_for_reserved(),
        _ => false,
    })
}

struct Linker<'a> {
    program: &'a Program,
    layout: &'a Layout,
    blocks: Vec<Block>,
    instructions: Vec<Instruction>,
    constants: Constants,
    /// A function has more registers than there is room for.
    too_large: bool,
}

/// Instructions after which a block is closed: at its end the interpreter looks whether the launch is to end.
const LONGEST: u32 = 1 << 10;

/// Marks a block number of the program that is to be replaced by one of the code.
const LABEL: u32 = 1 << 31;

impl Linker<'_> {
    fn function(&mut self, id: FunctionId) -> Function {
        let function = &self.program.functions[id.0 as usize];
        let mut frame = Frame::new(function);
        let first = self.blocks.len();
        let mut labels = Vec::with_capacity(function.blocks.len());
        for (number, block) in function.blocks.iter().enumerate() {
            labels.push(self.blocks.len() as u32);
            let mut open = self.open();
            for index in block.start..block.end {
                let source = Source { function: id, instruction: index };
                let instruction = &function.instructions[index as usize];
                let used = &self.program.forms[instruction.form.0 as usize];
                let operands = function.operands_of(instruction);
                let form = Form::new(used, operands).of(self.program, function.entry);
                let guard = instruction.guard.map(|g| frame.guard(g));
                let operation = operation::decode(&form);
                let effects = operation.map(|operation| operation.effects()).unwrap_or_default();
                let open_for = self.instructions.len() as u32 - open.start;
                if (effects.converges.is_some() || effects.waits) && open_for != 0 || open_for >= LONGEST {
                    self.close(&mut open, None, source);
                }
                if let Some(converges) = effects.converges {
                    let named = operands.last().filter(|_| converges == Converges::Named);
                    let members = named.map(|o| self.slot(o, &mut frame, source));
                    open.converge = Some(Converge { members, guard });
                }
                match operation {
                    Some(Operation::Control(control)) => {
                        let end = self.terminator(control, operands, guard, function, &mut frame, source);
                        self.close(&mut open, Some(end), source);
                    }
                    operation => self.instruction(&form, operation, guard, &mut frame, source),
                }
            }
            let last = block.end.max(block.start + 1) - 1;
            let source =
                Source { function: id, instruction: last.min(function.instructions.len().max(1) as u32 - 1) };
            let ended = block.end > block.start
                && self.instructions.len() as u32 == open.start
                && open.converge.is_none()
                && self.blocks.len() as u32 > labels[number];
            if !ended {
                self.close(&mut open, None, source);
            }
        }
        // What runs off the end of a body has ended.
        let mut open = self.open();
        let over = if function.entry {
            Terminator::Exit { guard: None, next: 0 }
        } else {
            Terminator::Return { guard: None, next: 0 }
        };
        let instruction = (function.instructions.len() as u32).saturating_sub(1);
        self.close(&mut open, Some(over), Source { function: id, instruction });
        for block in &mut self.blocks[first..] {
            terminator::patch(&mut block.end_with, &labels);
        }
        let (blocks, begin) = order::arrange(self.blocks.split_off(first), first as u32);
        self.blocks.extend(blocks);
        let unset = live::read_first(function, |i| leaves(self.program, function, i));
        self.too_large |= frame.is_full();
        frame.finish(function, begin, self, &unset)
    }

    fn open(&self) -> Open {
        Open { start: self.instructions.len() as u32, converge: None }
    }

    /// Ends a block; without a terminator it goes on with the block that follows.
    fn close(&mut self, open: &mut Open, end: Option<Terminator>, source: Source) {
        let next = self.blocks.len() as u32 + 1;
        let class = end.as_ref().map(|end| match end {
            Terminator::Barrier(_) => Class::Barrier,
            _ => Class::Control,
        });
        self.blocks.push(Block {
            start: open.start,
            end: self.instructions.len() as u32,
            converge: open.converge,
            end_with: end.unwrap_or(Terminator::Next(next)),
            source,
            class,
        });
        *open = self.open();
    }

    fn instruction(
        &mut self,
        form: &Form<'_>,
        operation: Option<Operation>,
        guard: Option<Slot>,
        frame: &mut Frame,
        source: Source,
    ) {
        if let Some(Operation::Compute(Compute::Movement(Movement::Copy { .. }))) = operation
            && let Some(instruction) = self.special_move(form, guard, frame, source)
        {
            self.instructions.push(instruction);
            return;
        }
        let mut slots: SmallVec<[Slot; 5]> = SmallVec::new();
        for operand in form.operands().iter().filter(|o| o.written) {
            slots.push(self.slot(operand, frame, source));
        }
        if operation.is_some_and(|operation| operation.writes_carry()) {
            slots.push(frame.carry());
        }
        for operand in form.operands().iter().filter(|o| !o.written) {
            slots.push(self.slot(operand, frame, source));
        }
        if operation.is_some_and(|operation| operation.reads_carry()) {
            slots.push(frame.carry());
        }
        let op = operation.and_then(ops::executor).unwrap_or_else(|| ops::unsupported(form));
        let class = operation.map(|operation| operation.class());
        self.instructions.push(Instruction { op, slots, guard, source, class });
    }

    /// `mov` from a special register straight into the destination.
    fn special_move(
        &mut self,
        form: &Form<'_>,
        guard: Option<Slot>,
        frame: &mut Frame,
        source: Source,
    ) -> Option<Instruction> {
        let [to, from] = form.operands() else { return None };
        let OperandKind::Special { sreg, member } = from.kind else { return None };
        let slot = self.slot(to, frame, source);
        if slot.width != SpecialRegister::width(sreg) || slot.is_sink() {
            return None;
        }
        let slots = SmallVec::from_slice(&[slot]);
        let op = special::read(SpecialRegister::of(sreg), member);
        Some(Instruction { op, slots, guard, source, class: Some(Class::Move) })
    }

    /// An instruction of the linker's own, before the one that needs it.
    fn prepare(&mut self, op: Op, slots: &[Slot], source: Source) {
        let slots = SmallVec::from_slice(slots);
        self.instructions.push(Instruction { op, slots, guard: None, source, class: None });
    }
}

/// Whether what follows an instruction is not reached from it, unless it is guarded.
fn leaves(program: &Program, function: &ptxvm_ir::Function, instruction: &ptxvm_ir::Instruction) -> bool {
    let used = &program.forms[instruction.form.0 as usize];
    let operation = operation::decode(&Form::new(used, function.operands_of(instruction)));
    operation.is_some_and(|operation| operation.effects().leaves)
}

/// How many 32-bit registers of a function are live at once at most.
pub fn live_registers(program: &Program, function: &ptxvm_ir::Function) -> u32 {
    live::most(function, |instruction| leaves(program, function, instruction))
}

struct Open {
    start: u32,
    converge: Option<Converge>,
}

/// The table's row of a form, for messages.
#[must_use]
pub fn head(form: &Form<'_>) -> String {
    let row = form.row();
    let section = ISA.sections[usize::from(row.section)].number;
    format!("{} (section {section})", row.head.split_whitespace().next().unwrap_or(row.head))
}
