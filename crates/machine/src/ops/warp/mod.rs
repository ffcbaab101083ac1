//! Exchange between the lanes of a warp: `shfl` (9.7.9.5, 9.7.9.6), `bar.warp.sync`, `vote`, `match`,
//! `activemask`, `redux`, `elect` (9.7.13.2, 9.7.13.8 to 9.7.13.14).
//!
//! Before one of them runs, the interpreter has brought together the lanes that its member mask names. Each lane is
//! then served by its own mask: lanes of several masks may run the same instruction side by side.

mod reduce;
mod shuffle;

use ptxvm_isa::Type;

use crate::context::Context;
use crate::finding::Kind;
use crate::lanes::{Execute, Flow, Op};
use crate::registers::{LANES, Slot, Value, lanes_in};
use ptxvm_ir::operation::Form;

/// The operation of an instruction that looks at other lanes.
pub fn select(form: &Form<'_>) -> Option<Op> {
    match form.opcode() {
        "shfl" => shuffle::select(form),
        "vote" => vote(form),
        "match" => matching(form),
        "redux" => reduce::select(form),
        "activemask" => Some(gather(Members::Active, |lanes, _, _: &()| lanes)),
        "elect" => {
            let op = |lanes: u32, lane: usize, _: &()| {
                (lanes.trailing_zeros(), lanes.trailing_zeros() == lane as u32)
            };
            Some(gather(Members::named(form), op))
        }
        "bar" if form.words().chain(form.modifiers()).any(|w| w == "warp") => Some(Box::new(Meet)),
        _ => None,
    }
}

fn vote(form: &Form<'_>) -> Option<Op> {
    let members = Members::named(form);
    // `votes` has a bit for every lane whose predicate holds.
    Some(match form.slot("mode").or(form.has("ballot").then_some("ballot"))? {
        "all" => gather(members, |lanes, _, votes: &u32| lanes & !votes == 0),
        "any" => gather(members, |lanes, _, votes: &u32| lanes & votes != 0),
        "uni" => gather(members, |lanes, _, votes: &u32| lanes & votes == 0 || lanes & !votes == 0),
        "ballot" => gather(members, |lanes, _, votes: &u32| lanes & votes),
        _ => return None,
    })
}

fn matching(form: &Form<'_>) -> Option<Op> {
    let any = form.words().chain(form.modifiers()).any(|w| w == "any");
    let wide = form.main_type()? == Type::B64;
    let pair = form.operands().iter().filter(|o| o.written).count() == 2;
    let members = Members::named(form);
    macro_rules! matching {
        ($ty:ty) => {
            match (any, pair) {
                (true, _) => gather(members, |lanes, lane, a: &[$ty; LANES]| same(lanes, lane, a)),
                (false, true) => gather(members, |lanes, lane, a: &[$ty; LANES]| {
                    let all = same(lanes, lane, a) == lanes;
                    (if all { lanes } else { 0 }, all)
                }),
                (false, false) => gather(
                    members,
                    |lanes, lane, a: &[$ty; LANES]| {
                        if same(lanes, lane, a) == lanes { lanes } else { 0 }
                    },
                ),
            }
        };
    }
    Some(if wide { matching!(u64) } else { matching!(u32) })
}

/// The lanes whose value is that of one lane.
fn same<T: Copy + PartialEq>(lanes: u32, lane: usize, a: &[T; LANES]) -> u32 {
    let equal = (0..LANES).fold(0, |mask, other| mask | u32::from(a[other] == a[lane]) << other);
    lanes & equal
}

/// The lanes that an instruction works on together.
#[derive(Clone, Copy, Debug)]
pub(super) enum Members {
    /// All that execute it.
    Active,
    /// Those that the last source names in each lane; the instruction's name is for the report.
    Named(&'static str),
}

impl Members {
    /// Those of an instruction with or without a member mask.
    pub(super) fn named(form: &Form<'_>) -> Self {
        if form.given("membermask") { Self::Named(form.name()) } else { Self::Active }
    }

    /// By lane: the executing lanes that belong together. A lane that its own mask does not name is a finding.
    pub(super) fn lanes(
        self,
        context: &mut Context<'_>,
        slots: &[Slot],
        mask: u32,
    ) -> Result<[u32; LANES], Flow> {
        let (Self::Named(name), Some(slot)) = (self, slots.last()) else { return Ok([mask; LANES]) };
        let named = u32::read(&context.bank, *slot);
        for lane in lanes_in(mask) {
            if named[lane] >> lane & 1 == 0 {
                let message = format!(
                    "lane {lane} executes `{name}` but its member mask {:#010x} leaves it out",
                    named[lane]
                );
                let note = "a thread must be in the mask of every warp-wide instruction that it executes";
                return Err(context.fault(Kind::Misuse, lane, message, vec![note.into()]));
            }
        }
        Ok(named.map(|members| members & mask))
    }
}

/// What all lanes bring to a warp-wide operation.
trait Brought {
    /// Reads it from the slot of the sources that holds it.
    fn bring(context: &Context<'_>, sources: &[Slot]) -> Self;
}

impl Brought for () {
    fn bring(_: &Context<'_>, _: &[Slot]) {}
}

impl Brought for u32 {
    fn bring(context: &Context<'_>, sources: &[Slot]) -> Self {
        let held = bool::read(&context.bank, sources[0]);
        (0..LANES).fold(0, |mask, lane| mask | u32::from(held[lane]) << lane)
    }
}

impl<T: Value> Brought for [T; LANES] {
    fn bring(context: &Context<'_>, sources: &[Slot]) -> Self {
        T::read(&context.bank, sources[0])
    }
}

/// An operation that gives each lane something made from what the lanes of its mask bring: `f` of these lanes, the
/// lane itself, and all that was brought.
fn gather<In, Out, F>(members: Members, f: F) -> Op
where
    In: Brought + 'static,
    Out: crate::lanes::Results + 'static,
    F: Fn(u32, usize, &In) -> Out + Send + Sync + 'static,
{
    Box::new(Gather { members, f, of: std::marker::PhantomData })
}

struct Gather<In, Out, F> {
    members: Members,
    f: F,
    of: std::marker::PhantomData<fn(In) -> Out>,
}

impl<In, Out, F> Execute for Gather<In, Out, F>
where
    In: Brought,
    Out: crate::lanes::Results,
    F: Fn(u32, usize, &In) -> Out + Send + Sync,
{
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let (to, from) = slots.split_at(Out::COUNT);
        let lanes = match self.members.lanes(context, from, mask) {
            Ok(lanes) => lanes,
            Err(flow) => return flow,
        };
        let brought = In::bring(context, from);
        Out::write(&mut context.bank, to, mask, |lane| (self.f)(lanes[lane], lane, &brought));
        Flow::Next
    }
}

/// `bar.warp.sync`: all it does has been done when it runs, except to see that the lanes are in their masks.
struct Meet;

impl Execute for Meet {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        match Members::Named("bar.warp.sync").lanes(context, slots, mask) {
            Ok(_) => Flow::Next,
            Err(flow) => flow,
        }
    }
}
