//! The instructions of one thread of a test, as PTX.
//!
//! Addresses and registers have names of the thread: `%a1_0` is address 0 of the test in thread 1, `%t1_2` its register 2.

use std::fmt::Write;

use super::copies::{Copy, copy_at};
use super::home::{Home, Homes};
use super::place::Roles;
use super::skipped::{Skipped, skipped};
use crate::event::{Proxy, Scope, Semantics};
use crate::test::{Action, Comparison, Engine, Function, Instruction, Manner, Operand, Test, Update};

/// How often a loop of a test is turned round before the run is given up.
pub const MOST_TURNS: u32 = 300;

/// What the instructions of a thread are written with.
pub struct Body<'t> {
    pub test: &'t Test,
    pub source: &'t str,
    pub roles: &'t Roles,
    pub homes: &'t Homes,
    pub thread: usize,
    pub text: String,
}

impl Body<'_> {
    /// Writes all instructions of the thread.
    pub fn write(&mut self) -> Result<(), Skipped> {
        let thread = &self.test.threads[self.thread];
        for (register, (_, initial)) in thread.registers.iter().enumerate() {
            self.line(&format!("mov.b32 {}, {initial};", self.register(register)));
        }
        if self.loops() {
            self.line("mov.u32 %turns, 0;");
        }
        for (at, instruction) in thread.code.iter().enumerate() {
            let _ = writeln!(self.text, "T{}_{at}:", self.thread);
            match copy_at(&thread.code, at) {
                Some(copy) => self.copy(copy)?,
                None if instruction.asynchronous.is_some_and(|a| a.engine == Engine::Tensor) => {
                    return skipped("tcgen05, which sm_90 lacks");
                }
                None if instruction.asynchronous.is_some() => {}
                None => self.instruction(instruction, at)?,
            }
        }
        let _ = writeln!(self.text, "T{}_{}:", self.thread, thread.code.len());
        Ok(())
    }

    /// Whether some branch leads back.
    pub fn loops(&self) -> bool {
        loops(self.test, self.thread)
    }

    fn line(&mut self, line: &str) {
        let _ = writeln!(self.text, "    {line}");
    }

    pub fn register(&self, register: usize) -> String {
        format!("%t{}_{register}", self.thread)
    }

    fn operand(&self, operand: Operand) -> String {
        match operand {
            Operand::Register(register) => self.register(register),
            Operand::Constant(constant) => constant.to_string(),
        }
    }

    pub fn address(&self, address: usize) -> String {
        format!("%a{}_{address}", self.thread)
    }

    /// The state space that an address lies in, as this thread sees it.
    pub fn space(&self, address: usize) -> Result<&'static str, Skipped> {
        let (unit, cta, _) = self.roles.of_thread(self.thread);
        match self.homes.homes[self.test.addresses[address].location] {
            Home::Global => Ok("global"),
            Home::Shared { unit: u, cta: c } if (u, c) == (unit, cta) => Ok("shared::cta"),
            Home::Shared { unit: u, .. } if u == unit => Ok("shared::cluster"),
            Home::Shared { .. } => skipped("shared memory of another cluster"),
        }
    }

    fn instruction(&mut self, instruction: &Instruction, at: usize) -> Result<(), Skipped> {
        match &instruction.action {
            Action::Compute { to, function, left, right } => {
                if !self.is_phase(at) {
                    self.compute(*to, *function, *left, *right)?;
                }
            }
            Action::Branch { comparison, left, right, target } => {
                let end = format!("T{}_{target}", self.thread);
                if *target <= at {
                    // A run that goes on for too long is given up, and counted as such.
                    self.line("add.u32 %turns, %turns, 1;");
                    self.line(&format!("setp.gt.u32 %p, %turns, {MOST_TURNS};"));
                    self.line(&format!("@%p bra CUT{};", self.thread));
                }
                let (left, right) = (self.operand(*left), self.operand(*right));
                self.line(&format!("mov.b32 %x, {left};"));
                self.line(&format!("setp.{}.s32 %p, %x, {right};", comparison_name(*comparison)));
                self.line(&format!("@%p bra {end};"));
            }
            Action::Load { to, addresses, manner } => self.load(to, addresses, *manner, instruction, at)?,
            Action::Store { addresses, values, manner } => {
                let (shape, address) = self.vector(addresses)?;
                let space = self.space(address)?;
                let how = self.manner(*manner, instruction)?;
                let values: Vec<String> = values.iter().map(|&value| self.operand(value)).collect();
                let values =
                    if values.len() == 1 { values[0].clone() } else { format!("{{{}}}", values.join(", ")) };
                self.line(&format!("st{how}.{space}{shape}.b32 [{}], {values};", self.address(address)));
            }
            Action::Atomic { to, address, update, manner } => self.atomic(*to, *address, *update, *manner)?,
            Action::Fence { semantics, scope } => {
                self.line(&format!("fence.{}.{};", semantics.name(), scope.name()));
            }
            Action::ProxyFence(Proxy::Async) => self.line("fence.proxy.async;"),
            Action::ProxyFence(_) => return skipped("a fence of a proxy that PTX has no fence for"),
            Action::AliasFence => self.line("fence.proxy.alias;"),
            Action::TensorBefore | Action::TensorAfter | Action::Await(Engine::Tensor) => {
                return skipped("tcgen05, which sm_90 lacks");
            }
            Action::Await(Engine::Copy) => self.line("cp.async.wait_all;"),
            Action::Await(Engine::Bulk) => {
                self.line("cp.async.bulk.commit_group;");
                self.line("cp.async.bulk.wait_group 0;");
            }
            Action::Barrier(barrier) if barrier.cluster => match (barrier.arrives, barrier.orders) {
                (true, true) => self.line("barrier.cluster.arrive;"),
                (true, false) => self.line("barrier.cluster.arrive.relaxed;"),
                (false, _) => self.line("barrier.cluster.wait;"),
            },
            Action::Barrier(barrier) => {
                let (number, count) = super::barrier::resource(self.test, self.thread, barrier)?;
                let how = if barrier.waits { "sync" } else { "arrive" };
                self.line(&format!("mul.lo.u32 %x, %instances, {count};"));
                self.line(&format!("barrier.{how} {number}, %x;"));
            }
        }
        Ok(())
    }

    /// Whether an instruction is the comparison that the front end has added to a test of an mbarrier.
    fn is_phase(&self, at: usize) -> bool {
        let code = &self.test.threads[self.thread].code;
        at > 0 && self.mbarrier(&code[at - 1].action).is_some()
    }

    /// The mbarrier that an instruction tests: its address, and how many arrivals make a phase.
    fn mbarrier(&self, action: &Action) -> Option<(usize, i64)> {
        let Action::Load { addresses, .. } = action else { return None };
        let address = *addresses.first()?;
        Some((address, self.test.locations[self.test.addresses[address].location].mbarrier?))
    }

    fn load(
        &mut self,
        to: &[usize],
        addresses: &[usize],
        manner: Manner,
        instruction: &Instruction,
        at: usize,
    ) -> Result<(), Skipped> {
        if let Some((address, count)) = self.mbarrier(&instruction.action) {
            let code = &self.test.threads[self.thread].code;
            let first = matches!(code.get(at + 1).map(|next| &next.action),
                Some(Action::Compute { right: Operand::Constant(needed), .. }) if *needed == count);
            if !first {
                return skipped("a wait for a later phase than the first, which has no token here");
            }
            if self.space(address)? != "shared::cta" {
                return skipped("a wait at an mbarrier of another CTA");
            }
            let how = self.manner(manner, instruction)?;
            let (to, address) = (self.register(to[0]), self.address(address));
            self.line(&format!("mbarrier.test_wait.parity{how}.shared::cta.b64 %p, [{address}], 0;"));
            self.line(&format!("selp.b32 {to}, 1, 0, %p;"));
            return Ok(());
        }
        let (shape, address) = self.vector(addresses)?;
        let space = self.space(address)?;
        let how = self.manner(manner, instruction)?;
        let to: Vec<String> = to.iter().map(|&register| self.register(register)).collect();
        let to = if to.len() == 1 { to[0].clone() } else { format!("{{{}}}", to.join(", ")) };
        self.line(&format!("ld{how}.{space}{shape}.b32 {to}, [{}];", self.address(address)));
        Ok(())
    }

    /// The modifiers of an access; `.volatile` and `.mmio` mean what they say to the hardware.
    fn manner(&self, manner: Manner, instruction: &Instruction) -> Result<String, Skipped> {
        if manner.proxy != Proxy::Generic {
            return skipped(format!("the {} proxy", manner.proxy.name()));
        }
        let written = self.source.get(instruction.span.start as usize..instruction.span.end as usize);
        let written = written.unwrap_or("");
        if written.contains(".volatile") {
            return Ok(".volatile".into());
        }
        let mmio = if written.contains(".mmio") { ".mmio" } else { "" };
        match manner.semantics {
            Semantics::Weak => Ok(".weak".into()),
            semantics => Ok(format!("{mmio}.{}.{}", semantics.name(), manner.scope.name())),
        }
    }

    /// `.v2` and the like, and the address of the first element.
    fn vector(&self, addresses: &[usize]) -> Result<(&'static str, usize), Skipped> {
        let shape = match addresses.len() {
            1 => "",
            2 => ".v2",
            4 => ".v4",
            _ => return skipped("a vector of more than 16 bytes, which sm_90 does not load"),
        };
        Ok((shape, addresses[0]))
    }

    fn atomic(
        &mut self,
        to: Option<usize>,
        address: usize,
        update: Update,
        manner: Manner,
    ) -> Result<(), Skipped> {
        let location = &self.test.locations[self.test.addresses[address].location];
        let space = self.space(address)?;
        let name = self.address(address);
        let (semantics, scope) = (manner.semantics.name(), manner.scope.name());
        if location.mbarrier.is_some() {
            if manner.scope > Scope::Cluster {
                return skipped("an arrival at a wider scope than the cluster");
            }
            self.line(&format!("mbarrier.arrive.{semantics}.{scope}.{space}.b64 _, [{name}];"));
            return Ok(());
        }
        if manner.proxy != Proxy::Generic {
            return skipped(format!("the {} proxy", manner.proxy.name()));
        }
        if manner.semantics == Semantics::Weak {
            return skipped("a weak atomic operation");
        }
        let opcode = match to {
            Some(_) => "atom",
            None if manner.semantics.acquires() => return skipped("a reduction that acquires"),
            None => "red",
        };
        let to = to.map(|to| format!("{}, ", self.register(to))).unwrap_or_default();
        let (operation, operands) = match update {
            Update::CompareAndSwap(old, new) => {
                ("cas.b32", format!("{}, {}", self.operand(old), self.operand(new)))
            }
            Update::Function(function, value) => {
                let value = self.operand(value);
                match function {
                    Function::Add => ("add.u32", value),
                    Function::Sub => {
                        self.line(&format!("mov.b32 %x, {value};"));
                        self.line("neg.s32 %x, %x;");
                        ("add.u32", "%x".to_owned())
                    }
                    Function::And => ("and.b32", value),
                    Function::Or => ("or.b32", value),
                    Function::Xor => ("xor.b32", value),
                    Function::Min => ("min.s32", value),
                    Function::Max => ("max.s32", value),
                    Function::Second if opcode == "atom" => ("exch.b32", value),
                    _ => return skipped("an atomic operation that PTX lacks"),
                }
            }
        };
        self.line(&format!("{opcode}.{semantics}.{scope}.{space}.{operation} {to}[{name}], {operands};"));
        Ok(())
    }

    fn compute(
        &mut self,
        to: usize,
        function: Function,
        left: Operand,
        right: Operand,
    ) -> Result<(), Skipped> {
        let (to, left, right) = (self.register(to), self.operand(left), self.operand(right));
        let opcode = match function {
            Function::Add => "add.s32",
            Function::Sub => "sub.s32",
            Function::Mul => "mul.lo.s32",
            Function::Div => "div.s32",
            Function::And => "and.b32",
            Function::Or => "or.b32",
            Function::Xor => "xor.b32",
            Function::Min => "min.s32",
            Function::Max => "max.s32",
            Function::Shl => "shl.b32",
            Function::Second => {
                self.line(&format!("mov.b32 {to}, {right};"));
                return Ok(());
            }
            Function::Compare(comparison) => {
                self.line(&format!("mov.b32 %x, {left};"));
                self.line(&format!("setp.{}.s32 %p, %x, {right};", comparison_name(comparison)));
                self.line(&format!("selp.b32 {to}, 1, 0, %p;"));
                return Ok(());
            }
            Function::SignExtend => return skipped("a sign extension"),
        };
        self.line(&format!("mov.b32 %x, {left};"));
        self.line(&format!("{opcode} {to}, %x, {right};"));
        Ok(())
    }

    /// An asynchronous copy of 16 bytes, of which the first four are the location's value.
    fn copy(&mut self, copy: Copy) -> Result<(), Skipped> {
        let line = match copy {
            Copy::Bulk { to, from, mbarrier: Some(mbarrier) } => {
                let source = match self.space(from)? {
                    "shared::cluster" => return skipped("a copy from another CTA's shared memory"),
                    // An H200 ends such a copy with an illegal instruction.
                    "shared::cta" if self.space(to)? == "shared::cta" => {
                        return skipped("a copy within the shared memory of a CTA");
                    }
                    space => space,
                };
                format!(
                    "cp.async.bulk.shared::cluster.{source}.mbarrier::complete_tx::bytes [{}], [{}], 16, [{}];",
                    self.address(to),
                    self.address(from),
                    self.address(mbarrier)
                )
            }
            Copy::Bulk { to, from, mbarrier: None } => {
                format!(
                    "cp.async.bulk.global.shared::cta.bulk_group [{}], [{}], 16;",
                    self.address(to),
                    self.address(from)
                )
            }
            Copy::Small { to, from } => {
                format!("cp.async.ca.shared.global [{}], [{}], 16;", self.address(to), self.address(from))
            }
            Copy::Store { to, value, mbarrier } => {
                let value = self.operand(value);
                self.line(&format!("mov.b32 %x, {value};"));
                format!(
                    "st.async.weak.shared::cluster.mbarrier::complete_tx::bytes.b32 [{}], %x, [{}];",
                    self.address(to),
                    self.address(mbarrier)
                )
            }
        };
        let (Copy::Bulk { to, .. } | Copy::Store { to, .. } | Copy::Small { to, .. }) = copy;
        self.space(to)?;
        self.line(&line);
        Ok(())
    }
}

/// Whether some branch of a thread leads back.
pub fn loops(test: &Test, thread: usize) -> bool {
    let code = test.threads[thread].code.iter().enumerate();
    code.into_iter().any(|(at, i)| matches!(i.action, Action::Branch { target, .. } if target <= at))
}

fn comparison_name(comparison: Comparison) -> &'static str {
    match comparison {
        Comparison::Equal => "eq",
        Comparison::NotEqual => "ne",
        Comparison::Less => "lt",
        Comparison::LessOrEqual => "le",
        Comparison::Greater => "gt",
        Comparison::GreaterOrEqual => "ge",
    }
}
