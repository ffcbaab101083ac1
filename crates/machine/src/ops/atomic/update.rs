//! Changing a word of memory in one step, lane after lane.
//!
//! Lanes are served in the order of their numbers. Those that follow one another at the same address are served in
//! one step of the host, which is one of the orders that the guest must expect and makes a warp that counts in one
//! place as cheap as a lane. Shared memory belongs to the one host thread that runs the CTA, so that there a load
//! and a store are step enough.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::sync::atomic::{Ordering, fence};

use ptxvm_ir::operation::Address;
use ptxvm_ir::operation::access::Atomic;
use ptxvm_memory::atomic::{self, AtomicWord};
use ptxvm_memory::{Window, access, window_of};
use ptxvm_num::float::atomic::AtomicUnit;

use crate::context::Context;
use crate::door::address::AddressSpace;
use crate::door::touch::Wants;
use crate::explain::finding::Kind;
use crate::ops::atomic::combine::{Combine, Memorable};
use crate::ops::load_store::{addresses, traffic};
use crate::registers::{LANES, Slot, lanes_in};
use crate::vector::lanes::{Execute, Flow, Op};

/// A change of words that an atomic makes.
#[derive(Clone, Copy, Debug)]
pub struct Change(pub Atomic);

impl Combine for Change {
    type Output = Op;

    fn binary<T: Memorable>(self, f: impl Fn(AtomicUnit, T, T) -> T + Send + Sync + 'static) -> Op {
        Box::new(Update {
            how: self,
            swap: false,
            apply: move |unit, old, b, _| f(unit, old, b),
            of: PhantomData,
        })
    }
}

impl Change {
    /// The operation with two operands: `f` of the word in memory, `b` and `c`.
    pub fn ternary<T: Memorable>(self, f: impl Fn(T, T, T) -> T + Send + Sync + 'static) -> Op {
        Box::new(Update { how: self, swap: true, apply: move |_, old, b, c| f(old, b, c), of: PhantomData })
    }
}

struct Update<T, F> {
    how: Change,
    /// Whether there is a second operand, with which the word is exchanged if it equals the first.
    swap: bool,
    apply: F,
    of: PhantomData<fn(T)>,
}

impl<T: Memorable, F: Fn(AtomicUnit, T, T, T) -> T + Send + Sync> Execute for Update<T, F> {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let Atomic { address: Address { operand, space, offset }, count, order, .. } = self.how.0;
        let (to, from) = slots.split_at(operand);
        let at = addresses(context, from[0], offset);
        let shared = match shared_lanes(context, space, &at, mask, count) {
            Ok(shared) => shared,
            Err(flow) => return flow,
        };
        let size = size_of::<T>();
        let bytes = (size * count) as u64;
        let pointers = match context.resolve(space, &at, mask, bytes, bytes, Wants::Update) {
            Ok(pointers) => pointers,
            Err(flow) => return flow,
        };
        if order.releases() {
            fence(Ordering::Release);
        }
        let mut wrote = 0;
        for element in 0..count {
            let b = T::read(&context.bank, from[1 + element]);
            let c = if self.swap { T::read(&context.bank, from[2]) } else { [T::default(); LANES] };
            let mut found = [T::default(); LANES];
            let mut left = mask;
            while left != 0 {
                let first = left.trailing_zeros() as usize;
                let lanes = pointers.together(left);
                left &= !lanes;
                let unit = if shared >> first & 1 != 0 { AtomicUnit::Shared } else { AtomicUnit::Global };
                let change = |mut word: T| {
                    let mut rest = lanes;
                    while rest != 0 {
                        let lane = rest.trailing_zeros() as usize;
                        rest &= rest - 1;
                        found[lane] = word;
                        word = (self.apply)(unit, word, b[lane], c[lane]);
                    }
                    word
                };
                let pointer = pointers.lane(first, element * size);
                match unit {
                    AtomicUnit::Global | AtomicUnit::Copy => {
                        // SAFETY: `resolve` has checked the bytes of every active lane and that they are aligned.
                        let _ = unsafe { atomic::update(pointer, change) };
                    }
                    // SAFETY: as above.
                    AtomicUnit::Shared => unsafe { exclusively(pointer, change) },
                }
            }
            if self.swap && context.worker.again.is_some() {
                wrote |= lanes_in(mask)
                    .filter(|lane| found[*lane] == b[*lane])
                    .fold(0, |lanes, lane| lanes | 1 << lane);
            }
            if let Some(slot) = to.get(element).copied().filter(|slot| !slot.is_sink()) {
                // The same answer as the last time: the loop around it may be waiting for another.
                let before = T::read(&context.bank, slot);
                context.worker.look(mask, |lane| before[lane] == found[lane]);
                T::write(&mut context.bank, slot, mask, &found);
            }
        }
        if self.swap
            && let Some(again) = &mut context.worker.again
        {
            again.who.lanes &= wrote;
        }
        if order.acquires() {
            fence(Ordering::Acquire);
        }
        if context.run.launch.settings.statistics {
            context.worker.statistics.bytes_written[traffic(space)] += bytes * u64::from(mask.count_ones());
        }
        Flow::Next
    }
}

/// Changes a word that no other host thread touches.
///
/// # Safety
/// As for [`access::store`].
pub(super) unsafe fn exclusively<T: AtomicWord>(pointer: *mut u8, change: impl FnOnce(T) -> T) {
    // SAFETY: the caller's promise, for a load and a store of the same word.
    unsafe { access::store(pointer, change(access::load(pointer))) }
}

/// The lanes whose address is in shared memory; a finding if one is where there are no atomics.
fn shared_lanes(
    context: &mut Context<'_>,
    space: AddressSpace,
    at: &[u64; LANES],
    mask: u32,
    count: usize,
) -> Result<u32, Flow> {
    let mut shared = match space {
        AddressSpace::Global | AddressSpace::Const => return Ok(0),
        AddressSpace::Shared | AddressSpace::SharedVariable | AddressSpace::SharedCluster => u32::MAX,
        AddressSpace::Local | AddressSpace::Generic => 0,
    };
    for lane in lanes_in(mask) {
        let window = window_of(at[lane]);
        if space == AddressSpace::Generic && window == Window::Shared {
            shared |= 1 << lane;
        }
        let wrong = match space {
            AddressSpace::Local => Some("local"),
            AddressSpace::Generic if window == Window::Local => Some("local"),
            _ if count > 1 && shared >> lane & 1 != 0 => Some("shared"),
            _ => None,
        };
        let Some(name) = wrong else { continue };
        let message = || format!("an atomic operation on {name} memory, at {:#x}", at[lane]);
        if name == "local" {
            let note = "atomics work on global and shared memory; local memory is the thread's own";
            context.mistake(Kind::WrongSpace, lane, message, || vec![note.into()])?;
        } else {
            let note = "atomics on vectors work on global memory only";
            return Err(context.fault(Kind::WrongSpace, lane, message(), vec![note.into()]));
        }
    }
    Ok(shared)
}
