//! `redux.sync`: a 32-bit value of each lane reduced over the lanes of the mask.

use ptxvm_isa::Type;
use ptxvm_num::float::minmax::{self, Extreme, Modifiers};
use ptxvm_num::int::arithmetic;

use super::Members;
use crate::context::Context;
use crate::lanes::{Execute, Flow, Op};
use crate::registers::{LANES, Slot, Value};
use ptxvm_ir::operation::Form;

/// The operation of `redux.sync`.
pub fn select(form: &Form<'_>) -> Option<Op> {
    let members = Members::named(form);
    Some(match (form.slot("op")?, form.main_type()?) {
        ("add", _) => reduce(members, arithmetic::add::<u32>),
        ("and", _) => reduce(members, |a, b| a & b),
        ("or", _) => reduce(members, |a, b| a | b),
        ("xor", _) => reduce(members, |a, b| a ^ b),
        ("min", Type::U32) => reduce(members, arithmetic::min::<u32>),
        ("max", Type::U32) => reduce(members, arithmetic::max::<u32>),
        ("min", Type::S32) => reduce(members, arithmetic::min::<i32>),
        ("max", Type::S32) => reduce(members, arithmetic::max::<i32>),
        (which @ ("min" | "max"), Type::F32) => {
            let which = if which == "min" { Extreme::Min } else { Extreme::Max };
            let modifiers = Modifiers { abs: form.has("abs"), nan: form.has("NaN"), ..Modifiers::default() };
            let choose = move |a, b| minmax::f32(a, b, which, modifiers);
            // A value alone is compared with itself, for the sake of `.abs` and of NaN.
            Box::new(Reduce { members, alone: move |a| choose(a, a), f: choose })
        }
        _ => return None,
    })
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
