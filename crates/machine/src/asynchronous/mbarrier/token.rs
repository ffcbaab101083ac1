//! The state that an arrival returns and a wait takes: opaque to programs, and on an H200 only its upper half means
//! anything, that of the object before the arrival.
//!
//! The lower half, where the H200 leaves junk, says here which object and which phase it was, so that a state of
//! another object, or one that is too old to be asked for, is noticed.

/// What tells a state that an arrival returned from numbers that a program made itself, which are mostly zeros or ones.
const MARK: u64 = 0b10110 << 27;

/// The state of an arrival at an object.
#[must_use]
pub fn token(bits: u64, address: u32, phases: u64) -> u64 {
    bits & 0xffff_ffff_0000_0000 | mark(address, phases)
}

fn mark(address: u32, phases: u64) -> u64 {
    MARK | u64::from(address >> 3 & 0x7fff) << 12 | phases & 0xfff
}

/// The parity of the phase that a state names.
#[must_use]
pub fn parity(token: u64) -> bool {
    token >> 63 != 0
}

/// How many arrivals the phase of a state lacked: `mbarrier.pending_count`.
#[must_use]
pub fn pending_count(token: u64) -> u32 {
    match (token >> 43).wrapping_neg() as u32 & 0xf_ffff {
        // The most that the field could have meant, and what an H200 says.
        0 => 1 << 20,
        count => count,
    }
}

/// What is wrong with a wait for a state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stale {
    /// Another object returned it.
    Foreign,
    /// So many phases have ended since.
    Old(u64),
}

/// Whether a state may be asked for at an object in this phase. One that the program made itself may: silicon looks
/// at its parity alone.
pub fn check(token: u64, address: u32, phases: u64) -> Result<(), Stale> {
    let own = mark(address, phases);
    if (token ^ own) & 0xf800_0000 != 0 {
        return Ok(());
    }
    if (token ^ own) & 0x07ff_f000 != 0 {
        return Err(Stale::Foreign);
    }
    match own.wrapping_sub(token) & 0xfff {
        0 | 1 => Ok(()),
        ended => Err(Stale::Old(ended)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::asynchronous::mbarrier::object::Object;

    /// Upper halves and pending counts as an H200 gave them.
    #[test]
    fn states_are_the_upper_half_before_the_arrival() {
        let recorded: [(u32, u64, u32); 4] = [
            (5, 0x7fff_d800, 5),
            (2, 0x7fff_f000, 2),
            (3, 0x7fff_e800, 3),
            (1_048_575, 0x0000_0800, 1_048_575),
        ];
        for (count, upper, pending) in recorded {
            let token = token(Object::new(count).expect("a count").bits(), 0x400, 0);
            assert_eq!(token >> 32, upper);
            assert_eq!(pending_count(token), pending);
        }
        assert_eq!(pending_count(0), 1_048_576);
        assert_eq!(pending_count(1 << 63), 1_048_576);
    }

    #[test]
    fn old_and_foreign_states_are_told() {
        let first = token(0, 0x408, 4_095);
        assert_eq!(check(first, 0x408, 4_095), Ok(()));
        assert_eq!(check(first, 0x408, 4_096), Ok(()));
        assert_eq!(check(first, 0x408, 4_097), Err(Stale::Old(2)));
        assert_eq!(check(first, 0x410, 4_095), Err(Stale::Foreign));
        assert_eq!(check(0, 0x410, 7), Ok(()));
        assert_eq!(check(u64::MAX, 0x410, 7), Ok(()));
    }
}
