//! What a launch did, counted: instructions by class, lanes, memory traffic, time.

use std::time::Duration;

pub use ptxvm_ir::operation::Class;

/// The count of one launch.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Instructions that warps executed, by class.
    pub warp_instructions: [u64; Class::ALL.len()],
    /// The same, each counted once for every lane that was active (guards aside).
    pub lane_instructions: [u64; Class::ALL.len()],
    /// Bytes that loads read: global, shared, local, other.
    pub bytes_read: [u64; 4],
    /// Bytes that stores and atomics wrote.
    pub bytes_written: [u64; 4],
    /// Multiply-adds of matrix instructions.
    pub products: u64,
    /// How often ptxas would have waited for `wgmma` because its registers were used before `wgmma.wait_group`.
    pub injected_waits: u64,
    /// The arithmetic of matrix instructions, as on the command line.
    pub mma: &'static str,
    /// CTAs that ran.
    pub ctas: u64,
    /// Wall-clock time.
    pub time: Duration,
}

impl Statistics {
    /// Adds what another worker counted.
    pub fn add(&mut self, other: &Self) {
        let sum = |to: &mut [u64], from: &[u64]| to.iter_mut().zip(from).for_each(|(a, b)| *a += b);
        sum(&mut self.warp_instructions, &other.warp_instructions);
        sum(&mut self.lane_instructions, &other.lane_instructions);
        sum(&mut self.bytes_read, &other.bytes_read);
        sum(&mut self.bytes_written, &other.bytes_written);
        self.products += other.products;
        self.injected_waits += other.injected_waits;
        self.ctas += other.ctas;
    }

    /// All warp instructions.
    #[must_use]
    pub fn instructions(&self) -> u64 {
        self.warp_instructions.iter().sum()
    }

    /// All lane instructions.
    #[must_use]
    pub fn lanes(&self) -> u64 {
        self.lane_instructions.iter().sum()
    }
}
