//! What can be seen of a held launch: CTAs, warps, groups of lanes with their places and calls, registers, and the memory
//! of every space.
//!
//! A view only reads. It gives numbers and names; writing sentences is the caller's part.

mod frame;
mod threads;
mod wait;

use ptxvm_ir::Program;
use ptxvm_memory::AccessError;

use crate::context::Run;
use crate::schedule::cluster::Cluster;

pub use frame::{Frame, Register};
pub use threads::{CtaView, GroupView, WarpView};
pub use wait::{Lanes, Wait};

/// A launch at one moment.
pub struct View<'a> {
    run: Run<'a>,
    clusters: Vec<&'a Cluster>,
}

impl<'a> View<'a> {
    pub(crate) fn new(run: Run<'a>, clusters: Vec<&'a Cluster>) -> Self {
        Self { run, clusters }
    }

    /// The CTAs that have begun and whose cluster has not ended, in their order in the grid.
    pub fn ctas(&self) -> impl Iterator<Item = CtaView<'_>> {
        let run = &self.run;
        self.clusters.iter().flat_map(move |cluster| {
            let of = move |cta| CtaView { cta, ctas: &cluster.ctas, cluster: cluster.state(), run };
            cluster.ctas.iter().map(|cta| &**cta).map(of)
        })
    }

    /// The CTA of this number in the grid.
    #[must_use]
    pub fn cta(&self, index: u64) -> Option<CtaView<'_>> {
        self.ctas().find(|cta| cta.index() == index)
    }

    /// Reads global, constant or parameter memory, or whatever else has an address on the device.
    ///
    /// # Errors
    /// What lies at the address instead.
    pub fn read(&self, address: u64, to: &mut [u8]) -> Result<(), AccessError> {
        self.run.environment.memory.read(address, to)
    }

    /// The address of the parameter block.
    #[must_use]
    pub fn parameters(&self) -> u64 {
        self.run.parameters
    }

    /// The program, whose functions and instructions steps and frames name by number.
    #[must_use]
    pub fn program(&self) -> &Program {
        &self.run.code.program
    }
}
