//! What the matrix instructions have in common: the tensor cores that a launch computes with.
//!
//! Every matrix instruction brings its operands into plain matrices ([`ptxvm_num::matrix::Left`], `Right`) and has
//! [`Cores`] multiply them; how lanes and memory hold them is the instruction's own affair.

pub mod blocks;
pub mod cores;
pub mod descriptor;
pub mod fragment;
pub mod instruction;
pub mod kept_b;
pub mod operands;
pub mod quad_pair;
pub mod sparse;
pub mod units;
pub mod unpack;

use ptxvm_num::matrix::{Precision, Unit};

use crate::context::Context;
use crate::explain::finding::Kind;
use crate::vector::lanes::Flow;

pub use cores::{Cores, Mma};

/// Refuses lanes without the rest of their warp.
pub fn whole_warp(context: &mut Context<'_>, lanes: u32) -> Result<(), Flow> {
    let missing = !lanes;
    if missing == 0 {
        return Ok(());
    }
    let message = format!(
        "lanes {lanes:#010x} execute an instruction that takes a whole warp, lanes {missing:#010x} do not"
    );
    let note = if missing & context.warp.alive() == 0 {
        "the missing threads have ended or were never launched; each of a warp's 32 threads holds a part of the matrix"
    } else {
        "all 32 threads of a warp must execute the same instruction: each holds a part of the matrix"
    };
    Err(context.fault(Kind::Misuse, lanes.trailing_zeros() as usize, message, vec![note.into()]))
}

impl Context<'_> {
    /// The tensor cores that the launch computes with.
    #[must_use]
    pub fn cores(&self) -> Cores {
        let (major, minor) = self.run.environment.profile.capability;
        let device = Unit::of(major, minor);
        match self.run.launch.settings.mma {
            Mma::Exact => Cores { unit: device, precision: Precision::Exact },
            Mma::Of(unit) => Cores { unit, precision: Precision::Exact },
            Mma::Fast => Cores { unit: device, precision: Precision::Fast },
        }
    }

    /// Counts a matrix product of so many multiply-adds, which take the host time.
    pub fn count_products(&mut self, count: usize) {
        let count = count as u64;
        self.worker.statistics.products += count;
        self.worker.effort += count / PRODUCTS_OF_AN_INSTRUCTION;
    }
}

/// As many multiply-adds take the host about as long as another instruction of a warp.
const PRODUCTS_OF_AN_INSTRUCTION: u64 = 64;
