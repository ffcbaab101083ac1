//! The integer operations that only atomics have, 9.7.13.5: counters that wrap around.
//!
//! `old` is what memory holds before the operation; the result is what it holds after.

/// `inc`: up by one, and to zero from the bound or beyond it.
#[inline(always)]
pub fn inc(old: u32, bound: u32) -> u32 {
    if old >= bound { 0 } else { old + 1 }
}

/// `dec`: down by one, and to the bound from zero or from beyond it.
#[inline(always)]
pub fn dec(old: u32, bound: u32) -> u32 {
    if old == 0 || old > bound { bound } else { old - 1 }
}

/// `cas`: `new` where memory holds what was expected.
#[inline(always)]
pub fn cas<T: Copy + PartialEq>(old: T, expected: T, new: T) -> T {
    if old == expected { new } else { old }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counters_turn_round_at_their_bound() {
        let up: Vec<u32> = std::iter::successors(Some(0), |&old| Some(inc(old, 2))).take(5).collect();
        assert_eq!(up, [0, 1, 2, 0, 1]);
        let down: Vec<u32> = std::iter::successors(Some(0), |&old| Some(dec(old, 2))).take(5).collect();
        assert_eq!(down, [0, 2, 1, 0, 2]);
        assert_eq!((inc(9, 2), dec(9, 2)), (0, 2));
        assert_eq!((inc(u32::MAX, u32::MAX), dec(0, 0)), (0, 0));
    }

    #[test]
    fn only_what_was_expected_is_exchanged() {
        assert_eq!((cas(5u16, 5, 7), cas(6u16, 5, 7)), (7, 6));
    }
}
