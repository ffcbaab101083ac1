//! Hints to the caches: `prefetch`, `applypriority`, `discard`, `createpolicy` (manual 9.7.9.15 to 9.7.9.18).
//!
//! There is no cache here. A prefetch does nothing, wherever it points, as on hardware; the others are checked for
//! what the manual forbids. A policy has the bits that ptxas 13.1 computes for sm_90.

use crate::context::Context;
use crate::door::touch::Wants;
use crate::explain::finding::Kind;
use crate::ops::operand::Address;
use crate::registers::{LANES, Slot};
use crate::vector::lanes::{self, Execute, Flow, Op};
use ptxvm_ir::operation::Hint;
use ptxvm_ir::operation::hint::Priorities;
use ptxvm_memory::{Window, window_of};

/// The bytes that `applypriority` and `discard` speak of, and what their address must be a multiple of.
const LINE: u64 = 128;

/// The operation of a hint.
pub fn executor(hint: Hint) -> Op {
    match hint {
        Hint::Prefetch => Box::new(Nothing),
        Hint::ApplyPriority(address) => Box::new(CacheLine { address, wants: Wants::Nothing }),
        Hint::Discard(address) => Box::new(CacheLine { address, wants: Wants::Write }),
        Hint::Convert => lanes::map1(|a: u64| a),
        Hint::Fractional { priorities, fraction: true } => {
            lanes::map1(move |fraction: u32| fractional(head(priorities), f32::from_bits(fraction)))
        }
        Hint::Fractional { priorities, fraction: false } => {
            Box::new(Whole(fractional(head(priorities), 1.0)))
        }
        Hint::Range { priorities, offset } => lanes::map3(move |a: u64, primary: u32, total: u32| {
            range(head(priorities), a.wrapping_add_signed(offset), primary, total)
        }),
    }
}

/// The bits of a policy that say its priorities.
fn head(Priorities { primary, secondary }: Priorities) -> u32 {
    1 << 8 | primary << 5 | secondary << 4
}

/// The share of accesses in sixteenths, less one, below the priorities.
fn fractional(head: u32, fraction: f32) -> u64 {
    let sixteenths = (fraction * 15.99) as u32 & 15;
    u64::from((head | sixteenths) << 20) << 32
}

/// The range in granules, at least 4 KiB and so large that 128 of them cover it: their size, the first, the count.
fn range(head: u32, a: u64, primary: u32, total: u32) -> u64 {
    let logarithm = f64::from(total as f32).log2() as f32;
    let shift = (logarithm.ceil().max(0.0) as u32).saturating_sub(7).max(12);
    let end = a.wrapping_add((1 << shift) + u64::from(primary)).wrapping_sub(1);
    let first = a >> shift;
    let count = (end >> shift).wrapping_sub(first).min(127) as u32;
    let bits = head | 1 << 7 | (shift - 12) & 15;
    u64::from(((bits << 8 | first as u32 & 127) << 7 | count) << 5) << 32
}

struct Nothing;

impl Execute for Nothing {
    fn run(&self, _: &mut Context<'_>, _: &[Slot], _: u32) -> Flow {
        Flow::Next
    }
}

/// A policy without operands.
struct Whole(u64);

impl Execute for Whole {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        crate::vector::value::Value::write(&mut context.bank, slots[0], mask, &[self.0; LANES]);
        Flow::Next
    }
}

/// A cache line that must be there. What `discard` makes of its bytes is open: they stay.
struct CacheLine {
    address: Address,
    wants: Wants,
}

impl Execute for CacheLine {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let at = context.addresses(self.address, slots);
        let outside = |lane: &usize| mask >> lane & 1 != 0 && window_of(at[*lane]) != Window::Global;
        if let Some(lane) = (0..LANES).find(outside) {
            let message = format!("{:#x} is not an address of global memory", at[lane]);
            return context.fault(Kind::WrongSpace, lane, message, Vec::new());
        }
        match context.resolve(self.address.space, &at, mask, LINE, LINE, self.wants) {
            Ok(_) => Flow::Next,
            Err(flow) => flow,
        }
    }
}
