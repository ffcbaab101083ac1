//! The four values that a lookup returns.

/// Four values, as bits: integers of 32 bits or floats.
pub type Texel = [u32; 4];
