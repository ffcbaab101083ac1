//! One texture or surface under a kernel that takes it for every geometry.

use super::{Table, Verdict, same};
use crate::launches::Run;

pub const TABLE: Table = &[("nvrtc/tex surf 2d", incremented), ("nvrtc/tex tex2d 2d", summed)];

/// A row of the plane becomes larger by one. The reads and writes as of one and three dimensions find nothing.
fn incremented(run: &Run) -> Verdict {
    let mut plane = run.before::<f32>(0);
    for texel in &mut plane[..32] {
        *texel += 1.0;
    }
    same("the plane", &run.after::<f32>(0), &plane)?;
    same("what one dimension gave", &run.after::<f32>(1), &[0f32; 32])
}

/// A plane answers as itself four times: as a plane, as its finest level, as a layer and with gradients; and once by two
/// of the four texels around a corner. As a row, a volume and a cube it gives nothing.
fn summed(run: &Run) -> Verdict {
    let (plane, width) = (run.before::<f32>(0), run.number(2) as usize);
    let sum = |n: usize| {
        let (texel, left) = (plane[n], plane[n - usize::from(!n.is_multiple_of(width))]);
        let sum = texel + texel + texel + texel;
        // What all threads add to, which is not looked at.
        if n == 0 { 0.0 } else { sum + (left + texel) }
    };
    let sums: Vec<f32> = (0..run.after::<f32>(1).len()).map(sum).collect();
    same("the sums", &run.after::<f32>(1), &sums)
}
