//! Instructions that end a block: branches, calls, returns, barriers.

use ptxvm_ir::{Argument, Callee as IrCallee, Operand, OperandKind, Terminator as IrTerminator};

use super::frame::FunctionSlots;
use super::linker::Linker;
use crate::builtin::Builtin;
use crate::code::{Actual, Arrival, Call, Callee, Source, Terminator};
use crate::registers::Slot;
use crate::schedule::barrier::BARRIERS;

/// The instruction that ends a block.
pub struct BlockEnd<'a> {
    pub function: &'a ptxvm_ir::Function,
    pub operands: &'a [Operand],
    pub guard: Option<Slot>,
    /// The number of the function's first block.
    pub first: u32,
    pub source: Source,
}

impl Linker<'_> {
    /// The end of a block. Where no lane can go on there is no next block, and the number is not looked at.
    pub fn terminator(
        &mut self,
        end: IrTerminator,
        place: &BlockEnd<'_>,
        frame: &mut FunctionSlots,
    ) -> Terminator {
        let BlockEnd { function, operands, guard, first, source } = *place;
        let next = end.next().map_or(first, |next| first + next.0);
        match end {
            IrTerminator::Next(_) => Terminator::Next(next),
            IrTerminator::Branch { target, .. } => {
                Terminator::Branch { guard, target: first + target.0, next }
            }
            IrTerminator::Index { list, index, .. } => {
                let targets =
                    function.branch_lists[list as usize].iter().map(|block| first + block.0).collect();
                let index = self.at(operands, index, frame, source).unwrap_or(Slot::SINKHOLE);
                Terminator::Index { guard, index, targets, next }
            }
            IrTerminator::Call { call, .. } => {
                let call = self.call(&function.calls[call as usize], guard, frame, next);
                Terminator::Call(Box::new(call))
            }
            IrTerminator::Return { .. } => Terminator::Return { guard, next },
            IrTerminator::Exit { .. } => Terminator::Exit { guard, next },
            IrTerminator::Barrier { barrier, .. } => {
                let known =
                    barrier.barrier.and_then(|at| operand_at(operands, at)).map(|operand| operand.kind);
                let plain = matches!(known, Some(OperandKind::Immediate(number)) if number < BARRIERS as u64)
                    && guard.is_none()
                    && barrier.waits
                    && barrier.count.is_none()
                    && barrier.reduction.is_none();
                let mut slot = |at: usize| self.at(operands, at, frame, source).unwrap_or(Slot::SINKHOLE);
                Terminator::Barrier(Box::new(Arrival {
                    guard,
                    barrier: barrier.barrier.map_or(Slot::SINKHOLE, &mut slot),
                    count: barrier.count.map(&mut slot),
                    wait: barrier.waits,
                    reduction: barrier.reduction.map(|reduction| {
                        (slot(reduction.destination), slot(reduction.predicate), reduction.function)
                    }),
                    next,
                    plain,
                    aligned: barrier.aligned,
                }))
            }
        }
    }

    /// The slot of the operand at a position: destinations come first, then sources.
    fn at(
        &mut self,
        operands: &[Operand],
        at: usize,
        frame: &mut FunctionSlots,
        source: Source,
    ) -> Option<Slot> {
        Some(self.slot(operand_at(operands, at)?, frame, source))
    }

    fn call(
        &mut self,
        call: &ptxvm_ir::Call,
        guard: Option<Slot>,
        frame: &mut FunctionSlots,
        next: u32,
    ) -> Call {
        let callee = match call.callee {
            IrCallee::Direct(id) => {
                let function = &self.program.functions[id.0 as usize];
                match Builtin::named(&function.name) {
                    Some(builtin) if !function.defined => Callee::Builtin(builtin),
                    _ => Callee::Function(id),
                }
            }
            IrCallee::Indirect(register) => Callee::Address(frame.register(register)),
        };
        let types = match call.callee {
            IrCallee::Direct(id) => {
                self.program.functions[id.0 as usize].parameters.iter().map(|p| p.ty).collect()
            }
            IrCallee::Indirect(_) => Vec::new(),
        };
        let mut actual = |argument: &Argument, index: usize| match *argument {
            Argument::Register(register) => Actual::Slot(frame.register(register)),
            Argument::Immediate(bits) => {
                let ty = types.get(index).copied().unwrap_or(ptxvm_isa::Type::B64);
                Actual::Slot(self.immediate(bits, ty))
            }
            Argument::Param(variable) => {
                let variable = &self.program.variables[variable.0 as usize];
                Actual::Frame { offset: variable.offset, size: variable.size }
            }
            Argument::Sink => Actual::Slot(Slot::SINKHOLE),
        };
        let arguments = call.arguments.iter().enumerate().map(|(i, a)| actual(a, i)).collect();
        let returns = call.returns.iter().map(|a| actual(a, usize::MAX)).collect();
        Call { guard, callee, returns, arguments, prototype: call.prototype.clone(), next }
    }
}

/// The operand at a position: destinations come first, then sources.
fn operand_at(operands: &[Operand], at: usize) -> Option<&Operand> {
    let sources = operands.iter().filter(|o| !o.written);
    operands.iter().filter(|o| o.written).chain(sources).nth(at)
}
