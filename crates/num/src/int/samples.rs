//! Numbers for tests: those around the limits of bytes, halves and words, and some random ones.

/// Miri takes each twelfth number: it looks for undefined behaviour, not for values, and runs some thousand times slower.
pub const STEP: usize = if cfg!(miri) { 12 } else { 1 };

/// The same numbers every time.
pub fn samples() -> Vec<u64> {
    let mut samples = vec![0, 1, 2, 3, 5, 0x5555_5555_5555_5555, 0xaaaa_aaaa_aaaa_aaaa];
    for bits in [7, 8, 15, 16, 23, 24, 31, 32, 33, 63] {
        let power = 1u64 << bits;
        samples.extend([power - 1, power, power + 1, power.wrapping_neg(), power.wrapping_neg() - 1]);
    }
    samples.extend([u64::MAX, u64::MAX - 1]);
    let mut state = 0x9e37_79b9_7f4a_7c15u64;
    for shift in 0..24 {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        samples.push(state >> shift);
    }
    samples.into_iter().step_by(STEP).collect()
}

/// Likewise, as words.
pub fn words() -> Vec<u32> {
    samples().into_iter().map(|sample| sample as u32).collect()
}
