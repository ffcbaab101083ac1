//! `wgmma` (manual 9.7.15): matrix products of a warpgroup that go on while its threads do.
//!
//! Each of the four warps has sixteen rows of D in its own registers, so each computes its own part. They meet where a group
//! is closed ([`crate::state::warpgroup`]), and the rules say that all do the same. A product is checked when it is issued and computed later ([`crate::ops::wgmma::pending`]).

mod blocks;
mod issue;
pub mod pending;
mod product;
mod progress;
mod resident;
pub mod used;
mod warpgroup;

use std::sync::{Arc, OnceLock};

use ptxvm_ir::operation::matrix::{Wgmma, WgmmaA, WgmmaProduct};
use ptxvm_isa::Type;
use ptxvm_num::matrix::integer::IntegerElement;
use ptxvm_num::matrix::{Accumulator, Element};

use crate::context::Context;
use crate::door::follower::{Batch, Ordering};
use crate::matrix::descriptor::Major;
use crate::matrix::sparse::Sparse;
use crate::registers::Slot;
use crate::settings::{Asynchrony, Check};
use crate::state::awaited::Awaited;
use crate::vector::lanes::{Execute, Flow, Op};

use issue::MmaAsync;
use product::{AsyncProduct, OperandA, ProductTypes};
use warpgroup::warpgroup;

/// The operation of a `wgmma` instruction.
pub fn executor(wgmma: Wgmma) -> Option<Op> {
    Some(match wgmma {
        Wgmma::Fence => Box::new(Fence),
        Wgmma::Commit => Box::new(Commit),
        Wgmma::Wait { latest } => Box::new(Wait { latest }),
        Wgmma::Product(wanted) => {
            let slots = OnceLock::new();
            Box::new(MmaAsync { product: Arc::new(product(wanted)?), scale_d: wanted.scale_d, slots })
        }
    })
}

/// What an `mma_async` multiplies.
fn product(wanted: WgmmaProduct) -> Option<AsyncProduct> {
    let WgmmaProduct { columns, depth, a_type, b_type, .. } = wanted;
    let (a, b) = (a_type.name(), b_type.name());
    let factors = match (Element::from_name(a), Element::from_name(b)) {
        (Some(a), Some(b)) => ProductTypes::Float {
            a,
            b,
            d: if wanted.d == Type::F16 { Accumulator::F16 } else { Accumulator::F32 },
            negate_a: wanted.negate_a,
            negate_b: wanted.negate_b,
        },
        _ if a_type == Type::B1 => ProductTypes::Bits,
        _ => ProductTypes::Integer {
            a: IntegerElement::from_name(a)?,
            b: IntegerElement::from_name(b)?,
            satfinite: wanted.satfinite,
        },
    };
    let major = |transposed| if transposed { Major::Mn } else { Major::K };
    let a = match wanted.a {
        WgmmaA::Shared { descriptor, transposed } => {
            OperandA::Shared { slot: descriptor, major: major(transposed) }
        }
        WgmmaA::Registers { first } => OperandA::Registers { slot: first },
    };
    let sparse = match wanted.sparse {
        Some((metadata, selector)) => {
            Some((metadata, Sparse::new(a_type, (product::ROWS, depth), selector, false)?))
        }
        None => None,
    };
    Some(AsyncProduct {
        columns,
        depth,
        factors,
        registers: wanted.registers,
        a,
        b: wanted.b,
        b_major: major(wanted.b_transposed),
        sparse,
    })
}

/// `wgmma.fence`
struct Fence;

impl Execute for Fence {
    fn run(&self, context: &mut Context<'_>, _: &[Slot], mask: u32) -> Flow {
        if let Err(flow) = warpgroup(context, mask, "wgmma.fence") {
            return flow;
        }
        context.warp.wgmma.fenced = true;
        if context.run.looks_for(Check::Async) {
            context.warp.wgmma.used.fence(&context.bank);
        }
        context.wgmma_goes_on();
        Flow::Next
    }
}

/// `wgmma.commit_group`
struct Commit;

impl Execute for Commit {
    fn run(&self, context: &mut Context<'_>, _: &[Slot], mask: u32) -> Flow {
        if let Err(flow) = warpgroup(context, mask, "wgmma.commit_group") {
            return flow;
        }
        let (warp, group) = (context.warp.index, context.warp.wgmma.groups().saturating_add(1));
        let (all, last) = context.cta.warpgroups.commit(warp, group);
        if last {
            context.worker.cluster.events += 1;
        }
        // Another warp may go on, and wait, before this one does.
        context.wgmma_is_under_way();
        if !all {
            context.warp.awaited = Some(Awaited::Warpgroup);
            return Flow::Wait;
        }
        context.warp.wgmma.commit();
        context.warp.wgmma.used.commit();
        context.orders(mask, Ordering::Commits(Batch::Products));
        context.wgmma_goes_on();
        context.wgmma_is_under_way();
        Flow::Next
    }
}

/// `wgmma.wait_group`
struct Wait {
    latest: u32,
}

impl Execute for Wait {
    fn run(&self, context: &mut Context<'_>, _: &[Slot], mask: u32) -> Flow {
        if let Err(flow) = warpgroup(context, mask, "wgmma.wait_group") {
            return flow;
        }
        let (warp, before) = (context.warp.index, context.warp.wgmma.before(self.latest));
        if !context.cta.warpgroups.are_complete(warp, before) {
            context.warp.awaited = Some(Awaited::Products);
            return Flow::Wait;
        }
        if !context.warp.wgmma.wait(self.latest, context.worker, context.run.halt) {
            return Flow::Stop;
        }
        context.wgmma_is_under_way();
        if context.warp.wgmma.used.are_followed() {
            context.warp.wgmma.used.wait(self.latest);
        }
        let waited = Ordering::Waited { batch: Batch::Products, latest: self.latest, read: false };
        context.orders(mask, waited);
        // Nobody looks who uses registers, and what has been completed can be seen.
        if context.run.launch.settings.asynchrony == Asynchrony::Lazy {
            context.warp.wgmma.put_back();
        }
        Flow::Next
    }
}
