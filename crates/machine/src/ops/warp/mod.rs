//! Exchange between the lanes of a warp: `shfl` (9.7.9.5, 9.7.9.6), `bar.warp.sync`, `vote`, `match`,
//! `activemask`, `redux`, `elect` (9.7.13.2, 9.7.13.8 to 9.7.13.14).
//!
//! Before one of them runs, the interpreter has brought together the lanes that its member mask names. Each lane is
//! then served by its own mask: lanes of several masks may run the same instruction side by side.

mod members;
mod reduce;
mod shuffle;

use crate::context::Context;
use crate::door::follower::Ordering;
use crate::registers::{LANES, Slot};
use crate::vector::lanes::{Execute, Flow, Op};
use crate::vector::mask;
use crate::vector::value::Value;
use members::Members;
use ptxvm_ir::operation::Warp;
use ptxvm_ir::operation::warp::{Vote, WarpFunction};

/// The operation of an instruction that looks at other lanes.
pub fn executor(warp: Warp) -> Option<Op> {
    let members = Members::of(warp);
    Some(match warp.function {
        WarpFunction::Shfl { mode, predicate } => shuffle::executor(mode, predicate, members),
        WarpFunction::Vote(asked) => vote(asked, members),
        WarpFunction::MatchAny { wide: false } => match_any::<u32>(members),
        WarpFunction::MatchAny { wide: true } => match_any::<u64>(members),
        WarpFunction::MatchAll { wide: false, predicate } => match_all::<u32>(members, predicate),
        WarpFunction::MatchAll { wide: true, predicate } => match_all::<u64>(members, predicate),
        WarpFunction::Redux { combination, signed } => {
            return reduce::of_integers(members, combination, signed);
        }
        WarpFunction::ReduxFloat { which, modifiers } => reduce::of_floats(members, which, modifiers),
        WarpFunction::Activemask => gather(Members::Active, |lanes, _, _: &()| lanes),
        WarpFunction::Elect => gather(members, |lanes: u32, lane: usize, _: &()| {
            (lanes.trailing_zeros(), lanes.trailing_zeros() == lane as u32)
        }),
        WarpFunction::Sync => Box::new(Meet { members }),
    })
}

fn vote(asked: Vote, members: Members) -> Op {
    // `votes` has a bit for every lane whose predicate holds.
    match asked {
        Vote::All => gather(members, |lanes, _, votes: &u32| lanes & !votes == 0),
        Vote::Any => gather(members, |lanes, _, votes: &u32| lanes & votes != 0),
        Vote::Uni => gather(members, |lanes, _, votes: &u32| lanes & votes == 0 || lanes & !votes == 0),
        Vote::Ballot => gather(members, |lanes, _, votes: &u32| lanes & votes),
    }
}

fn match_any<T: Value + PartialEq + 'static>(members: Members) -> Op {
    gather(members, |lanes, lane, a: &[T; LANES]| same(lanes, lane, a))
}

fn match_all<T: Value + PartialEq + 'static>(members: Members, predicate: bool) -> Op {
    let found = |lanes: u32, lane: usize, a: &[T; LANES]| {
        let all = same(lanes, lane, a) == lanes;
        (if all { lanes } else { 0 }, all)
    };
    match predicate {
        true => gather(members, found),
        false => gather(members, move |lanes, lane, a: &[T; LANES]| found(lanes, lane, a).0),
    }
}

/// The lanes whose value is that of one lane.
fn same<T: Copy + PartialEq>(lanes: u32, lane: usize, a: &[T; LANES]) -> u32 {
    let equal = (0..LANES).fold(0, |mask, other| mask | u32::from(a[other] == a[lane]) << other);
    lanes & equal
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
        mask::together(&bool::read(&context.bank, sources[0]))
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
    Out: crate::vector::lanes::Results + 'static,
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
    Out: crate::vector::lanes::Results,
    F: Fn(u32, usize, &In) -> Out + Send + Sync,
{
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let (to, from) = slots.split_at(Out::COUNT);
        let lanes = match self.members.lanes(context, from, mask) {
            Ok(lanes) => lanes,
            Err(flow) => return flow,
        };
        let brought = In::bring(context, from);
        let values = Out::compute(|lane| (self.f)(lanes[lane], lane, &brought));
        Out::write(&mut context.bank, to, mask, &values);
        Flow::Next
    }
}

/// `bar.warp.sync`: all it does has been done when it runs, except to see that the lanes are in their masks.
struct Meet {
    members: Members,
}

impl Meet {
    /// Memory is ordered among the lanes of each mask.
    fn meet(&self, context: &Context<'_>, mask: u32, members: &[u32; LANES]) {
        let (alive, mut rest) = (context.warp.alive(), mask);
        while rest != 0 {
            let together = members[rest.trailing_zeros() as usize] & mask;
            context.orders(together, Ordering::Meets { alive });
            rest &= !(together | rest & rest.wrapping_neg());
        }
    }
}

impl Execute for Meet {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        match self.members.lanes(context, slots, mask) {
            Ok(members) => {
                self.meet(context, mask, &members);
                Flow::Next
            }
            Err(flow) => flow,
        }
    }
}
