//! Numbers that look random and are the same in every run: functions of an index, so that nothing has a state.

/// A number of 32 bits.
pub fn word(i: u32) -> u32 {
    let mut i = i.wrapping_mul(2_654_435_761).wrapping_add(12345);
    i ^= i >> 15;
    i = i.wrapping_mul(2_246_822_519);
    i ^ (i >> 13)
}

/// A number from -0.5 to 0.5.
pub fn centred(i: u32) -> f32 {
    (word(i) & 0xffff) as f32 / 65536.0 - 0.5
}

/// A number from `low` to `high`.
pub fn between(i: u32, low: f64, high: f64) -> f64 {
    low + (high - low) * f64::from(word(i)) / 4_294_967_296.0
}

/// Numbers from -0.5 to 0.5, of the indices from `first`.
pub fn floats(first: usize, count: usize) -> Vec<f32> {
    (first..first + count).map(|i| centred(i as u32)).collect()
}

/// Numbers of 32 bits, of the indices from `first`.
pub fn words(first: usize, count: usize) -> Vec<u32> {
    (first..first + count).map(|i| word(i as u32)).collect()
}
