//! The mbarrier object as a value: a phase, the arrivals that it expects and still lacks, and a count of bytes.
//!
//! What it does was measured on an H200, and so were its bits. They are seen in memory only after `mbarrier.inval`:
//! while an object lives, the unit that owns it keeps it, and loads show what the memory held before.

/// The most arrivals that a phase can expect, and the most bytes that it can wait for.
pub const MOST: u32 = (1 << 20) - 1;
/// The most arrivals that a phase of an object of layout v1 can expect, which keeps reports beside them.
pub const MOST_WITH_REPORTS: u32 = (1 << 9) - 1;

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
    /// It would expect more arrivals than it can count, or none.
    Count(u32),
    /// More arrivals than it lacks.
    TooManyArrivals {
        /// How many there would have been.
        count: u32,
        /// How many it lacks.
        pending: u32,
    },
    /// More bytes than one operation can name.
    TxOperand(u32),
    /// The count of bytes leaves its range.
    TxCount(i64),
    /// An arrival of a copy to come leaves the pending count's range.
    TooManyPending,
    /// An arrival that must not end the phase would.
    Completes,
}

impl Object {
    /// A fresh object that expects so many arrivals in each phase.
    pub fn new(count: u32) -> Result<Self, Refusal> {
        if count == 0 || count > MOST {
            return Err(Refusal::Count(count));
        }
        Ok(Self { phase: false, expected: count, pending: count, tx: 0 })
    }

    /// The expect-tx operation: the current phase waits for so many bytes more.
    pub fn expect_tx(&mut self, bytes: u32) -> Result<(), Refusal> {
        self.add_tx(bytes, i64::from(bytes))
    }

    /// The complete-tx operation: so many bytes have come.
    pub fn complete_tx(&mut self, bytes: u32) -> Result<(), Refusal> {
        self.add_tx(bytes, -i64::from(bytes))
    }

    fn add_tx(&mut self, operand: u32, bytes: i64) -> Result<(), Refusal> {
        if operand > MOST {
            return Err(Refusal::TxOperand(operand));
        }
        let tx = i64::from(self.tx) + bytes;
        if tx.unsigned_abs() > u64::from(MOST) {
            return Err(Refusal::TxCount(tx));
        }
        self.tx = tx as i32;
        Ok(())
    }

    /// The arrive-on operation: so many arrivals.
    pub fn arrive(&mut self, count: u32) -> Result<(), Refusal> {
        match self.pending.checked_sub(count) {
            Some(pending) => self.pending = pending,
            None => return Err(Refusal::TooManyArrivals { count, pending: self.pending }),
        }
        Ok(())
    }

    /// The next phases expect so many arrivals fewer. None may be left: all threads have dropped out then.
    pub fn drop_out(&mut self, count: u32) {
        self.expected = self.expected.saturating_sub(count);
    }

    /// The current phase lacks one arrival more.
    pub fn await_one_more(&mut self) -> Result<(), Refusal> {
        if self.pending >= MOST {
            return Err(Refusal::TooManyPending);
        }
        self.pending += 1;
        Ok(())
    }

    /// Whether the current phase lacks nothing.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.pending == 0 && self.tx == 0
    }

    /// Begins the next phase if the current one is complete. Gives whether it did.
    pub fn advance(&mut self) -> bool {
        let complete = self.is_complete();
        if complete {
            self.phase = !self.phase;
            self.pending = self.expected;
        }
        complete
    }

    /// The 64 bits of an H200: the phase in bit 63, and below it the negated counts of pending arrivals (bits 43 to
    /// 62), bytes (21 to 41) and expected arrivals (1 to 20).
    #[must_use]
    pub fn bits(&self) -> u64 {
        let negated = |count: i64, bits: u32| (-count) as u64 & ((1 << bits) - 1);
        u64::from(self.phase) << 63
            | negated(self.pending.into(), 20) << 43
            | negated(self.tx.into(), 21) << 21
            | negated(self.expected.into(), 20) << 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What an H200 gave for a sequence of operations: the bits that `mbarrier.inval` left in memory.
    #[test]
    fn bits_are_those_that_inval_leaves_in_memory() {
        let five = Object::new(5).expect("a count");
        assert_eq!(five.bits(), 0x7fff_d800_001f_fff6);
        let mut object = five;
        object.arrive(1).expect("an arrival");
        object.expect_tx(7).expect("bytes");
        assert_eq!(object.bits(), 0x7fff_e3ff_ff3f_fff6);
        let mut one = Object::new(1).expect("a count");
        assert_eq!(one.bits(), 0x7fff_f800_001f_fffe);
        one.arrive(1).expect("an arrival");
        assert!(one.advance());
        assert_eq!(one.bits(), 0xffff_f800_001f_fffe);
    }

    #[test]
    fn bytes_before_they_are_expected_hold_the_phase() {
        let mut object = Object::new(1).expect("a count");
        object.complete_tx(16).expect("bytes");
        object.arrive(1).expect("an arrival");
        assert!(!object.advance());
        object.expect_tx(16).expect("bytes");
        assert!(object.advance());
    }

    #[test]
    fn counts_keep_their_ranges() {
        assert_eq!(Object::new(0), Err(Refusal::Count(0)));
        assert_eq!(Object::new(1 << 20), Err(Refusal::Count(1 << 20)));
        let mut object = Object::new(MOST).expect("the most");
        assert_eq!(object.await_one_more(), Err(Refusal::TooManyPending));
        object.expect_tx(MOST).expect("the most");
        assert_eq!(object.expect_tx(1), Err(Refusal::TxCount(1 << 20)));
        object.complete_tx(MOST).expect("all of them");
        object.complete_tx(MOST).expect("as many before they are expected");
        assert_eq!(object.complete_tx(1), Err(Refusal::TxCount(-(1 << 20))));
        assert_eq!(object.expect_tx(1 << 20), Err(Refusal::TxOperand(1 << 20)));
        assert_eq!(object.arrive(1 << 20), Err(Refusal::TooManyArrivals { count: 1 << 20, pending: MOST }));
    }
}
