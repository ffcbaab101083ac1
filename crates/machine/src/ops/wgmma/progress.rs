//! When the products of a warp go on: as the launch's asynchrony says, and before an instruction uses their registers.

use crate::context::{Context, Flow, Instruction};
use crate::registers::Slot;
use crate::settings::Asynchrony;

/// How many products of a warp may be under way: a program that never waits must not fill the host's memory.
const MOST_PENDING: usize = 256;

impl Context<'_> {
    /// The tensor cores have had time for some of the warp's products, or none.
    pub fn wgmma_goes_on(&mut self) {
        let products = &mut self.warp.wgmma;
        let mut completed = false;
        loop {
            let go_on = match self.run.launch.settings.asynchrony {
                Asynchrony::Eager => true,
                Asynchrony::Lazy => false,
                Asynchrony::Seeded => self.worker.cluster.queue.toss(),
            };
            if !go_on && products.under_way() <= MOST_PENDING || self.run.halt.is_set() {
                break;
            }
            if !products.complete_first(self.worker) {
                break;
            }
            completed = true;
        }
        if completed {
            products.watch_the_rest();
            if self.run.launch.settings.asynchrony == Asynchrony::Lazy {
                products.put_back();
            }
        }
    }

    /// Says which of its products the warp has under way, to the others of its warpgroup.
    pub fn wgmma_is_under_way(&mut self) {
        self.cta.warpgroups.set_under_way(self.warp.index, self.warp.wgmma.first_under_way());
    }

    /// Whether somebody must look which registers instructions use: if products are under way, unless all is to come as
    /// late as the manual allows.
    #[must_use]
    pub fn watches_registers(&self) -> bool {
        self.warp.wgmma.is_busy() && self.run.launch.settings.asynchrony != Asynchrony::Lazy
    }

    /// Completes the products whose registers an instruction is about to use. The manual forbids such a use, but ptxas
    /// waits there (its warning C7517), and compilers rely on that.
    pub fn before(&mut self, instruction: &Instruction) -> Result<(), Flow> {
        if instruction.wgmma { Ok(()) } else { self.before_use_of(&instruction.slots) }
    }

    /// The same of registers that something else than an instruction of a block is about to use: the end of the block, or
    /// who gathers lanes at its beginning.
    pub fn before_use_of(&mut self, slots: &[Slot]) -> Result<(), Flow> {
        let products = &mut self.warp.wgmma;
        if !products.is_touched(&self.bank, slots) {
            return Ok(());
        }
        self.worker.statistics.injected_waits += u64::from(products.under_way() > 0);
        if products.finish(self.worker, self.run.halt) { Ok(()) } else { Err(Flow::Stop) }
    }
}
