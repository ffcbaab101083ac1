//! Instructions that end a block: branches, calls, returns, barriers; and those that wait for lanes before one.

use ptxvm_ir::{Argument, Callee as IrCallee, OperandKind};

use super::frame::Frame;
use super::{LABEL, Linker};
use crate::builtin::Builtin;
use crate::code::{Actual, Arrival, Call, Callee, Reduction, Source, Terminator};
use crate::registers::Slot;
use ptxvm_ir::operation::Form;

/// Whether an instruction ends its block.
pub fn ends(form: &Form<'_>) -> bool {
    match form.opcode() {
        "bra" | "brx" | "call" | "ret" | "exit" => true,
        "bar" | "barrier" => !form.words().chain(form.modifiers()).any(|w| w == "warp" || w == "cluster"),
        _ => false,
    }
}

/// Whether an instruction waits for lanes of its warp: `Some` with the operand that names them, if there is one.
pub fn converges(form: &Form<'_>) -> Option<Option<&'static str>> {
    match form.opcode() {
        "shfl" | "vote" | "match" | "redux" | "elect" if form.says("sync") => Some(Some("membermask")),
        "bar" if form.says("warp") => Some(Some("membermask")),
        "setmaxnreg" | "wgmma" => Some(None),
        "barrier" if form.says("cluster") && form.says("arrive") => Some(None),
        _ if form.says("aligned") && !ends(form) => Some(None),
        _ => None,
    }
}

/// Whether an instruction may have to wait for something outside of its warp, to be executed again then.
pub fn waits(form: &Form<'_>) -> bool {
    match form.opcode() {
        "mbarrier" => form.says("test_wait") || form.says("try_wait"),
        "barrier" => form.says("cluster") && form.says("wait"),
        "griddepcontrol" => form.says("wait"),
        "tcgen05" => form.says("alloc") || form.says("dealloc"),
        _ => false,
    }
}

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
        form: &Form<'_>,
        guard: Option<Slot>,
        function: &ptxvm_ir::Function,
        frame: &mut Frame,
        source: Source,
    ) -> Terminator {
        let next = self.blocks.len() as u32 + 1;
        let kinds = || form.operands().iter().map(|o| o.kind);
        match form.opcode() {
            "bra" => {
                let target = kinds().find_map(|k| match k {
                    OperandKind::Block(block) => Some(block.0 | LABEL),
                    _ => None,
                });
                Terminator::Branch { guard, target: target.unwrap_or(next), next }
            }
            "brx" => {
                let list = kinds().find_map(|k| match k {
                    OperandKind::BranchList(list) => function.branch_lists.get(list as usize),
                    _ => None,
                });
                let targets = list.map_or(Vec::new(), |l| l.iter().map(|b| b.0 | LABEL).collect());
                let index = form.operand("index").map_or(Slot::SINKHOLE, |o| self.slot(o, frame, source));
                Terminator::Index { guard, index, targets: targets.into(), next }
            }
            "call" => {
                let call = kinds().find_map(|k| match k {
                    OperandKind::Call(call) => function.calls.get(call as usize),
                    _ => None,
                });
                match call {
                    Some(call) => Terminator::Call(Box::new(self.call(call, guard, frame, next))),
                    None => Terminator::Next(next),
                }
            }
            "ret" if !function.entry => Terminator::Return { guard, next },
            "ret" | "exit" => Terminator::Exit { guard, next },
            _ => Terminator::Barrier(Box::new(self.arrival(form, guard, frame, source, next))),
        }
    }

    fn arrival(
        &mut self,
        form: &Form<'_>,
        guard: Option<Slot>,
        frame: &mut Frame,
        source: Source,
        next: u32,
    ) -> Arrival {
        let barrier = form.operand("a").map_or(Slot::SINKHOLE, |o| self.slot(o, frame, source));
        let count = form.operand("b").map(|o| self.slot(o, frame, source));
        let how = if form.says("popc") {
            Reduction::Popc
        } else if form.says("and") {
            Reduction::And
        } else {
            Reduction::Or
        };
        let reduction = match (form.operand("d"), form.operand("c")) {
            (Some(d), Some(c)) => Some((self.slot(d, frame, source), self.slot(c, frame, source), how)),
            _ => None,
        };
        Arrival { guard, barrier, count, wait: !form.says("arrive"), reduction, next }
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
