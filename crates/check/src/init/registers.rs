//! The shadow of a warp's registers: which bits of which registers are undefined, and where that came from.

use ptxvm_machine::registers::Slot;
use rustc_hash::FxHashMap;

/// The lanes of a mask.
pub fn lanes_in(mask: u32) -> impl Iterator<Item = usize> {
    (0..32).filter(move |lane| mask >> lane & 1 != 0)
}

/// What is undefined of a value of one lane.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Undefined {
    /// The undefined bits.
    pub bits: u128,
    /// Where they were born.
    pub origin: Origin,
}

/// Where an undefined value was born, by number, and whether it has been computed with since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Origin(u32);

/// A value that has been computed with is more than padding that is copied.
const COMPUTED: u32 = 1 << 31;

/// Bits of it have been cut off. That is computing too, unless others are put into their place: so fields of bits are set.
const CUT: u32 = 1 << 30;

/// Others have been put there.
const FILLED: u32 = 1 << 29;

impl Origin {
    pub fn new(number: usize) -> Self {
        Self(u32::try_from(number).unwrap_or(u32::MAX) & !(COMPUTED | CUT | FILLED))
    }

    pub fn number(self) -> usize {
        (self.0 & !(COMPUTED | CUT | FILLED)) as usize
    }

    pub fn is_computed(self) -> bool {
        self.0 & (COMPUTED | CUT) != 0
    }

    pub fn is_filled(self) -> bool {
        self.0 & FILLED != 0
    }

    #[must_use]
    pub fn cut(self) -> Self {
        Self(self.0 | CUT)
    }

    #[must_use]
    pub fn filled(self) -> Self {
        Self(self.0 & !CUT | FILLED)
    }

    #[must_use]
    pub fn computed(self) -> Self {
        Self(self.0 | COMPUTED)
    }
}

/// What is undefined of a register, lane by lane.
pub type Lanes = [Undefined; 32];

/// A register of an activation: its activation, and where it begins there.
pub type Register = (u32, u32);

/// The registers of a warp that have undefined bits.
#[derive(Debug, Default)]
pub struct Registers(FxHashMap<Register, Box<Lanes>>);

impl Registers {
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// What is undefined of an operand; `None` if nothing is.
    pub fn get(&self, activation: u32, slot: Slot) -> Option<&Lanes> {
        if slot.is_constant() || slot.is_sink() {
            return None;
        }
        self.0.get(&(activation, slot.offset())).map(|lanes| &**lanes)
    }

    /// Whether any of these operands has undefined bits.
    pub fn has_any(&self, activation: u32, slots: &[Slot]) -> bool {
        slots.iter().any(|slot| self.get(activation, *slot).is_some())
    }

    /// Changes what is known of a register in some lanes.
    pub fn set(&mut self, activation: u32, slot: Slot, lanes: u32, of: impl Fn(usize) -> Undefined) {
        if slot.is_constant() || slot.is_sink() {
            return;
        }
        let all = u128::MAX >> (128 - slot.bits().clamp(1, 128));
        let new = |lane: usize| {
            let value = of(lane);
            Undefined { bits: value.bits & all, ..value }
        };
        let lanes = || (0..32).filter(move |lane| lanes >> lane & 1 != 0);
        let key = (activation, slot.offset());
        match self.0.get_mut(&key) {
            Some(known) => {
                lanes().for_each(|lane| known[lane] = new(lane));
                if known.iter().all(|value| value.bits == 0) {
                    self.0.remove(&key);
                }
            }
            None if lanes().any(|lane| new(lane).bits != 0) => {
                let mut known = Box::new(Lanes::default());
                lanes().for_each(|lane| known[lane] = new(lane));
                self.0.insert(key, known);
            }
            None => {}
        }
    }

    /// An activation is left.
    pub fn forget(&mut self, activation: u32, lanes: u32) {
        self.0.retain(|(of, _), known| {
            if *of == activation {
                (0..32).filter(|lane| lanes >> lane & 1 != 0).for_each(|lane| known[lane].bits = 0);
            }
            known.iter().any(|value| value.bits != 0)
        });
    }
}
