//! The state that the steps of an exact product keep for each column.

/// A row's elements of a panel, while they are computed.
#[repr(align(64))]
pub(in crate::matrix) struct Block<const W: usize> {
    /// C, then each step's D.
    pub c: [u32; W],
    /// The exponents of the step.
    pub exponents: [i16; W],
    /// Two to the power that makes the last bit that is kept a one.
    pub scales: [f32; W],
    /// C in units of that bit, not cut off yet.
    pub addends: [f32; W],
    /// The sums in units of that bit.
    pub sums: [i32; W],
    /// Not zero where `dot` must do it.
    pub odd: [u32; W],
}

impl<const W: usize> Default for Block<W> {
    fn default() -> Self {
        Self { c: [0; W], exponents: [0; W], scales: [0.0; W], addends: [0.0; W], sums: [0; W], odd: [0; W] }
    }
}

/// [`Rounded`](super::super::scheme::Rounded) as a constant of the loops.
pub(in crate::matrix) const F32: u8 = 0;
pub(in crate::matrix) const E8M13: u8 = 1;
pub(in crate::matrix) const F16: u8 = 2;
