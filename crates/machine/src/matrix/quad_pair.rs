//! Which lane holds which element in Volta's `mma.m8n8k4`: four products at once, each of eight lanes.
//!
//! Lanes `4q` to `4q + 3` and `4q + 16` to `4q + 19` are the quad pair `q`, which has matrices of its own.

/// The quad pairs of a warp.
pub const PAIRS: usize = 4;

/// The quad pair of a lane.
#[must_use]
pub const fn of_lane(lane: usize) -> usize {
    lane / 4 % PAIRS
}

/// Row and column of an element of A, the `index`-th of a lane.
#[must_use]
pub const fn of_a(lane: usize, index: usize, column_major: bool) -> (usize, usize) {
    let half = 4 * (lane / 16);
    if column_major { (index + half, lane % 4) } else { (lane % 4 + half, index) }
}

/// Row (k) and column of an element of B, the `index`-th of a lane.
#[must_use]
pub const fn of_b(lane: usize, index: usize, column_major: bool) -> (usize, usize) {
    let half = 4 * (lane / 16);
    if column_major { (index, lane % 4 + half) } else { (lane % 4, index + half) }
}

/// Row and column of an f16 element of C or D, the `index`-th of a lane.
#[must_use]
pub const fn of_half(lane: usize, index: usize) -> (usize, usize) {
    (lane % 4 + 4 * (lane / 16), index)
}

/// Row and column of an f32 element of C or D, the `index`-th of a lane.
#[must_use]
pub const fn of_single(lane: usize, index: usize) -> (usize, usize) {
    ((lane & 1) + (index & 2) + 4 * (lane / 16), (index & 4) + (lane & 2) + (index & 1))
}
