//! `ld`, `ldu`, `st` (manual 9.7.9.8 to 9.7.9.11): every space, order, scope, cache hint and vector width.
//!
//! Cache operators and hints change no value and are accepted as they are. Orders and scopes: an engine that runs
//! the warps of a CTA on one host thread sees its own accesses in order; between host threads `.acquire` and
//! `.release` become the host's fences.
#![allow(unsafe_code)]

use std::marker::PhantomData;
use std::sync::atomic::{Ordering, fence};

use ptxvm_ir::{Base, Space};
use ptxvm_isa::Type;
use ptxvm_memory::access::{self, Word};

use crate::address::{AddressSpace, Pointers, Wants};
use crate::context::Context;
#[cfg(all(target_arch = "x86_64", not(any(miri, sanitized))))]
use crate::gather;
use crate::lanes::{self, Execute, Flow, Op, Vectorised};
use crate::registers::{LANES, Plain, Slot, Value};
use ptxvm_ir::operation::Form;

/// The operation of a load or store.
pub fn select(form: &Form<'_>) -> Option<Op> {
    let ty = form.main_type()?;
    match form.opcode() {
        "ld" | "ldu" => select_load(form, ty),
        "st" if !form.words().any(|w| w == "async" || w == "bulk") && !form.has("async") => {
            select_store(form, ty)
        }
        _ => None,
    }
}

fn select_load(form: &Form<'_>, ty: Type) -> Option<Op> {
    let (base, offset) = form.address()?;
    let count = form.operands().iter().filter(|o| o.written).count();
    match (space_of(form, base), base) {
        (None, Base::Variable(_)) => load_parameter(ty.bits(), offset, count),
        (space, _) => {
            let (strong, acquire) = (strong(form), form.has("acquire"));
            let space = space.unwrap_or(AddressSpace::Generic);
            load(ty.bits(), Reading { space, offset, count, strong, acquire })
        }
    }
}

fn select_store(form: &Form<'_>, ty: Type) -> Option<Op> {
    let (base, offset) = form.address()?;
    let space = space_of(form, base)?;
    let address =
        form.operands().iter().position(|o| matches!(o.kind, ptxvm_ir::OperandKind::Address { .. }))?;
    let place = form.operands()[address].place;
    let count = form.operands().iter().filter(|o| !o.written && o.place == place + 1).count();
    store(ty.bits(), Writing { space, offset, count, release: form.has("release") })
}

/// How a load reads.
#[derive(Clone, Copy)]
pub(crate) struct Reading {
    /// The space of its address.
    pub space: AddressSpace,
    /// What is added to it.
    pub offset: i64,
    /// How many words a lane reads.
    pub count: usize,
    /// Whether it may see what other threads write meanwhile.
    pub strong: bool,
    /// Whether what those did before is seen after it.
    pub acquire: bool,
}

/// How a store writes.
#[derive(Clone, Copy)]
pub(crate) struct Writing {
    /// The space of its address.
    pub space: AddressSpace,
    /// What is added to it.
    pub offset: i64,
    /// How many words a lane writes.
    pub count: usize,
    /// Whether what was done before is seen by those who acquire.
    pub release: bool,
}

/// A load of words of so many bits.
pub(crate) fn load(bits: u32, how: Reading) -> Option<Op> {
    Some(match bits {
        8 => lanes::vectorised(Load::<u8> { how, of: PhantomData }),
        16 => lanes::vectorised(Load::<u16> { how, of: PhantomData }),
        32 => lanes::vectorised(Load::<u32> { how, of: PhantomData }),
        64 => lanes::vectorised(Load::<u64> { how, of: PhantomData }),
        128 => lanes::vectorised(Load::<u128> { how, of: PhantomData }),
        _ => return None,
    })
}

fn load_parameter(bits: u32, offset: i64, count: usize) -> Option<Op> {
    Some(match bits {
        8 => Box::new(LoadParameter::<u8> { offset, count, of: PhantomData }),
        16 => Box::new(LoadParameter::<u16> { offset, count, of: PhantomData }),
        32 => Box::new(LoadParameter::<u32> { offset, count, of: PhantomData }),
        64 => Box::new(LoadParameter::<u64> { offset, count, of: PhantomData }),
        128 => Box::new(LoadParameter::<u128> { offset, count, of: PhantomData }),
        _ => return None,
    })
}

/// A store of words of so many bits.
pub(crate) fn store(bits: u32, how: Writing) -> Option<Op> {
    Some(match bits {
        8 => lanes::vectorised(Store::<u8> { how, of: PhantomData }),
        16 => lanes::vectorised(Store::<u16> { how, of: PhantomData }),
        32 => lanes::vectorised(Store::<u32> { how, of: PhantomData }),
        64 => lanes::vectorised(Store::<u64> { how, of: PhantomData }),
        128 => lanes::vectorised(Store::<u128> { how, of: PhantomData }),
        _ => return None,
    })
}

/// Whether a load may see what other threads write meanwhile: a loop of such loads may be waiting.
fn strong(form: &Form<'_>) -> bool {
    ["volatile", "relaxed", "acquire", "mmio"].iter().any(|w| form.has(w) || form.words().any(|n| n == *w))
}

/// The space of the address; `None` for the parameter block of an entry.
pub(crate) fn space_of(form: &Form<'_>, base: Base) -> Option<AddressSpace> {
    let name = form.slot("ss").or_else(|| form.slot("space"));
    match (name, base) {
        (Some("param" | "param::entry"), Base::Variable(variable)) => match form.variable_space(variable) {
            Some(Space::EntryParam) => None,
            _ => Some(AddressSpace::Local),
        },
        (Some("param::func"), _) => Some(AddressSpace::Local),
        (Some("param"), _) if !form.in_entry() => Some(AddressSpace::Local),
        (_, Base::Variable(variable)) => Some(match form.variable_space(variable) {
            Some(Space::Shared) => AddressSpace::SharedVariable,
            Some(Space::Local | Space::FuncParam) => AddressSpace::Local,
            Some(Space::EntryParam) => return None,
            Some(Space::Const) => AddressSpace::Const,
            _ => AddressSpace::Global,
        }),
        _ => Some(AddressSpace::from_name(name)),
    }
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

struct Load<T> {
    how: Reading,
    of: PhantomData<fn() -> T>,
}

impl<T: Word + Plain + Value + PartialEq + Default + Send + Sync> Vectorised for Load<T> {
    #[inline(always)]
    fn execute<const V4: bool>(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let Reading { space, offset, count, strong, acquire } = self.how;
        let size = size_of::<T>() as u64;
        let bytes = size * count as u64;
        let at = addresses(context, slots[count], offset);
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
            if strong {
                let before = T::read(&context.bank, slots[element]);
                let same = (0..LANES).any(|l| mask >> l & 1 != 0 && before[l] == values[l]);
                context.worker.polled |= same;
            }
            T::write(&mut context.bank, slots[element], mask, &values);
        }
        if acquire {
            fence(Ordering::Acquire);
        }
        if context.run.launch.statistics {
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
struct LoadParameter<T> {
    offset: i64,
    count: usize,
    of: PhantomData<fn() -> T>,
}

impl<T: Word + Plain + Value + Default + Send + Sync> Execute for LoadParameter<T> {
    fn run(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let size = size_of::<T>();
        // The slot holds the variable's offset in the block.
        let first = context.bank.lane(slots[self.count], 0).wrapping_add_signed(self.offset);
        let bytes = size * self.count;
        let block = &context.run.launch.parameters;
        let inside = usize::try_from(first).ok().filter(|f| *f <= block.len() && bytes <= block.len() - f);
        let Some(first) = inside else {
            let lane = mask.trailing_zeros() as usize;
            let message =
                format!("a read of {bytes} bytes at offset {first} of a parameter block of {}", block.len());
            if let Err(flow) = context.mistake(crate::finding::Kind::OutOfBounds, lane, || message, Vec::new)
            {
                return flow;
            }
            // What follows the parameters is zero.
            for slot in &slots[..self.count] {
                T::write(&mut context.bank, *slot, mask, &[T::default(); LANES]);
            }
            return Flow::Next;
        };
        for element in 0..self.count {
            let mut raw = [0; 16];
            raw[..size].copy_from_slice(&block[first + element * size..][..size]);
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
pub(crate) struct Turns {
    /// What turns the number of a turn into that of a lane.
    flip: usize,
}

impl Turns {
    /// The order for stores of so many bytes a lane.
    #[inline(always)]
    pub(crate) fn of(bytes: u64) -> Self {
        let at_once = match bytes {
            0..=4 => 32,
            5..=8 => 16,
            _ => 8,
        };
        Self { flip: at_once - 1 }
    }

    /// The lanes of a mask in their order.
    pub(crate) fn lanes(self, mask: u32) -> impl Iterator<Item = usize> {
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

struct Store<T> {
    how: Writing,
    of: PhantomData<fn() -> T>,
}

impl<T: Word + Plain + Value + Default + Send + Sync> Vectorised for Store<T> {
    #[inline(always)]
    fn execute<const V4: bool>(&self, context: &mut Context<'_>, slots: &[Slot], mask: u32) -> Flow {
        let Writing { space, offset, count, release } = self.how;
        let size = size_of::<T>() as u64;
        let bytes = size * count as u64;
        let at = addresses(context, slots[0], offset);
        let pointers = match context.resolve(space, &at, mask, bytes, bytes.next_power_of_two(), Wants::Write)
        {
            Ok(pointers) => pointers,
            Err(flow) => return flow,
        };
        if release {
            fence(Ordering::Release);
        }
        for element in 0..count {
            let slot = slots[1 + element];
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
        if context.run.launch.statistics {
            context.worker.statistics.bytes_written[traffic(space)] += bytes * u64::from(mask.count_ones());
        }
        Flow::Next
    }
}
