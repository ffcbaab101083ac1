//! `wgmma` (manual 9.7.15): matrix products of a warpgroup that go on while its threads do.
//!
//! Each of the four warps has sixteen rows of D in its own registers, so each computes its own part, and only the rules
//! say that the others do the same. A product is checked when it is issued and computed later ([`crate::wgmma`]).

mod issue;
mod product;

use std::sync::Arc;

use ptxvm_num::matrix::integer::Integer;
use ptxvm_num::matrix::{Accumulator, Element};

use crate::context::Context;
use crate::finding::Kind;
use crate::lanes::{Execute, Flow, Op};
use crate::matrix::descriptor::Major;
use crate::matrix::sparse::Sparse;
use crate::registers::{ALL, Slot};
use ptxvm_ir::operation::Form;

use issue::Issue;
pub use product::{A, Factors, Product, Source};

/// The operation of a `wgmma` instruction.
pub fn select(form: &Form<'_>) -> Option<Op> {
    if form.opcode() != "wgmma" {
        return None;
    }
    if form.says("fence") {
        return Some(Box::new(Fence));
    }
    if form.says("commit_group") {
        return Some(Box::new(Commit));
    }
    if form.says("wait_group") {
        let latest = u32::try_from(form.constant("n")?).unwrap_or(u32::MAX);
        return Some(Box::new(Wait { latest }));
    }
    Some(Box::new(Issue { product: Arc::new(product(form)?), scale_d: form.position("scale-d")? }))
}

/// What an `mma_async` multiplies.
fn product(form: &Form<'_>) -> Option<Product> {
    let shape = form.slot("shape").or_else(|| form.modifiers().find(|word| word.starts_with("m64n")))?;
    let (columns, depth) = shape.strip_prefix("m64n")?.split_once('k')?;
    let types: Vec<&str> = form.words().chain(form.modifiers()).filter(|word| KINDS.contains(word)).collect();
    let [d, a, b] = types[..] else { return None };
    let negated = |name: &str| form.constant(name).is_some_and(|scale| scale as i32 == -1);
    let factors = match (Element::from_name(a), Element::from_name(b)) {
        (Some(a), Some(b)) => Factors::Float {
            a,
            b,
            d: if d == "f16" { Accumulator::F16 } else { Accumulator::F32 },
            negate_a: negated("imm-scale-a"),
            negate_b: negated("imm-scale-b"),
        },
        _ if a == "b1" => Factors::Bits,
        _ => Factors::Integer {
            a: Integer::from_name(a)?,
            b: Integer::from_name(b)?,
            satfinite: form.says("satfinite"),
        },
    };
    let major = |name: &str| if form.constant(name) == Some(1) { Major::Mn } else { Major::K };
    let a = match form.position("a-desc") {
        Some(slot) => Source::Shared { slot, major: major("imm-trans-a") },
        None => Source::Registers { slot: form.position("a")? },
    };
    let depth = depth.parse().ok()?;
    let sparse = match form.position("sp-meta") {
        Some(slot) => {
            let selector = form.constant("sp-sel")? as usize;
            Some((slot, Sparse::new(types[1], (product::ROWS, depth), selector, false)?))
        }
        None => None,
    };
    Some(Product {
        columns: columns.parse().ok()?,
        depth,
        factors,
        registers: form.elements("d").count(),
        a,
        b: form.position("b-desc")?,
        b_major: major("imm-trans-b"),
        sparse,
    })
}

/// The types of D, A and B.
const KINDS: &[&str] = &["f16", "f32", "bf16", "tf32", "e4m3", "e5m2", "s32", "s8", "u8", "b1"];

/// `wgmma.fence`
struct Fence;

impl Execute for Fence {
    fn run(&self, context: &mut Context<'_>, _: &[Slot], mask: u32) -> Flow {
        if let Err(flow) = warpgroup(context, mask, "wgmma.fence") {
            return flow;
        }
        context.warp.wgmma.fenced = true;
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
        context.warp.wgmma.commit();
        context.wgmma_goes_on();
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
        if !context.warp.wgmma.wait(self.latest, context.worker, context.run.halt) {
            return Flow::Stop;
        }
        Flow::Next
    }
}

/// Checks that a whole warp of a whole warpgroup executes an instruction.
fn warpgroup(context: &mut Context<'_>, mask: u32, name: &str) -> Result<(), Flow> {
    let threads: u32 = context.run.launch.block.iter().product();
    let (warp, group) = (context.warp.index, context.warp.index / 4);
    let lane = mask.trailing_zeros() as usize;
    if (group + 1) * 128 > threads {
        let message = format!("{name} in warpgroup {group}, which has not four whole warps");
        let note =
            format!("the CTA has {threads} threads; a warpgroup is 128 of them, from a multiple of 128 on");
        return Err(context.fault(Kind::Misuse, lane, message, vec![note]));
    }
    if mask != ALL {
        let missing = (!mask).trailing_zeros();
        let message = format!("{name} without lane {missing} of warp {warp}");
        let rule = "all threads of the warpgroup must execute the same instruction".to_owned();
        return Err(context.fault(Kind::Misuse, lane, message, vec![rule]));
    }
    Ok(())
}
