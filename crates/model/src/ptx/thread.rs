//! The code of one thread of a launch, from the program's blocks.

use ptxvm_ir::operation::access::{Access, Atomic, AtomicFunction, Combination, Words};
use ptxvm_ir::operation::control::Control;
use ptxvm_ir::operation::fence::{Fence, ProxyKind};
use ptxvm_ir::operation::mbarrier::Mbarrier;
use ptxvm_ir::operation::{Cluster, Operation};
use ptxvm_ir::{Function as Entry, Instruction, Operand as IrOperand, OperandKind, Program, Terminator};
use ptxvm_syntax::Diagnostic;
use ptxvm_syntax::ast::Span;

use super::code::{Code, Lowered};
use super::constant;
use super::header::ThreadPlace;
use super::manner::{manner, scope, semantics, synchronizing};
use super::memory::Memory;
use super::operands;
use super::unsupported::unsupported;
use crate::event::{Proxy, Scope, Semantics};
use crate::herd::Builder;
use crate::test::{Action, Barrier, Comparison, Function, Manner, Operand, Update};

/// Adds the code of the last thread of `builder`.
pub fn lower(
    program: &Program,
    entry: &Entry,
    place: ThreadPlace,
    memory: &mut Memory,
    builder: &mut Builder,
    errors: &mut Vec<Diagnostic>,
) {
    let thread = builder.threads.len() - 1;
    for name in &entry.register_names {
        builder.register(thread, name);
    }
    let known = constant::registers(program, entry, &place);
    let mut lowering = Code { program, entry, place, known, memory, builder, thread, branches: Vec::new() };
    let mut starts = Vec::new();
    for (number, block) in entry.blocks.iter().enumerate() {
        starts.push(lowering.position());
        for instruction in &entry.instructions[block.start as usize..block.end as usize] {
            if let Err(error) = lowering.instruction(instruction, block.terminator) {
                errors.push(*error);
            }
        }
        let next = block.terminator.next();
        if let Some(next) = next.filter(|next| next.0 as usize != number + 1) {
            lowering.branch(Comparison::Equal, Operand::Constant(0), Some(next), Span::new(0, 0));
        }
    }
    let end = lowering.position();
    for (at, target) in std::mem::take(&mut lowering.branches) {
        let found = target.and_then(|block| starts.get(block.0 as usize)).copied().unwrap_or(end);
        let code = &mut lowering.builder.threads[thread].code;
        if let Some(Action::Branch { target, .. }) = code.get_mut(at).map(|branch| &mut branch.action) {
            *target = found;
        }
    }
}

impl Code<'_> {
    fn instruction(&mut self, instruction: &Instruction, terminator: Terminator) -> Lowered<()> {
        let span = instruction.span;
        let Some(operation) = self.program.operation(instruction).copied() else {
            return Err(unsupported(span, "a litmus test cannot do this"));
        };
        let guard =
            instruction.guard.map(|guard| (Operand::Register(guard.register.0 as usize), guard.negated));
        if let Operation::Control(control) = operation {
            let target = match (control, terminator) {
                (Control::Branch { .. }, Terminator::Branch { target, .. }) => Some(Some(target)),
                (Control::Exit | Control::Return, Terminator::Exit { .. }) => Some(None),
                _ => None,
            };
            if let Some(target) = target {
                let (operand, negated) = guard.unwrap_or((Operand::Constant(0), true));
                let comparison = if negated { Comparison::Equal } else { Comparison::NotEqual };
                self.branch(comparison, operand, target, span);
                return Ok(());
            }
        }
        let skip = self.position();
        if let Some((operand, negated)) = guard {
            let comparison = if negated { Comparison::NotEqual } else { Comparison::Equal };
            let action = Action::Branch { comparison, left: operand, right: Operand::Constant(0), target: 0 };
            self.push(action, span);
        }
        self.operation(&operation, instruction)?;
        let end = self.position();
        let code = &mut self.builder.threads[self.thread].code;
        if guard.is_some()
            && let Some(Action::Branch { target, .. }) = code.get_mut(skip).map(|branch| &mut branch.action)
        {
            *target = end;
        }
        Ok(())
    }

    fn operation(&mut self, operation: &Operation, instruction: &Instruction) -> Lowered<()> {
        let span = instruction.span;
        let operands = operands::of(self.entry, instruction);
        match operation {
            Operation::Access(Access::Load(words)) => {
                let (addresses, manner) = self.words(words, &operands, span)?;
                let to =
                    (0..words.count).map(|i| self.destination(&operands[i], span)).collect::<Lowered<_>>()?;
                self.push(Action::Load { to, addresses, manner }, span);
            }
            Operation::Access(Access::Store(words)) => {
                let (addresses, manner) = self.words(words, &operands, span)?;
                let first = words.address.operand + 1;
                let values = (0..words.count)
                    .map(|i| self.value(&operands[first + i], span))
                    .collect::<Lowered<_>>()?;
                self.push(Action::Store { addresses, values, manner }, span);
            }
            Operation::Access(Access::Atomic(atomic)) => self.atomic(atomic, &operands, span)?,
            Operation::Fence(fence) => {
                let action = self.fence(fence, span)?;
                self.push(action, span);
            }
            Operation::Control(Control::Barrier(barrier)) if barrier.reduction.is_none() => {
                let constant = |at: Option<usize>| at.map(|at| self.value(&operands[at], span)).transpose();
                let (resource, count) = (constant(barrier.barrier)?, constant(barrier.count)?);
                self.push(
                    Action::Barrier(Barrier {
                        cluster: false,
                        instance: 0,
                        resource: resource.unwrap_or(Operand::Constant(0)),
                        count,
                        arrives: true,
                        waits: barrier.waits,
                        orders: true,
                    }),
                    span,
                );
            }
            Operation::Cluster(Cluster::Arrive { order, .. }) => {
                self.cluster_barrier(true, order.releases(), span);
            }
            Operation::Cluster(Cluster::Wait { .. }) => self.cluster_barrier(false, true, span),
            Operation::Mbarrier(mbarrier) => self.mbarrier(mbarrier, &operands, span)?,
            Operation::Compute(compute) => self.compute(compute, instruction, &operands)?,
            // Addresses that are known need no instruction.
            Operation::Generic(_) if self.is_known(&operands) => {}
            _ => return Err(unsupported(span, "a litmus test cannot do this")),
        }
        Ok(())
    }

    fn words(&mut self, words: &Words, operands: &[IrOperand], span: Span) -> Lowered<(Vec<usize>, Manner)> {
        let bytes = i64::from(words.bits / 8);
        let operand = operands[words.address.operand];
        let addresses = (0..words.count as i64)
            .map(|i| self.address(&operand, i, bytes, span))
            .collect::<Lowered<_>>()?;
        Ok((addresses, manner(words.order, words.scope)))
    }

    fn atomic(&mut self, atomic: &Atomic, operands: &[IrOperand], span: Span) -> Lowered<()> {
        if atomic.count != 1 {
            return Err(unsupported(span, "a litmus test has no vectors of atomics"));
        }
        let bytes = i64::from(atomic.ty.bits() / 8);
        let at = atomic.address.operand;
        let address = self.address(&operands[at], 0, bytes, span)?;
        let first = self.value(&operands[at + 1], span)?;
        let update = match atomic.function {
            AtomicFunction::Exch => Update::Function(Function::Second, first),
            AtomicFunction::Cas => Update::CompareAndSwap(first, self.value(&operands[at + 2], span)?),
            AtomicFunction::Combine(Combination::Add) => Update::Function(Function::Add, first),
            AtomicFunction::Combine(Combination::And) => Update::Function(Function::And, first),
            AtomicFunction::Combine(Combination::Or) => Update::Function(Function::Or, first),
            AtomicFunction::Combine(Combination::Xor) => Update::Function(Function::Xor, first),
            AtomicFunction::Combine(Combination::Min) => Update::Function(Function::Min, first),
            AtomicFunction::Combine(Combination::Max) => Update::Function(Function::Max, first),
            AtomicFunction::Combine(_) => {
                return Err(unsupported(span, "a litmus test has no `inc` and `dec`"));
            }
        };
        let to = match operands[0].kind {
            OperandKind::Register { register, .. } if atomic.destinations == 1 => Some(register.0 as usize),
            _ => None,
        };
        let manner = match manner(atomic.order, atomic.scope) {
            // 9.7.13.5: an atomic that says nothing is relaxed, for the device.
            weak if weak.semantics == Semantics::Weak => Manner {
                semantics: Semantics::Relaxed,
                scope: atomic.scope.map_or(Scope::Gpu, scope),
                proxy: Proxy::Generic,
            },
            strong => Manner { scope: atomic.scope.map_or(Scope::Gpu, scope), ..strong },
        };
        self.push(Action::Atomic { to, address, update, manner }, span);
        Ok(())
    }

    fn fence(&self, fence: &Fence, span: Span) -> Lowered<Action> {
        match (fence.proxy, fence.order) {
            (Some(ProxyKind::Alias), _) => Ok(Action::AliasFence),
            (Some(ProxyKind::Async | ProxyKind::AsyncGeneric), None) => Ok(Action::ProxyFence(Proxy::Async)),
            (None, Some(order)) => Ok(Action::Fence {
                semantics: semantics(order),
                scope: fence.scope.map_or(Scope::Sys, scope),
            }),
            _ => Err(unsupported(span, "a litmus test does not have this fence")),
        }
    }

    fn cluster_barrier(&mut self, arrives: bool, orders: bool, span: Span) {
        let barrier = Barrier {
            cluster: true,
            instance: 0,
            resource: Operand::Constant(0),
            count: None,
            arrives,
            waits: !arrives,
            orders,
        };
        self.push(Action::Barrier(barrier), span);
    }

    /// An mbarrier counts its arrivals, as in herd's format; the parity of a wait says which phase, the first or the
    /// second.
    fn mbarrier(&mut self, mbarrier: &Mbarrier, operands: &[IrOperand], span: Span) -> Lowered<()> {
        match mbarrier {
            Mbarrier::Init { .. } => Ok(()),
            Mbarrier::Arrive(arrive) if !arrive.state && arrive.bytes.is_none() && !arrive.drop => {
                let address = self.address(&operands[arrive.object.operand], 0, 8, span)?;
                let count = match arrive.count {
                    Some(at) => self.value(&operands[at], span)?,
                    None => Operand::Constant(1),
                };
                let manner = synchronizing(arrive.order, arrive.scope);
                let update = Update::Function(Function::Add, count);
                self.push(Action::Atomic { to: None, address, update, manner }, span);
                Ok(())
            }
            Mbarrier::Wait(wait) if !wait.by_state && wait.reports == (false, false) => {
                let object = operands[wait.object.operand];
                let address = self.address(&object, 0, 8, span)?;
                let count = self.count(&object, span)?;
                let location = self.builder.addresses[address].location;
                self.builder.locations[location].mbarrier = Some(count);
                let Operand::Constant(parity @ (0 | 1)) = self.value(&operands[wait.phase], span)? else {
                    return Err(unsupported(span, "a litmus test waits for a parity that is 0 or 1"));
                };
                let to = self.destination(&operands[0], span)?;
                let manner = synchronizing(wait.order, wait.scope);
                self.push(Action::Load { to: vec![to], addresses: vec![address], manner }, span);
                let right = Operand::Constant(count * (parity + 1));
                let function = Function::Compare(Comparison::GreaterOrEqual);
                self.push(Action::Compute { to, function, left: Operand::Register(to), right }, span);
                Ok(())
            }
            _ => Err(unsupported(span, "a litmus test does not have this operation on mbarriers")),
        }
    }

    /// How many arrivals end a phase of an mbarrier: what its `mbarrier.init` says.
    fn count(&mut self, object: &IrOperand, span: Span) -> Lowered<i64> {
        let address = self.address(object, 0, 8, span)?;
        let entry = self.entry;
        for instruction in &entry.instructions {
            if let Some(Operation::Mbarrier(Mbarrier::Init { object, count, .. })) =
                self.program.operation(instruction)
            {
                let operands = operands::of(entry, instruction);
                if self.address(&operands[object.operand], 0, 8, span)? == address
                    && let Operand::Constant(count) = self.value(&operands[*count], span)?
                {
                    return Ok(count);
                }
            }
        }
        Err(unsupported(span, "this mbarrier has no `mbarrier.init` with a constant count"))
    }
}
