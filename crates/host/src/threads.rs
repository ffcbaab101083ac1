//! How many threads of the host run the CTAs of a launch.

use std::num::NonZero;
use std::thread::available_parallelism;

use crate::available::address_space;

/// More threads than cores let CTAs interleave in more ways, which is of use to a few; thousands only make the host slow,
/// and late at its limits.
const MOST: usize = 64;

/// The addresses that a thread takes, in bytes: glibc asks for two arenas of 64 MiB to align one, and then there are its
/// stack and the memory of a CTA. Where addresses are limited (`ulimit -v`), a process without any left is ended by its
/// own allocator.
const ADDRESSES: u64 = 144 << 20;

/// The threads for a wish; 0 is one for each core.
#[must_use]
pub fn threads(wanted: usize) -> usize {
    let cores = available_parallelism().map_or(1, NonZero::get);
    let wanted = if wanted == 0 { cores } else { wanted.min(cores.max(MOST)) };
    wanted.min(address_space().map_or(usize::MAX, room))
}

/// How many threads these addresses are enough for; one there always is.
fn room(addresses: u64) -> usize {
    usize::try_from(addresses / ADDRESSES).unwrap_or(usize::MAX).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_some_and_not_too_many() {
        assert!(threads(0) >= 1);
        assert_eq!((threads(1), threads(64)), (1, 64));
        assert!(threads(usize::MAX) <= threads(0).max(MOST));
    }

    #[test]
    fn few_addresses_are_for_few_threads() {
        assert_eq!((room(0), room(1 << 30), room(u64::MAX) > MOST), (1, 7, true));
    }
}
