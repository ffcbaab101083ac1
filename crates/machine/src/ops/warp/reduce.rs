//! `redux.sync`: a 32-bit value of each lane reduced over the lanes of the mask.

use ptxvm_ir::operation::access::Combination;
use ptxvm_num::float::minmax::{self, Extreme, Modifiers};
use ptxvm_num::int::arithmetic;

use super::members::Members;
use crate::context::Context;
use crate::registers::{LANES, Slot};
use crate::vector::lanes::{Execute, Flow, Op};
use crate::vector::value::Value;

/// `redux.sync` of integers.
pub fn of_integers(members: Members, combination: Combination, signed: bool) -> Option<Op> {
    Some(match (combination, signed) {
        (Combination::Add, _) => reduce(members, arithmetic::add::<u32>),
        (Combination::And, _) => reduce(members, |a, b| a & b),
        (Combination::Or, _) => reduce(members, |a, b| a | b),
        (Combination::Xor, _) => reduce(members, |a, b| a ^ b),
        (Combination::Min, false) => reduce(members, arithmetic::min::<u32>),
        (Combination::Max, false) => reduce(members, arithmetic::max::<u32>),
        (Combination::Min, true) => reduce(members, arithmetic::min::<i32>),
        (Combination::Max, true) => reduce(members, arithmetic::max::<i32>),
        (Combination::Inc | Combination::Dec, _) => return None,
    })
}

/// `redux.sync` of floating point.
pub fn of_floats(members: Members, which: Extreme, modifiers: Modifiers) -> Op {
    let choose = move |a, b| minmax::f32(a, b, which, modifiers);
    // A value alone is compared with itself, for the sake of `.abs` and of NaN.
    Box::new(Reduce { members, alone: move |a| choose(a, a), f: choose })
}

fn reduce(members: Members, f: impl Fn(u32, u32) -> u32 + Send + Sync + 'static) -> Op {
    Box::new(Reduce { members, alone: |a| a, f })
}

struct Reduce<Alone, Func> {
    members: Members,
    /// What a single value becomes.
    alone: Alone,
    /// What two values become.
    f: Func,
}

impl<Alone, Func> Execute for Reduce<Alone, Func>
where
    Alone: Fn(u32) -> u32 + Send + Sync,
    Func: Fn(u32, u32) -> u32 + Send + Sync,
{
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let (to, from) = slots.split_at(1);
        let lanes = match self.members.lanes(context, from, mask) {
            Ok(lanes) => lanes,
            Err(flow) => return flow,
        };
        let a = u32::read(&context.bank, from[0]);
        let of = |lanes: u32| {
            let values = (0..LANES).filter(|l| lanes >> l & 1 != 0).map(|l| (self.alone)(a[l]));
            values.reduce(&self.f).unwrap_or(0)
        };
        // Lanes mostly have one mask, which is then reduced once.
        let mut last = (0, 0);
        let values = lanes.map(|lanes| {
            if lanes != last.0 {
                last = (lanes, of(lanes));
            }
            last.1
        });
        u32::write(&mut context.bank, to[0], mask, &values);
        Flow::Next
    }
}
