//! `ld`, `ldu`, `st` (manual 9.7.9.8 to 9.7.9.11): every space, order, scope, cache hint and vector width.
//!
//! Cache operators and hints change no value and are accepted as they are. Orders and scopes: a machine that runs
//! the warps of a CTA on one host thread sees its own accesses in order; between host threads `.acquire` and
//! `.release` become the host's fences.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::sync::atomic::{Ordering, fence};

use ptxvm_ir::operation::Address;
use ptxvm_ir::operation::access::{LoadParameter, Words};
use ptxvm_memory::access::{self, Word};

use crate::context::Context;
use crate::door::address::AddressSpace;
use crate::door::pointer::Pointers;
use crate::door::touch::Wants;
use crate::registers::{LANES, Slot};
#[cfg(all(target_arch = "x86_64", not(any(miri, sanitized))))]
use crate::vector::gather;
use crate::vector::lanes::{self, Execute, Flow, Op, Vectorised};
use crate::vector::mask::Plain;
use crate::vector::value::Value;

/// A load.
pub fn load(load: Words) -> Option<Op> {
    Some(match load.bits {
        8 => lanes::vectorised(Loading::<u8> { load, of: PhantomData }),
        16 => lanes::vectorised(Loading::<u16> { load, of: PhantomData }),
        32 => lanes::vectorised(Loading::<u32> { load, of: PhantomData }),
        64 => lanes::vectorised(Loading::<u64> { load, of: PhantomData }),
        128 => lanes::vectorised(Loading::<u128> { load, of: PhantomData }),
        _ => return None,
    })
}

/// A load from the parameter block of the entry.
pub fn load_parameter(load: LoadParameter) -> Option<Op> {
    Some(match load.bits {
        8 => Box::new(LoadingParameter::<u8> { load, of: PhantomData }),
        16 => Box::new(LoadingParameter::<u16> { load, of: PhantomData }),
        32 => Box::new(LoadingParameter::<u32> { load, of: PhantomData }),
        64 => Box::new(LoadingParameter::<u64> { load, of: PhantomData }),
        128 => Box::new(LoadingParameter::<u128> { load, of: PhantomData }),
        _ => return None,
    })
}

/// A store.
pub fn store(store: Words) -> Option<Op> {
    Some(match store.bits {
        8 => lanes::vectorised(Storing::<u8> { store, of: PhantomData }),
        16 => lanes::vectorised(Storing::<u16> { store, of: PhantomData }),
        32 => lanes::vectorised(Storing::<u32> { store, of: PhantomData }),
        64 => lanes::vectorised(Storing::<u64> { store, of: PhantomData }),
        128 => lanes::vectorised(Storing::<u128> { store, of: PhantomData }),
        _ => return None,
    })
}

/// The addresses of all lanes.
#[inline(always)]
pub(crate) fn addresses(context: &Context<'_>, slot: Slot, offset: i64) -> [u64; LANES] {
    let mut addresses = u64::read(&context.bank, slot);
    for address in &mut addresses {
        *address = address.wrapping_add_signed(offset);
    }
    if slot.width == 4 {
        // In a register of 32 bits the sum wraps there.
        for address in &mut addresses {
            *address &= u64::from(u32::MAX);
        }
    }
    addresses
}

struct Loading<T> {
    load: Words,
    of: PhantomData<fn() -> T>,
}

impl<T: Word + Plain + Value + PartialEq + Default + Send + Sync> Vectorised for Loading<T> {
    #[inline(always)]
    fn execute<const V4: bool>(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let Words { address: Address { operand, space, offset }, count, order, .. } = self.load;
        let size = size_of::<T>() as u64;
        let bytes = size * count as u64;
        let at = addresses(context, slots[operand], offset);
        let pointers = match context.resolve(space, &at, mask, bytes, bytes.next_power_of_two(), Wants::Read)
        {
            Ok(pointers) => pointers,
            Err(flow) => return flow,
        };
        for element in 0..count {
            let mut values = [T::default(); LANES];
            if gathered::<T, V4>(&pointers, element, mask, &mut values) {
                // AVX-512 has loaded them.
            } else if mask == u32::MAX {
                for lane in 0..LANES {
                    let from = pointers.lane(lane, element * size as usize);
                    // SAFETY: `resolve` has checked the bytes of every active lane, and all are active.
                    values[lane] = unsafe { access::load(from) };
                }
            } else {
                let mut left = mask;
                while left != 0 {
                    let lane = left.trailing_zeros() as usize;
                    left &= left - 1;
                    let from = pointers.lane(lane, element * size as usize);
                    // SAFETY: `resolve` has checked the bytes of every active lane.
                    values[lane] = unsafe { access::load(from) };
                }
            }
            // It may see what other threads write meanwhile, and a loop of such loads may be waiting.
            if order.is_strong() {
                let before = T::read(&context.bank, slots[element]);
                context.worker.look(mask, |lane| before[lane] == values[lane]);
            }
            T::write(&mut context.bank, slots[element], mask, &values);
        }
        if order.acquires() {
            fence(Ordering::Acquire);
        }
        if context.run.launch.settings.statistics {
            context.worker.statistics.bytes_read[traffic(space)] += bytes * u64::from(mask.count_ones());
        }
        Flow::Next
    }
}

/// Loads the words of a warp with AVX-512 if they are 32 bits wide; gives whether it did.
#[inline(always)]
fn gathered<T: Copy, const V4: bool>(
    pointers: &Pointers,
    element: usize,
    mask: u32,
    values: &mut [T; LANES],
) -> bool {
    #[cfg(all(target_arch = "x86_64", not(any(miri, sanitized))))]
    if V4 && size_of::<T>() == 4 {
        // SAFETY: `resolve` has checked the bytes of every active lane, and `V4` says that AVX-512 is there.
        let words = unsafe { gather::load(&pointers.further(element * 4), mask) };
        // SAFETY: `T` is an unsigned integer of 32 bits.
        *values = unsafe { std::mem::transmute_copy::<[u32; LANES], [T; LANES]>(&words) };
        return true;
    }
    let _ = (pointers, element, mask, values);
    false
}

/// Stores the words of a warp with AVX-512 if they are 32 bits wide and follow one another; gives whether it did.
#[inline(always)]
fn scattered<T: Copy, const V4: bool>(
    pointers: &Pointers,
    element: usize,
    mask: u32,
    values: &[T; LANES],
    turns: Turns,
) -> bool {
    #[cfg(all(target_arch = "x86_64", not(any(miri, sanitized))))]
    if V4 && size_of::<T>() == 4 {
        // Where all lanes are taken at once the lowest stays, otherwise those of the upper half do.
        let order = if turns.flip == LANES - 1 { [1, 0] } else { [0, 1] };
        // SAFETY: `T` is an unsigned integer of 32 bits.
        let words = unsafe { std::mem::transmute_copy::<[T; LANES], [u32; LANES]>(values) };
        // SAFETY: `resolve` has checked the bytes of every active lane, and `V4` says that AVX-512 is there.
        return unsafe { gather::store_rows(&pointers.further(element * 4), mask, &words, order) };
    }
    let _ = (pointers, element, mask, values, turns);
    false
}

/// The index of a space in the statistics of traffic.
pub(crate) fn traffic(space: AddressSpace) -> usize {
    match space {
        AddressSpace::Global | AddressSpace::Generic => 0,
        AddressSpace::Shared | AddressSpace::SharedVariable | AddressSpace::SharedCluster => 1,
        AddressSpace::Local => 2,
        AddressSpace::Const => 3,
    }
}

/// A load from the parameter block of the entry: the same for every lane.
struct LoadingParameter<T> {
    load: LoadParameter,
    of: PhantomData<fn() -> T>,
}

impl<T: Word + Plain + Value + Default + Send + Sync> Execute for LoadingParameter<T> {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let LoadParameter { offset, count, .. } = self.load;
        let size = size_of::<T>();
        // The slot holds the variable's offset in the block.
        let first = context.bank.lane(slots[count], 0).wrapping_add_signed(offset);
        let found = match context.parameters(first, size * count, mask) {
            Ok(found) => found,
            Err(flow) => return flow,
        };
        let Some(found) = found else {
            // What follows the parameters is zero.
            for slot in &slots[..count] {
                T::write(&mut context.bank, *slot, mask, &[T::default(); LANES]);
            }
            return Flow::Next;
        };
        for element in 0..count {
            let mut raw = [0; 16];
            raw[..size].copy_from_slice(&found[element * size..][..size]);
            let mut value = T::default();
            // SAFETY: `raw` has at least `size` bytes and any bits are a `T`, an unsigned integer.
            unsafe { std::ptr::copy_nonoverlapping(raw.as_ptr(), (&raw mut value).cast::<u8>(), size) };
            T::write(&mut context.bank, slots[element], mask, &[value; LANES]);
        }
        Flow::Next
    }
}

/// In which order the lanes of a warp store, which shows where they store to the same place.
///
/// PTX leaves it open; an H200 (measured) takes as many lanes at once as 128 bytes hold, the lower ones first, and of
/// those that it takes at once the lowest is the one that stays.
#[derive(Clone, Copy)]
pub struct Turns {
    /// What turns the number of a turn into that of a lane.
    flip: usize,
}

impl Turns {
    /// The order for stores of so many bytes a lane.
    #[inline(always)]
    #[must_use]
    pub fn of(bytes: u64) -> Self {
        let at_once = match bytes {
            0..=4 => 32,
            5..=8 => 16,
            _ => 8,
        };
        Self { flip: at_once - 1 }
    }

    /// The lanes of a mask in their order.
    pub fn lanes(self, mask: u32) -> impl Iterator<Item = usize> {
        (0..LANES).map(move |turn| turn ^ self.flip).filter(move |lane| mask >> lane & 1 != 0)
    }

    /// A mask of lanes as a mask of turns.
    #[inline(always)]
    fn mask(self, lanes: u32) -> u32 {
        let reversed = lanes.reverse_bits();
        match self.flip {
            31 => reversed,
            15 => reversed.rotate_left(16),
            _ => reversed.swap_bytes(),
        }
    }
}

struct Storing<T> {
    store: Words,
    of: PhantomData<fn() -> T>,
}

impl<T: Word + Plain + Value + Default + Send + Sync> Vectorised for Storing<T> {
    #[inline(always)]
    fn execute<const V4: bool>(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let Words { address: Address { operand, space, offset }, count, order, .. } = self.store;
        let size = size_of::<T>() as u64;
        let bytes = size * count as u64;
        let at = addresses(context, slots[operand], offset);
        let pointers = match context.resolve(space, &at, mask, bytes, bytes.next_power_of_two(), Wants::Write)
        {
            Ok(pointers) => pointers,
            Err(flow) => return flow,
        };
        if order.releases() {
            fence(Ordering::Release);
        }
        for element in 0..count {
            let slot = slots[operand + 1 + element];
            if slot.is_sink() {
                continue;
            }
            let values = T::read(&context.bank, slot);
            if scattered::<T, V4>(&pointers, element, mask, &values, Turns::of(bytes)) {
                // AVX-512 has stored them.
            } else if mask == u32::MAX {
                let flip = Turns::of(bytes).flip;
                for turn in 0..LANES {
                    let lane = turn ^ flip;
                    let to = pointers.lane(lane, element * size as usize);
                    // SAFETY: `resolve` has checked the bytes of every active lane, and all are active.
                    unsafe { access::store(to, values[lane]) };
                }
            } else {
                let turns = Turns::of(bytes);
                let mut left = turns.mask(mask);
                while left != 0 {
                    let lane = left.trailing_zeros() as usize ^ turns.flip;
                    left &= left - 1;
                    let to = pointers.lane(lane, element * size as usize);
                    // SAFETY: `resolve` has checked the bytes of every active lane.
                    unsafe { access::store(to, values[lane]) };
                }
            }
        }
        if context.run.launch.settings.statistics {
            context.worker.statistics.bytes_written[traffic(space)] += bytes * u64::from(mask.count_ones());
        }
        Flow::Next
    }
}
