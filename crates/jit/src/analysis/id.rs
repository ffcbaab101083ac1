//! The number of a home, by which values and code name it.

/// A home: an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct HomeId(pub u32);

/// Whether a register is in a set.
pub fn is_in(set: &[u64], register: u32) -> bool {
    set.get(register as usize / 64).is_some_and(|word| word >> (register % 64) & 1 != 0)
}
