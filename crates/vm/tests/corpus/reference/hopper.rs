//! Asynchronous copies, clusters and what belongs to them.

use super::{Table, Verdict, same};
use crate::launches::Run;

pub const TABLE: Table = &[
    ("nvrtc/cpasync cpasync_mbar", backwards),
    ("nvrtc/cpasync cpasync_pipe", tiles),
    ("nvrtc/hopper bulk1d", twice_the_bits),
    ("nvrtc/hopper cluster_dsmem", cluster),
    ("nvrtc/hopper tma_load2d", twice),
    ("nvrtc/tcgen05 clc", canceled),
];

fn backwards(run: &Run) -> Verdict {
    let x: Vec<f32> = run.before::<f32>(0).into_iter().rev().collect();
    same("the copy", &run.after::<f32>(1), &x)
}

/// Each of 128 threads adds up what another has copied of each tile, four numbers at a time.
fn tiles(run: &Run) -> Verdict {
    let (x, tiles) = (run.before::<f32>(0), run.number(2) as usize);
    let sum = |n: usize| {
        let (cta, thread, number) = (n / 512, n / 4 % 128, n % 4);
        let element = |tile: usize| x[((cta * tiles + tile) * 128 + 127 - thread) * 4 + number];
        (0..tiles).fold(0f32, |sum, tile| sum + element(tile))
    };
    same("the sum", &run.after::<f32>(1), &(0..1024).map(sum).collect::<Vec<f32>>())
}

/// The array is copied to the result and then added to it, as integers.
fn twice_the_bits(run: &Run) -> Verdict {
    let twice: Vec<u32> = run.before::<u32>(0).iter().map(|x| x.wrapping_mul(2)).collect();
    same("the sum", &run.after::<u32>(1), &twice)
}

/// Each thread adds up the numbers of its four counterparts in the cluster.
fn cluster(run: &Run) -> Verdict {
    let x = run.before::<u32>(0);
    let sum =
        |n: usize| (0..4).fold(0u32, |sum, cta| sum.wrapping_add(x[n / 512 * 512 + 128 * cta + n % 128]));
    same("the sum", &run.after::<u32>(1), &(0..x.len()).map(sum).collect::<Vec<u32>>())
}

fn twice(run: &Run) -> Verdict {
    let x: Vec<f32> = run.before::<f32>(0).iter().take(128).map(|x| 2.0 * x).collect();
    same("the doubled row", &run.after::<f32>(1), &x)
}

/// The first CTA takes the place of the second, which is at 1.
fn canceled(run: &Run) -> Verdict {
    same("the answer", &run.after::<u32>(0), &[2; 32])
}
