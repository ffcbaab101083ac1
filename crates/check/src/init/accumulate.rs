//! The registers of `wgmma.mma_async` that a product is added to, and that nobody has written before.
//!
//! No instruction reads them but products, so that a warp's shadow of its registers need not know them: it is enough to know
//! which no other instruction of the function writes, and whether a product has been put there.

use std::sync::Arc;

use ptxvm_ir::RegisterId;
use ptxvm_machine::code::Source;
use ptxvm_machine::door::observer::Who;

use crate::init::found::Found;
use crate::init::registers::Origin;
use crate::init::state::{Birth, State, warp};

impl State {
    /// A warp issues a product.
    pub fn issue_product(&mut self, who: &Who, source: Source) {
        let issued = self.products.issued.entry(warp(who)).or_default();
        if !issued.contains(&source) {
            issued.push(source);
        }
    }

    /// A warp issues a product that is added to its registers.
    pub fn accumulate(&mut self, who: &Who, source: Source) {
        let Some(register) = self.products.alone.get(&source).copied() else { return };
        let program = Arc::clone(&self.program);
        let function = &program.functions[source.function.0 as usize];
        let writes = |product: &Source| {
            product.function == source.function
                && function
                    .writes(&function.instructions[product.instruction as usize])
                    .any(|written| written.register == register)
        };
        if self.products.issued.get(&warp(who)).is_some_and(|issued| issued.iter().any(writes)) {
            return;
        }
        let Some(origin) = self.never_written(source, register) else { return };
        let lane = who.lanes.trailing_zeros().min(31) as usize;
        self.report(who, source, (lane, origin), Found::Accumulator);
    }

    /// The birth of a value in a register that nobody writes.
    fn never_written(&mut self, source: Source, register: RegisterId) -> Option<Origin> {
        let linked = self.told.kernel.code().functions.get(source.function.0 as usize)?.as_ref()?;
        let offset = linked.registers.get(register.0 as usize)?.offset();
        Some(self.born(Birth::Register(source.function.0, offset), 0))
    }
}
