//! From a program to linked code: operands become slots, labels block numbers, instructions operations.

mod constants;
mod frame;
mod layout;
mod linker;
mod operand;
mod order;
mod terminator;

use std::sync::Arc;

use ptxvm_ir::flow::{self, Graph};
use ptxvm_ir::{BlockId, FunctionId, OperandKind, Program};
use smallvec::SmallVec;

use crate::addresses::Addresses;
use crate::code::{Block, Converge, Function, Meaning, Prepared, Source, Terminator};
use crate::context::{Code, Instruction};
use crate::door::observer::{Observed, Observer};
use crate::door::tell::Telling;
use crate::ops::{self, special};
use crate::registers::{self, Slot};
use crate::rules::undefined;
use crate::state::late::Lateness;
use crate::statistics::Class;
use crate::vector::lanes::{self, Op};
use constants::Constants;
use frame::FunctionSlots;
use layout::EntryLayout;
use linker::Linker;
use ptxvm_ir::operation::compute::{Compute, Movement};
use ptxvm_ir::operation::matrix::{Matrix, Wgmma};
use ptxvm_ir::operation::{Converges, Form, Operation, SpecialRegister};
use terminator::BlockEnd;

/// Links an entry with all that it can reach.
pub fn link(
    program: Arc<Program>,
    entry: FunctionId,
    addresses: &Addresses,
    observer: Option<Arc<dyn Observer>>,
) -> Code {
    let layout = EntryLayout::of(&program, entry, addresses);
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
    let observed = observer.map(|observer| observe(&program, &mut instructions, observer));
    let too_large = too_large || constants.full;
    let mut block = registers::Block::new(constants.bytes.len());
    block.bytes_mut()[..constants.bytes.len()].copy_from_slice(&constants.bytes);
    let (shared_bytes, shared) = (layout.shared_bytes, layout.shared);
    let keeps = keeps(&program, &functions);
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
        keeps,
        observed,
    }
}

/// Whether functions may change something of a warp or a cluster besides registers and memory that is not local.
fn keeps(program: &Program, functions: &[Option<Function>]) -> bool {
    let reached = program.functions.iter().zip(functions).filter(|(_, reached)| reached.is_some());
    reached.into_iter().any(|(function, _)| {
        let operations = function.instructions.iter().map(|instruction| program.operation(instruction));
        let mut effects =
            operations.map(|operation| operation.is_none_or(|operation| operation.effects().keeps));
        function.frame_bytes != 0 || effects.any(|keeps| keeps)
    })
}

/// Has every instruction say what it is before it runs.
fn observe(
    program: &Program,
    instructions: &mut Vec<Instruction>,
    observer: Arc<dyn Observer>,
) -> Arc<Observed> {
    let sources = instructions.iter().map(|instruction| instruction.source).collect();
    let meaning = |instruction: &Instruction| {
        let Source { function, instruction: number } = instruction.source;
        let of_program = instruction.meaning == Meaning::Program;
        let function = program.functions.get(function.0 as usize).filter(|_| of_program)?;
        program.operation(function.instructions.get(number as usize)?)
    };
    let telling = |instruction: Instruction| {
        let operation = meaning(&instruction);
        let instruction = undefined::looking(instruction, operation);
        Instruction { op: Telling::wrap(instruction.op, instruction.source), ..instruction }
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

impl Linker<'_> {
    fn function(&mut self, id: FunctionId) -> Function {
        let function = &self.program.functions[id.0 as usize];
        let mut frame = FunctionSlots::new(function);
        let first = self.blocks.len() as u32;
        let blocks = (0..)
            .zip(&function.blocks)
            .map(|(number, block)| self.block((id, BlockId(number)), block, first, &mut frame))
            .collect();
        let (blocks, begin) = order::arrange(blocks, &Graph::of(function), first);
        self.blocks.extend(blocks);
        let unset = flow::read_first(function);
        self.too_large |= frame.is_full();
        frame.finish(function, begin, self.program, &unset)
    }

    /// A block of a function whose first block has the number `first`.
    fn block(
        &mut self,
        (id, number): (FunctionId, BlockId),
        block: &ptxvm_ir::Block,
        first: u32,
        frame: &mut FunctionSlots,
    ) -> Block {
        let function = &self.program.functions[id.0 as usize];
        let start = self.instructions.len() as u32;
        let mut converge = None;
        let mut end_with = None;
        for index in block.start..block.end {
            let source = Source { function: id, instruction: index };
            let instruction = &function.instructions[index as usize];
            let operation = self.program.operation(instruction).copied();
            let operands = function.operands_of(instruction);
            let guard = instruction.guard.map(|g| frame.guard(g));
            if let Some(converges) = operation.and_then(|operation| operation.effects().converges) {
                let named = operands.last().filter(|_| converges == Converges::Named);
                let members = named.map(|o| self.slot(o, frame, source));
                converge = Some(Converge { members, guard });
            }
            match operation {
                Some(Operation::Control(_)) => {
                    let place = BlockEnd { function, operands, guard, first, source };
                    end_with = Some(self.terminator(block.terminator, &place, frame));
                }
                operation => {
                    let used = &self.program.forms[instruction.form.0 as usize];
                    let form = Form::new(used, operands).of(&self.program.variables, function.entry);
                    self.instruction(&form, operation, guard, frame, source);
                }
            }
        }
        let class = end_with.as_ref().map(|end| match end {
            Terminator::Barrier(_) => Class::Barrier,
            _ => Class::Control,
        });
        let next = || Terminator::Next(block.terminator.next().map_or(first, |next| first + next.0));
        Block {
            start,
            end: self.instructions.len() as u32,
            converge,
            end_with: end_with.unwrap_or_else(next),
            source: Source { function: id, instruction: block.end - 1 },
            class,
            of: Some(number),
        }
    }

    fn instruction(
        &mut self,
        form: &Form<'_>,
        operation: Option<Operation>,
        guard: Option<Slot>,
        frame: &mut FunctionSlots,
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
        let written = slots.len() as u8;
        for operand in form.operands().iter().filter(|o| !o.written) {
            slots.push(self.slot(operand, frame, source));
        }
        if operation.is_some_and(|operation| operation.reads_carry()) {
            slots.push(frame.carry());
        }
        let op = operation.and_then(ops::executor).unwrap_or_else(|| ops::unsupported(form));
        let class = operation.map(|operation| operation.class());
        let wgmma = matches!(operation, Some(Operation::Matrix(Matrix::Wgmma(Wgmma::Product(_)))));
        self.instructions.push(Instruction {
            op,
            slots,
            guard,
            source,
            class,
            wgmma,
            lateness: Lateness::of(operation.as_ref()),
            written,
            meaning: Meaning::Program,
        });
    }

    /// `mov` from a special register straight into the destination.
    fn special_move(
        &mut self,
        form: &Form<'_>,
        guard: Option<Slot>,
        frame: &mut FunctionSlots,
        source: Source,
    ) -> Option<Instruction> {
        let [to, from] = form.operands() else { return None };
        let OperandKind::Special { sreg, member } = from.kind else { return None };
        let slot = self.slot(to, frame, source);
        if slot.width != SpecialRegister::width(sreg) || slot.is_sink() {
            return None;
        }
        let slots = SmallVec::from_slice(&[slot]);
        let read = Prepared::Special(SpecialRegister::of(sreg), member);
        let (op, class, meaning) = (prepared(read), Some(Class::Move), Meaning::Prepared(read));
        let (lateness, written) = (Lateness::Registers, 1);
        Some(Instruction { op, slots, guard, source, class, wgmma: false, lateness, written, meaning })
    }

    /// An instruction of the linker's own, before the one that needs it.
    fn prepare(&mut self, what: Prepared, slots: &[Slot], source: Source) {
        let (op, slots, meaning) = (prepared(what), SmallVec::from_slice(slots), Meaning::Prepared(what));
        let (guard, class, wgmma, lateness) = (None, None, false, Lateness::Registers);
        self.instructions.push(Instruction {
            op,
            slots,
            guard,
            source,
            class,
            wgmma,
            lateness,
            written: 1,
            meaning,
        });
    }
}

/// The operation of what the linker prepares.
fn prepared(what: Prepared) -> Op {
    match what {
        Prepared::Special(register, member) => special::read(register, member),
        Prepared::Sum => lanes::simd2(|a: u64, b: u64| a.wrapping_add(b)),
        Prepared::ParameterAddress(offset) => special::parameter_address(offset),
        Prepared::SharedAddress(offset) => special::shared_address(offset),
    }
}
