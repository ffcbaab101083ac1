//! What a lookup gives.

/// Four values, as bits: integers of 32 bits or floats.
pub type Texel = [u32; 4];
