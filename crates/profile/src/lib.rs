//! Device profiles: the numbers of real GPUs, which kernels see and launches are held to, and how many CTAs and
//! clusters a device holds at once by them.

pub mod device;
pub mod occupancy;

pub use device::Profile;
pub use occupancy::Demand;
