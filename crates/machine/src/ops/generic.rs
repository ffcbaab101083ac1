//! `isspacep`, `cvta`, `mapa` and `getctarank` (manual 9.7.9.19, .20, .23, .24): generic addresses and those of a
//! space, and which CTA of a cluster an address belongs to.
//!
//! Global, constant and parameter addresses are host addresses and the same in the generic space; shared and local
//! ones are offsets in their windows. A 32-bit generic address is the low half of the real one. The rank of a CTA
//! stands in the same bits of a shared address and of the generic one; as on an H200, `mapa` puts any rank there.

use ptxvm_memory::{AllocationKind, LOCAL_BASE, SHARED_BASE, SHARED_SIZE, Window, window_of};

use crate::context::Context;
use crate::registers::{LANES, Slot};
use crate::schedule::cluster::shared::OFFSET_BITS;
use crate::vector::lanes::{self, Execute, Flow, Op};
use crate::vector::value::Value;
use ptxvm_ir::operation::{Generic, generic};

/// The operation of `isspacep`, `cvta`, `cvta.to`, `mapa` and `getctarank`.
pub fn executor(generic: Generic) -> Op {
    match generic {
        Generic::Mapa => lanes::simd2(|a: u64, rank: u32| a & !RANK | u64::from(rank) << OFFSET_BITS & RANK),
        Generic::CtaRank => lanes::simd1(|a: u64| ((a & RANK) >> OFFSET_BITS) as u32),
        Generic::IsSpace(asked) => match asked {
            generic::Window::Shared => Box::new(OwnShared),
            generic::Window::SharedCluster => lanes::map1(|a: u64| window_of(a) == Window::Shared),
            generic::Window::Local => lanes::map1(|a: u64| window_of(a) == Window::Local),
            generic::Window::Global => Box::new(Within(SpaceQuestion::Global)),
            generic::Window::Const => Box::new(Within(SpaceQuestion::Kind(AllocationKind::Constant))),
            generic::Window::Param => Box::new(Within(SpaceQuestion::Kind(AllocationKind::Param))),
        },
        Generic::From(generic::Window::Param) => Box::new(OfParameter),
        Generic::From(window) => move_by(base(window)),
        Generic::To(window) => move_by(base(window).wrapping_neg()),
    }
}

/// The bits of an address that say which CTA's memory it is in.
const RANK: u64 = (SHARED_SIZE - 1) >> OFFSET_BITS << OFFSET_BITS;

/// What is added to an address of a space to make it generic.
fn base(window: generic::Window) -> u64 {
    match window {
        generic::Window::Shared | generic::Window::SharedCluster => SHARED_BASE,
        generic::Window::Local => LOCAL_BASE,
        generic::Window::Global | generic::Window::Const | generic::Window::Param => 0,
    }
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

/// The generic address of a parameter. On hardware those of the space fit into 32 bits, and Triton keeps them in 32-bit
/// registers: the other half is that of the parameter block.
struct OfParameter;

impl Execute for OfParameter {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let block = context.run.parameters;
        let whole = |a: u64| match u32::try_from(a) {
            Ok(low) => block.wrapping_add(u64::from(low.wrapping_sub(block as u32))),
            Err(_) => a,
        };
        let addresses = u64::read(&context.bank, slots[1]).map(whole);
        u64::write(&mut context.bank, slots[0], mask, &addresses);
        Flow::Next
    }
}

/// Whether addresses lie in the CTA's own part of the shared window.
struct OwnShared;

impl Execute for OwnShared {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let own = SHARED_BASE + context.cta.shared_base;
        let a = u64::read(&context.bank, slots[1]);
        let answers = a.map(|a| a.wrapping_sub(own) < 1 << OFFSET_BITS);
        bool::write(&mut context.bank, slots[0], mask, &answers);
        Flow::Next
    }
}

/// A question that needs the table of allocations, because constants and parameters have no window of their own.
enum SpaceQuestion {
    /// In no window, and not constant; parameters count as global.
    Global,
    /// In an allocation of this kind.
    Kind(AllocationKind),
}

struct Within(SpaceQuestion);

impl Execute for Within {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let memory = context.run.environment.memory;
        let kind = |address: u64| memory.allocation(address).map(|allocation| allocation.kind);
        let answer = |address: u64| match self.0 {
            SpaceQuestion::Global => {
                window_of(address) == Window::Global && kind(address) != Some(AllocationKind::Constant)
            }
            SpaceQuestion::Kind(wanted) => {
                window_of(address) == Window::Global && kind(address) == Some(wanted)
            }
        };
        let a = u64::read(&context.bank, slots[1]);
        let answers: [bool; LANES] = std::array::from_fn(|lane| mask >> lane & 1 != 0 && answer(a[lane]));
        bool::write(&mut context.bank, slots[0], mask, &answers);
        Flow::Next
    }
}
