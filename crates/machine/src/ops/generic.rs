//! `isspacep` and `cvta` (manual 9.7.9.19, 9.7.9.20): generic addresses and those of a space.
//!
//! Global, constant and parameter addresses are host addresses and the same in the generic space; shared and local
//! ones are offsets in their windows. A 32-bit generic address is the low half of the real one.

use ptxvm_memory::{AllocationKind, LOCAL_BASE, SHARED_BASE, Window, window_of};

use crate::context::Context;
use crate::form::Form;
use crate::lanes::{self, Execute, Flow, Op};
use crate::registers::{LANES, Slot, Value};

/// The operation of `isspacep`, `cvta` and `cvta.to`.
pub fn select(form: &Form<'_>) -> Option<Op> {
    let space = form.slot("space")?;
    match form.name() {
        "isspacep" => Some(match space {
            "shared" | "shared::cta" => {
                lanes::map1(|a: u64| window_of(a) == Window::Shared && a - SHARED_BASE < CTA)
            }
            "shared::cluster" => lanes::map1(|a: u64| window_of(a) == Window::Shared),
            "local" => lanes::map1(|a: u64| window_of(a) == Window::Local),
            "global" => Box::new(Within(Asked::Global)),
            "const" => Box::new(Within(Asked::Kind(AllocationKind::Constant))),
            "param" | "param::entry" => Box::new(Within(Asked::Kind(AllocationKind::Param))),
            _ => return None,
        }),
        "cvta" => Some(move_by(base(space)?)),
        "cvta.to" => Some(move_by(base(space)?.wrapping_neg())),
        _ => None,
    }
}

/// The addresses of the shared window that are the CTA's own.
const CTA: u64 = 1 << 24;

/// What is added to an address of a space to make it generic.
fn base(space: &str) -> Option<u64> {
    Some(match space {
        "shared" | "shared::cta" | "shared::cluster" => SHARED_BASE,
        "local" => LOCAL_BASE,
        "global" | "const" | "param" | "param::entry" => 0,
        _ => return None,
    })
}

fn move_by(distance: u64) -> Op {
    match distance {
        0 => lanes::simd1(|a: u64| a),
        // The distance is one of four, so that the loop has it as a constant.
        SHARED_BASE => lanes::simd1(|a: u64| a.wrapping_add(SHARED_BASE)),
        LOCAL_BASE => lanes::simd1(|a: u64| a.wrapping_add(LOCAL_BASE)),
        _ if distance == SHARED_BASE.wrapping_neg() => lanes::simd1(|a: u64| a.wrapping_sub(SHARED_BASE)),
        _ => lanes::simd1(|a: u64| a.wrapping_sub(LOCAL_BASE)),
    }
}

/// A question that needs the table of allocations, because constants and parameters have no window of their own.
enum Asked {
    /// In no window, and not constant; parameters count as global.
    Global,
    /// In an allocation of this kind.
    Kind(AllocationKind),
}

struct Within(Asked);

impl Execute for Within {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let memory = context.run.environment.memory;
        let kind = |address: u64| memory.allocation(address).map(|allocation| allocation.kind);
        let answer = |address: u64| match self.0 {
            Asked::Global => {
                window_of(address) == Window::Global && kind(address) != Some(AllocationKind::Constant)
            }
            Asked::Kind(wanted) => window_of(address) == Window::Global && kind(address) == Some(wanted),
        };
        let a = u64::read(&context.bank, slots[1]);
        let answers: [bool; LANES] = std::array::from_fn(|lane| mask >> lane & 1 != 0 && answer(a[lane]));
        bool::write(&mut context.bank, slots[0], mask, &answers);
        Flow::Next
    }
}
