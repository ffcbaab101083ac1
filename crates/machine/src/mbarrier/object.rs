//! The mbarrier object as a value: a phase, the arrivals that it expects and still lacks, and a count of bytes.

/// The most arrivals that a phase can expect, and the most bytes that it can wait for.
pub const MOST: u32 = (1 << 20) - 1;

/// What an mbarrier object holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Object {
    /// The parity of the current phase: that of the number of phases that are complete.
    pub phase: bool,
    /// How many arrivals the next phase will expect.
    pub expected: u32,
    /// How many arrivals the current phase still lacks.
    pub pending: u32,
    /// How many bytes the current phase still waits for; below zero when they came before they were expected.
    pub tx: i32,
}

/// Why an object cannot do what it is asked to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// More arrivals than it lacks.
    TooManyArrivals {
        /// How many there would have been.
        count: u32,
        /// How many it lacks.
        pending: u32,
    },
    /// The count of bytes leaves its range.
    TxCount(i64),
}

impl Object {
    /// A fresh object that expects so many arrivals in each phase.
    #[must_use]
    pub fn new(count: u32) -> Self {
        Self { phase: false, expected: count, pending: count, tx: 0 }
    }

    /// The current phase waits for so many bytes more, or fewer.
    pub fn add_tx(&mut self, bytes: i64) -> Result<(), Refusal> {
        let tx = i64::from(self.tx) + bytes;
        if tx.unsigned_abs() > u64::from(MOST) {
            return Err(Refusal::TxCount(tx));
        }
        self.tx = tx as i32;
        Ok(())
    }

    /// So many arrivals.
    pub fn arrive(&mut self, count: u32) -> Result<(), Refusal> {
        match self.pending.checked_sub(count) {
            Some(pending) => self.pending = pending,
            None => return Err(Refusal::TooManyArrivals { count, pending: self.pending }),
        }
        Ok(())
    }

    /// Begins the next phase if the current one is complete. Gives whether it did.
    pub fn advance(&mut self) -> bool {
        let complete = self.pending == 0 && self.tx == 0;
        if complete {
            self.phase = !self.phase;
            self.pending = self.expected;
        }
        complete
    }
}
