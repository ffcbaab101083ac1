//! How much memory a virtual GPU has, and how much all that guests, files and images make us take may come to.
//!
//! What the user says counts. What is left open follows from what the host can give, so that a program that takes a
//! share of the device's memory never takes more than there is.

use crate::available;

/// What the user has asked for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wanted {
    /// `--memory`, `PTXVM_MEMORY`: the device's memory in bytes.
    pub memory: Option<u64>,
    /// `--max-memory`, `PTXVM_MAX_MEMORY`: the most that may be taken of the host's, in bytes.
    pub max_memory: Option<u64>,
}

/// What a virtual GPU is given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Share {
    /// The device's memory in bytes.
    pub memory: u64,
    /// The most that may be taken of the host's, in bytes.
    pub max_memory: u64,
}

impl Share {
    /// This, lowered by what a file asks for where the user (`wanted`) has said nothing; a file raises nothing.
    #[must_use]
    pub fn lowered(self, wanted: Wanted, file: Wanted) -> Self {
        let less = |own: u64, said: Option<u64>, asked: Option<u64>| match (said, asked) {
            (None, Some(asked)) => own.min(asked),
            _ => own,
        };
        let max_memory = less(self.max_memory, wanted.max_memory, file.max_memory);
        let memory = less(self.memory, wanted.memory, file.memory);
        let memory =
            if wanted.memory.is_some() { memory } else { memory.min(whole(max_memory - max_memory / 8)) };
        Self { memory, max_memory }
    }
}

impl Wanted {
    /// This, and what it leaves open from `other`.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        Self { memory: self.memory.or(other.memory), max_memory: self.max_memory.or(other.max_memory) }
    }

    /// The share of this host for a device that really has `profile` bytes.
    #[must_use]
    pub fn share(self, profile: u64) -> Share {
        self.of(available(), profile)
    }

    fn of(self, available: Option<u64>, profile: u64) -> Share {
        let host = available.map_or(u64::MAX, |bytes| bytes - bytes / 4);
        let max_memory = self.max_memory.unwrap_or_else(|| match self.memory {
            // An explicit choice wins: there must be room for it, and for what running takes besides.
            Some(memory) => host.max(memory.saturating_add(memory / 8)),
            None => host,
        });
        let memory = self.memory.unwrap_or_else(|| profile.min(whole(max_memory - max_memory / 8)));
        Share { memory, max_memory }
    }
}

/// The driver hands large blocks out in units of 2 MiB; a device has a whole number of them, if it has one at all.
fn whole(bytes: u64) -> u64 {
    const UNIT: u64 = 2 << 20;
    if bytes < UNIT { bytes } else { bytes - bytes % UNIT }
}

#[cfg(test)]
mod tests {
    use super::*;

    const G: u64 = 1 << 30;

    fn share(memory: Option<u64>, max_memory: Option<u64>, available: Option<u64>) -> (u64, u64) {
        let share = Wanted { memory, max_memory }.of(available, 100 * G);
        (share.memory, share.max_memory)
    }

    #[test]
    fn what_is_left_open_follows_from_the_host() {
        assert_eq!(share(None, None, Some(32 * G)), (21 * G, 24 * G));
        assert_eq!(share(None, None, Some(1024 * G)), (100 * G, 768 * G));
        assert_eq!(share(None, None, None), (100 * G, u64::MAX));
        assert_eq!(share(None, None, Some(0)), (0, 0));
    }

    #[test]
    fn a_file_may_take_less_and_never_more() {
        let nothing = Wanted::default();
        let own = Share { memory: 7 * G, max_memory: 8 * G };
        let file = |memory, max_memory| Wanted { memory, max_memory };
        assert_eq!(own.lowered(nothing, nothing), own);
        assert_eq!(own.lowered(nothing, file(Some(90 * G), Some(90 * G))), own);
        let less = own.lowered(nothing, file(Some(G), Some(4 * G)));
        assert_eq!(less, Share { memory: G, max_memory: 4 * G });
        assert_eq!(own.lowered(nothing, file(None, Some(4 * G))).memory, 7 * G / 2);
        let said = file(Some(7 * G), Some(8 * G));
        assert_eq!(own.lowered(said, file(Some(1), Some(1))), own);
    }

    #[test]
    fn what_is_asked_for_counts() {
        assert_eq!(share(Some(8 * G), None, Some(32 * G)), (8 * G, 24 * G));
        assert_eq!(share(Some(80 * G), None, Some(32 * G)), (80 * G, 90 * G));
        assert_eq!(share(None, Some(8 * G), Some(32 * G)), (7 * G, 8 * G));
        assert_eq!(share(Some(9 * G), Some(8 * G), Some(32 * G)), (9 * G, 8 * G));
        assert_eq!(share(Some(u64::MAX), None, Some(G)), (u64::MAX, u64::MAX));
    }
}
