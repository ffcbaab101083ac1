//! How many threads of the host run the CTAs of a launch.

use std::num::NonZero;
use std::thread::available_parallelism;

/// More threads than cores let CTAs interleave in more ways, which is of use to a few; thousands only make the host slow,
/// and late at its limits.
const MOST: usize = 64;

/// The threads for a wish; 0 is one for each core.
#[must_use]
pub fn threads(wanted: usize) -> usize {
    let cores = available_parallelism().map_or(1, NonZero::get);
    if wanted == 0 { cores } else { wanted.min(cores.max(MOST)) }
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
}
