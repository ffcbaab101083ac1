//! Instructions that end a block: branches, calls, returns, barriers.

use ptxvm_ir::operation::Control;
use ptxvm_ir::{Argument, Callee as IrCallee, Operand, OperandKind};

use super::frame::Frame;
use super::linker::{LABEL, Linker};
use crate::builtin::Builtin;
use crate::code::{Actual, Arrival, Call, Callee, Source, Terminator};
use crate::registers::Slot;

/// Puts block numbers of the code where those of the program stand.
pub fn patch(end: &mut Terminator, labels: &[u32]) {
    let fix = |block: &mut u32| {
        if *block & LABEL != 0 {
            *block = labels.get((*block & !LABEL) as usize).copied().unwrap_or(0);
        }
    };
    match end {
        Terminator::Branch { target, .. } => fix(target),
        Terminator::Index { targets, .. } => targets.iter_mut().for_each(fix),
        _ => {}
    }
}

impl Linker<'_> {
    pub fn terminator(
        &mut self,
        control: Control,
        operands: &[Operand],
        guard: Option<Slot>,
        function: &ptxvm_ir::Function,
        frame: &mut Frame,
        source: Source,
    ) -> Terminator {
        let next = self.blocks.len() as u32 + 1;
        let kinds = || operands.iter().map(|o| o.kind);
        match control {
            Control::Branch { .. } => {
                let target = kinds().find_map(|k| match k {
                    OperandKind::Block(block) => Some(block.0 | LABEL),
                    _ => None,
                });
                Terminator::Branch { guard, target: target.unwrap_or(next), next }
            }
            Control::Index { index } => {
                let list = kinds().find_map(|k| match k {
                    OperandKind::BranchList(list) => function.branch_lists.get(list as usize),
                    _ => None,
                });
                let targets = list.map_or(Vec::new(), |l| l.iter().map(|b| b.0 | LABEL).collect());
                let index = self.at(operands, index, frame, source).unwrap_or(Slot::SINKHOLE);
                Terminator::Index { guard, index, targets: targets.into(), next }
            }
            Control::Call => {
                let call = kinds().find_map(|k| match k {
                    OperandKind::Call(call) => function.calls.get(call as usize),
                    _ => None,
                });
                match call {
                    Some(call) => Terminator::Call(Box::new(self.call(call, guard, frame, next))),
                    None => Terminator::Next(next),
                }
            }
            Control::Return if !function.entry => Terminator::Return { guard, next },
            Control::Return | Control::Exit => Terminator::Exit { guard, next },
            Control::Barrier(barrier) => {
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
                }))
            }
        }
    }

    /// The slot of the operand at a position: destinations come first, then sources.
    fn at(&mut self, operands: &[Operand], at: usize, frame: &mut Frame, source: Source) -> Option<Slot> {
        let sources = operands.iter().filter(|o| !o.written);
        let operand = operands.iter().filter(|o| o.written).chain(sources).nth(at)?;
        Some(self.slot(operand, frame, source))
    }

    fn call(&mut self, call: &ptxvm_ir::Call, guard: Option<Slot>, frame: &mut Frame, next: u32) -> Call {
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
