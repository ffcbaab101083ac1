//! The registers of one activation of a function: structures of arrays, 32 lanes side by side.
//!
//! A register of `w` bytes is `32 * w` bytes, lane after lane, so that one instruction is one loop over
//! contiguous memory; a predicate is a 32-bit mask. Constants have the same shape in a block of their own that all
//! warps share, so an operation need not know whether an operand is a register or a constant.
#![allow(unsafe_code)]

use std::alloc::{Layout, handle_alloc_error};
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::Arc;

use ptxvm_memory::Budget;

use crate::vector::mask::Plain;

/// The lanes of a warp.
pub const LANES: usize = 32;

/// The lanes of a mask, from the lowest up.
pub fn lanes_in(mask: u32) -> impl Iterator<Item = usize> {
    (0..LANES).filter(move |lane| mask >> lane & 1 != 0)
}

/// Every lane.
pub const ALL: u32 = u32::MAX;

/// Where an operand lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slot {
    /// The byte offset in the activation's registers or in the constants.
    pub(crate) offset: u32,
    /// The bytes of one lane; 0 for a predicate.
    pub(crate) width: u8,
    pub(crate) flags: u8,
}

impl Slot {
    /// It lies in the constants.
    pub(crate) const CONSTANT: u8 = 1;
    /// A predicate that is read negated.
    pub(crate) const NEGATED: u8 = 2;
    /// A result narrower than the register is sign-extended.
    pub(crate) const SIGNED: u8 = 4;
    /// The sink `_`: nothing is written.
    pub(crate) const SINK: u8 = 8;

    pub(crate) const SINKHOLE: Slot = Slot { offset: 0, width: 4, flags: Self::SINK };

    pub(crate) const fn register(offset: u32, width: u8) -> Self {
        Self { offset, width, flags: 0 }
    }

    /// A number that no other register of the activation has: the word that it begins with, which is all of a predicate.
    pub(crate) const fn number(self) -> usize {
        self.offset as usize / 4
    }

    /// Whether a write goes nowhere.
    #[must_use]
    pub const fn is_sink(self) -> bool {
        self.flags & Self::SINK != 0
    }

    /// Whether it is a constant, the same in every lane.
    #[must_use]
    pub const fn is_constant(self) -> bool {
        self.flags & Self::CONSTANT != 0
    }

    /// The byte that it begins with, in the activation's registers or in the constants.
    #[must_use]
    pub const fn offset(self) -> u32 {
        self.offset
    }

    /// The bytes of one lane; 0 for a predicate.
    #[must_use]
    pub const fn width(self) -> u8 {
        self.width
    }

    /// Whether it is a predicate that is read negated.
    #[must_use]
    pub const fn is_negated(self) -> bool {
        self.flags & Self::NEGATED != 0
    }

    /// Whether a result narrower than the register is sign-extended.
    #[must_use]
    pub const fn is_signed(self) -> bool {
        self.flags & Self::SIGNED != 0
    }

    /// The bits of one lane.
    #[must_use]
    pub const fn bits(self) -> u32 {
        if self.width == 0 { 1 } else { self.width as u32 * 8 }
    }

    /// The bytes that it takes in its block.
    pub(crate) const fn size(self) -> u32 {
        if self.width == 0 { 4 } else { self.width as u32 * LANES as u32 }
    }
}

/// A block of registers or constants: zeroed, 64-byte aligned, of fixed size.
#[derive(Debug)]
pub struct Block {
    start: NonNull<u8>,
    len: usize,
    /// Owns the bytes from `start` on.
    _memory: ptxvm_memory::Block,
}

// SAFETY: the block is owned memory without interior sharing; moving it to another thread moves plain bytes.
unsafe impl Send for Block {}
// SAFETY: shared references only read (`Bank` writes through the exclusive borrow of the warp).
unsafe impl Sync for Block {}

impl Block {
    const ALIGN: usize = 64;

    /// A zeroed block of at least this many bytes.
    #[must_use]
    pub fn new(len: usize) -> Self {
        Self::of_budget(len, &Arc::default())
            .unwrap_or_else(|| handle_alloc_error(Layout::new::<[u8; Self::ALIGN]>()))
    }

    /// Where it begins, for compiled code.
    pub(crate) fn pointer(&mut self) -> *mut u8 {
        self.start.as_ptr()
    }

    /// A zeroed block, taken from a budget; `None` if it or the host has not as much.
    #[must_use]
    pub fn of_budget(len: usize, budget: &Arc<Budget>) -> Option<Self> {
        let len = len.max(1).checked_next_multiple_of(Self::ALIGN)?;
        let memory = ptxvm_memory::Block::zeroed(len.checked_add(Self::ALIGN)?, budget)?;
        let start = NonNull::new(memory.aligned(Self::ALIGN))?;
        Some(Self { start, len, _memory: memory })
    }

    /// Its bytes.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: `start` points to `len` initialised bytes that live as long as `self`.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.len) }
    }

    /// Its bytes, to be changed.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        // SAFETY: as in `bytes`, and the borrow is exclusive.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.len) }
    }

    pub(crate) fn len(&self) -> usize {
        self.len
    }

    /// One lane of a register, whatever its width, for those who look on.
    pub(crate) fn value(&self, slot: Slot, lane: usize) -> Option<u128> {
        let (offset, width) = (slot.offset as usize, usize::from(slot.width));
        if lane >= LANES || slot.is_constant() {
            return None;
        }
        if width == 0 {
            let mask =
                self.bytes().get(offset..offset + 4)?.first_chunk().map(|mask| u32::from_le_bytes(*mask))?;
            return Some((mask >> lane & 1).into());
        }
        let bytes = self.bytes().get(offset + lane * width..offset + (lane + 1) * width)?;
        let mut value = [0; 16];
        value[..width].copy_from_slice(bytes);
        Some(u128::from_le_bytes(value))
    }
}

/// The registers and constants that the running instruction sees: a borrow of an activation's block, which ends before
/// anybody else reaches the block.
///
/// Holds pointers, so that an operation may write one register while it holds values of others. Slots are made by the
/// linker alone, which keeps every one inside its block; `read` and `write` assert it in debug builds.
#[derive(Debug)]
pub struct Bank<'a> {
    registers: *mut u8,
    constants: *const u8,
    register_bytes: u32,
    constant_bytes: u32,
    borrowed: PhantomData<(&'a mut Block, &'a Block)>,
}

impl<'a> Bank<'a> {
    pub(crate) fn new(registers: &'a mut Block, constants: &'a Block) -> Self {
        Self {
            registers: registers.start.as_ptr(),
            constants: constants.start.as_ptr(),
            register_bytes: registers.len() as u32,
            constant_bytes: constants.len() as u32,
            borrowed: PhantomData,
        }
    }

    /// What finds the same registers later, when the borrow has ended.
    pub(crate) fn keep(&self) -> KeptBank {
        let Self { registers, constants, register_bytes, constant_bytes, .. } = *self;
        KeptBank { registers, constants, register_bytes, constant_bytes }
    }

    #[inline(always)]
    fn pointer(&self, slot: Slot) -> *const u8 {
        let constant = slot.is_constant();
        let len = if constant { self.constant_bytes } else { self.register_bytes };
        debug_assert!(slot.offset + slot.size() <= len, "a slot outside of its block: {slot:?}");
        let base = if constant { self.constants } else { self.registers };
        // SAFETY: the linker keeps `offset + size` within the block (asserted above in debug builds).
        unsafe { base.add(slot.offset as usize) }
    }

    /// The lanes of a register whose width is that of `T`.
    #[inline(always)]
    pub(crate) fn lanes<T: Plain>(&self, slot: Slot) -> &[T; LANES] {
        debug_assert_eq!(usize::from(slot.width), size_of::<T>());
        // SAFETY: the slot has 32 lanes of this width, aligned to 32 * width bytes at most 64; any bits are a `T`. Nobody
        // writes them while the bank is borrowed.
        unsafe { &*self.pointer(slot).cast::<[T; LANES]>() }
    }

    /// Sets the lanes in the mask.
    #[inline(always)]
    pub(crate) fn set_lanes<T: Plain>(&mut self, slot: Slot, mask: u32, values: &[T; LANES]) {
        debug_assert_eq!(usize::from(slot.width), size_of::<T>());
        debug_assert!(!slot.is_constant(), "a constant is never written");
        let to = self.pointer(slot).cast_mut().cast::<[T; LANES]>();
        // SAFETY: as in `lanes`; the bank borrows the register block exclusively.
        let to = unsafe { &mut *to };
        if mask == ALL {
            *to = *values;
        } else {
            T::merge(to, mask, values);
        }
    }

    /// The lanes of 32-bit registers that lie one after the other in the order of these slots, all at once; nothing if
    /// they do not, or if one of them is no such register.
    pub(crate) fn neighbours(&mut self, slots: &[Slot]) -> Option<&mut [[u32; LANES]]> {
        let first = *slots.first()?;
        let mut expected = first.offset;
        for slot in slots {
            if (slot.offset, slot.width, slot.flags) != (expected, 4, 0) {
                return None;
            }
            expected += first.size();
        }
        assert!(expected <= self.register_bytes, "slots outside of their block: {slots:?}");
        let first = self.pointer(first).cast_mut().cast::<[u32; LANES]>();
        // SAFETY: the registers are as many times 32 words from the first on, inside of the block as asserted, and words
        // are aligned there as in `lanes`. The bank borrows the register block exclusively.
        Some(unsafe { std::slice::from_raw_parts_mut(first, slots.len()) })
    }

    /// Clears a register in the lanes of a mask.
    pub(crate) fn clear(&mut self, slot: Slot, mask: u32) {
        match slot.width {
            0 => self.set_mask(slot, mask, 0),
            1 => self.set_lanes(slot, mask, &[0u8; LANES]),
            2 => self.set_lanes(slot, mask, &[0u16; LANES]),
            4 => self.set_lanes(slot, mask, &[0u32; LANES]),
            8 => self.set_lanes(slot, mask, &[0u64; LANES]),
            _ => self.set_lanes(slot, mask, &[0u128; LANES]),
        }
    }

    /// One lane of a register, as 64 bits, whatever its width.
    #[must_use]
    pub fn lane(&self, slot: Slot, lane: usize) -> u64 {
        match slot.width {
            0 => u64::from(self.mask(slot) >> lane & 1),
            1 => self.single::<u8>(slot, lane).into(),
            2 => self.single::<u16>(slot, lane).into(),
            4 => self.single::<u32>(slot, lane).into(),
            8 => self.single::<u64>(slot, lane),
            _ => self.single::<u128>(slot, lane) as u64,
        }
    }

    /// One lane of a register, all bits of it, whatever its width.
    #[must_use]
    pub fn whole_lane(&self, slot: Slot, lane: usize) -> u128 {
        match slot.width {
            16 => self.single::<u128>(slot, lane),
            _ => self.lane(slot, lane).into(),
        }
    }

    /// One lane of a register whose width is that of `T`.
    #[inline(always)]
    fn single<T: Plain>(&self, slot: Slot, lane: usize) -> T {
        debug_assert_eq!(usize::from(slot.width), size_of::<T>());
        assert!(lane < LANES, "a warp has 32 lanes");
        // SAFETY: the slot has 32 lanes of this width, of which this is one; any bits are a `T`.
        unsafe { self.pointer(slot).cast::<T>().add(lane).read() }
    }

    /// A predicate as a mask of lanes.
    #[inline(always)]
    pub fn mask(&self, slot: Slot) -> u32 {
        debug_assert_eq!(slot.width, 0);
        // SAFETY: a predicate slot is four bytes, four-byte aligned.
        let mask = unsafe { self.pointer(slot).cast::<u32>().read() };
        if slot.flags & Slot::NEGATED != 0 { !mask } else { mask }
    }

    /// Sets a predicate in the lanes of a mask.
    #[inline(always)]
    pub fn set_mask(&mut self, slot: Slot, mask: u32, value: u32) {
        if slot.is_sink() {
            return;
        }
        debug_assert_eq!(slot.width, 0);
        let to = self.pointer(slot).cast_mut().cast::<u32>();
        // SAFETY: as in `mask`, and the bank borrows the register block exclusively.
        unsafe { *to = *to & !mask | value & mask };
    }
}

/// The registers of an activation for work that outlives the instruction that issued it.
#[derive(Clone, Copy, Debug)]
pub struct KeptBank {
    registers: *mut u8,
    constants: *const u8,
    register_bytes: u32,
    constant_bytes: u32,
}

// SAFETY: it is a way to registers, which only the host thread that runs the warp takes.
unsafe impl Send for KeptBank {}

impl KeptBank {
    /// Whether it is of the same activation.
    pub(crate) fn is(&self, bank: &Bank<'_>) -> bool {
        self.registers == bank.registers
    }

    /// Whether both are of the same activation.
    pub(crate) fn is_that_of(&self, other: &KeptBank) -> bool {
        self.registers == other.registers
    }

    /// The registers again.
    ///
    /// # Safety
    /// The activation's block and the code's constants still exist, and nobody else reads or writes the registers while
    /// the bank is used.
    pub(crate) unsafe fn bank(&self) -> Bank<'_> {
        let Self { registers, constants, register_bytes, constant_bytes } = *self;
        Bank { registers, constants, register_bytes, constant_bytes, borrowed: PhantomData }
    }
}
