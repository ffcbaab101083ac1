//! Where the addresses of freed allocations wait before they are used again, so that use after free is found.
//!
//! Addresses wait in the order in which they were freed. Small allocations keep their memory meanwhile, so a budget in
//! bytes bounds them. What has pages of its own has given its memory back to the host already and waits for nothing but
//! addresses, of which there are many. Nothing depends on time or on other threads: the same sequence of calls gives the
//! same addresses.

use std::collections::VecDeque;

use crate::arena::Spot;

/// A freed place.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Freed {
    pub(crate) spot: Spot,
    /// The part of the range that it belongs to.
    pub(crate) arena: usize,
    /// What it takes of the budget of the host's memory.
    pub(crate) charge: u64,
}

/// Freed places, oldest first.
#[derive(Debug)]
pub(crate) struct Quarantine {
    small: Queue,
    whole_pages: Queue,
}

#[derive(Debug)]
struct Queue {
    budget: u64,
    places: VecDeque<Freed>,
    bytes: u64,
}

impl Queue {
    fn pop(&mut self) -> Option<Freed> {
        let oldest = self.places.pop_front()?;
        self.bytes -= oldest.spot.bytes;
        Some(oldest)
    }
}

impl Quarantine {
    /// A quarantine in which small places of `bytes` bytes and whole pages of `addresses` bytes may wait.
    pub(crate) fn new(bytes: u64, addresses: u64) -> Self {
        let queue = |budget| Queue { budget, places: VecDeque::new(), bytes: 0 };
        Quarantine { small: queue(bytes), whole_pages: queue(addresses) }
    }

    /// How many bytes of memory wait here.
    pub(crate) fn bytes(&self) -> u64 {
        self.small.bytes
    }

    /// Takes in a freed place.
    pub(crate) fn put(&mut self, freed: Freed) {
        let queue = if freed.spot.whole_pages { &mut self.whole_pages } else { &mut self.small };
        queue.bytes += freed.spot.bytes;
        queue.places.push_back(freed);
    }

    /// Gives a place that need not wait any longer, if there is one.
    pub(crate) fn overdue(&mut self) -> Option<Freed> {
        [&mut self.small, &mut self.whole_pages]
            .into_iter()
            .find(|queue| queue.bytes > queue.budget)
            .and_then(Queue::pop)
    }

    /// Gives the oldest place, for who needs one now.
    pub(crate) fn oldest(&mut self) -> Option<Freed> {
        self.small.pop().or_else(|| self.whole_pages.pop())
    }
}
