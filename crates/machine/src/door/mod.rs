//! The door to memory: what a guest's instruction names becomes bytes of the host here, after a check, or a finding.

pub mod address;
pub(crate) mod on_silicon;
pub mod opaque;
pub(crate) mod shared_address;
pub(crate) mod wants;
