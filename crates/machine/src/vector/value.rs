//! The values that operations compute with: read from registers and written to them, whatever their width.
//!
//! Nearly every operand has the width of its operation and is read in place. For the others there are two functions,
//! shared by all operations.

use std::mem::MaybeUninit;

use crate::registers::{Bank, LANES, Slot};
use crate::vector::mask;

/// Room for the lanes of a source that does not lie in the registers as an operation reads it.
pub type Converted<T> = MaybeUninit<[T; LANES]>;

/// A value that operations read from sources and write to destinations.
pub trait Value: Copy {
    /// What a fresh array of lanes holds.
    const ZERO: Self;

    /// A source: the low bits of a wider register, a narrower one zero-extended. One of the value's own width is read
    /// where it lies; another is converted into the room that the caller has.
    fn source<'a>(bank: &'a Bank<'_>, slot: Slot, converted: &'a mut Converted<Self>) -> &'a [Self; LANES];

    /// Writes a destination: a wider register is extended as the slot says.
    fn write(bank: &mut Bank<'_>, slot: Slot, mask: u32, values: &[Self; LANES]);

    /// A copy of a source.
    #[inline(always)]
    fn read(bank: &Bank<'_>, slot: Slot) -> [Self; LANES] {
        *Self::source(bank, slot, &mut Converted::uninit())
    }
}

macro_rules! value {
    ($ty:ident $signed:ident $width:literal) => {
        impl Value for $ty {
            const ZERO: Self = 0;

            #[inline(always)]
            fn source<'a>(
                bank: &'a Bank<'_>,
                slot: Slot,
                converted: &'a mut Converted<Self>,
            ) -> &'a [Self; LANES] {
                if slot.width == $width {
                    return bank.lanes(slot);
                }
                other_width(bank, slot, converted, |bits| bits as $ty)
            }

            #[inline(always)]
            fn write(bank: &mut Bank<'_>, slot: Slot, mask: u32, values: &[Self; LANES]) {
                if slot.width == $width && !slot.is_sink() {
                    return bank.set_lanes(slot, mask, values);
                }
                widen(bank, slot, mask, *values, |value| (value as u128, value as $signed as i128));
            }
        }
    };
}

value!(u8 i8 1);
value!(u16 i16 2);
value!(u32 i32 4);
value!(u64 i64 8);
value!(u128 i128 16);

/// The rare case: a source has another width than the operation reads.
#[cold]
#[inline(never)]
fn other_width<'a, T: Value>(
    bank: &Bank<'_>,
    slot: Slot,
    converted: &'a mut Converted<T>,
    low: impl Fn(u128) -> T,
) -> &'a [T; LANES] {
    /// Converts all lanes where they go: arrays that are returned are copied.
    fn all<F: Copy, T>(from: &[F; LANES], to: &mut [T; LANES], convert: impl Fn(F) -> T) {
        for lane in 0..LANES {
            to[lane] = convert(from[lane]);
        }
    }
    let to = converted.write([T::ZERO; LANES]);
    match slot.width {
        // Where ptxas lets a predicate stand for 32 bits, all of them are set, or none.
        0 => all(&bool::read(bank, slot), to, |set| low(if set { u32::MAX.into() } else { 0 })),
        1 => all(bank.lanes::<u8>(slot), to, |bits| low(bits.into())),
        2 => all(bank.lanes::<u16>(slot), to, |bits| low(bits.into())),
        4 => all(bank.lanes::<u32>(slot), to, |bits| low(bits.into())),
        8 => all(bank.lanes::<u64>(slot), to, |bits| low(bits.into())),
        _ => all(bank.lanes::<u128>(slot), to, low),
    }
    to
}

/// The rare case: the destination has another width than the result. Takes a copy of the values, so that those which stay
/// need not lie in memory.
#[cold]
#[inline(never)]
fn widen<T: Copy>(
    bank: &mut Bank<'_>,
    slot: Slot,
    mask: u32,
    values: [T; LANES],
    both: impl Fn(T) -> (u128, i128),
) {
    if slot.is_sink() {
        return;
    }
    let signed = slot.flags & Slot::SIGNED != 0;
    let value = |lane: usize| {
        let (zero_extended, sign_extended) = both(values[lane]);
        if signed { sign_extended as u128 } else { zero_extended }
    };
    match slot.width {
        // A predicate that stands for 32 bits says whether they are not all zero.
        0 => bank.set_mask(slot, mask, (0..LANES).fold(0, |m, l| m | u32::from(value(l) != 0) << l)),
        1 => bank.set_lanes(slot, mask, &std::array::from_fn(|l| value(l) as u8)),
        2 => bank.set_lanes(slot, mask, &std::array::from_fn(|l| value(l) as u16)),
        4 => bank.set_lanes(slot, mask, &std::array::from_fn(|l| value(l) as u32)),
        8 => bank.set_lanes(slot, mask, &std::array::from_fn(|l| value(l) as u64)),
        _ => bank.set_lanes(slot, mask, &std::array::from_fn(value)),
    }
}

impl Value for bool {
    const ZERO: Self = false;

    #[inline(always)]
    fn source<'a>(bank: &'a Bank<'_>, slot: Slot, converted: &'a mut Converted<Self>) -> &'a [Self; LANES] {
        let mask = if slot.width == 0 { bank.mask(slot) } else { nonzero(bank, slot) };
        converted.write(mask::apart(mask))
    }

    #[inline(always)]
    fn write(bank: &mut Bank<'_>, slot: Slot, mask: u32, values: &[Self; LANES]) {
        if slot.width == 0 {
            bank.set_mask(slot, mask, mask::together(values));
        } else {
            widen(bank, slot, mask, *values, |value| (value.into(), value.into()));
        }
    }
}

#[cold]
fn nonzero(bank: &Bank<'_>, slot: Slot) -> u32 {
    (0..LANES).fold(0, |mask, lane| mask | u32::from(bank.lane(slot, lane) & 1 != 0) << lane)
}
