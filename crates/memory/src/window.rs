//! The windows of the generic address space: where shared and local memory appear among global addresses.
//!
//! A generic address is a global address unless it falls in a window. Addresses of the shared and local spaces
//! themselves are small offsets, and `cvta` adds or takes off a window's base. Global addresses are host
//! addresses, so the bases must be numbers that no host address can be: user space ends below 2^47 on x86-64
//! (below 2^56 with five-level paging) and below 2^52 on AArch64, so bits 60 and 61 are never set in one. They
//! stay below 2^63 so that signed address arithmetic in the guest does not overflow. On x86-64 such addresses are
//! not even canonical: should one ever reach the host's memory unit, it traps and touches nothing.

/// The generic address of offset 0 of shared memory.
pub const SHARED_BASE: u64 = 1 << 60;

/// How many generic addresses belong to shared memory: the window of a CTA takes the low 24 bits, and the rank of
/// a CTA in its cluster has room above them.
pub const SHARED_SIZE: u64 = 1 << 32;

/// The generic address of offset 0 of local memory. Each thread sees its own memory there.
pub const LOCAL_BASE: u64 = 1 << 61;

/// How many generic addresses belong to local memory.
pub const LOCAL_SIZE: u64 = 1 << 32;

/// The memory that a generic address means. Constant variables and parameters are global allocations here.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Window {
    /// An offset from [`SHARED_BASE`].
    Shared,
    /// An offset from [`LOCAL_BASE`].
    Local,
    /// A host address, or nothing at all.
    Global,
}

/// Tells which memory a generic address means.
#[inline(always)]
#[must_use]
pub fn window_of(generic: u64) -> Window {
    if generic.wrapping_sub(SHARED_BASE) < SHARED_SIZE {
        Window::Shared
    } else if generic.wrapping_sub(LOCAL_BASE) < LOCAL_SIZE {
        Window::Local
    } else {
        Window::Global
    }
}
