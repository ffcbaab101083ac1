//! What the threads of a CTA do together in shared memory.

use crate::case::{Case, Contents, Launch};
use crate::check::{Check, FUSED};
use crate::numbers::{floats, words};

const SCANNED: usize = 1 << 22;
const SORTED: usize = 1 << 20;
const TRANSFORMS: usize = 1024;
const COUNTED: usize = 1 << 22;

pub fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "scan",
            file: "block",
            launches: vec![Launch::of("scan", SCANNED / 256, 256).buffers(&[0, 1])],
            buffers: || vec![Contents::of(&words(0, SCANNED)), Contents::zeros(4 * SCANNED)],
            results: vec![(1, Check::Exact)],
        },
        Case {
            name: "bitonic",
            file: "block",
            launches: vec![Launch::of("bitonic", SORTED / 1024, 512).buffers(&[0])],
            buffers: || vec![Contents::of(&words(0, SORTED)).restored()],
            results: vec![(0, Check::Exact)],
        },
        Case {
            name: "fft",
            file: "block",
            launches: vec![Launch::of("fft", TRANSFORMS, 512).buffers(&[0, 1, 2])],
            buffers: || {
                let root = |i: usize| {
                    let angle = -std::f64::consts::TAU * (i / 2) as f64 / 1024.0;
                    (if i.is_multiple_of(2) { angle.cos() } else { angle.sin() }) as f32
                };
                vec![
                    Contents::of(&floats(0, 2048 * TRANSFORMS)),
                    Contents::zeros(8192 * TRANSFORMS),
                    Contents::of(&(0..1024).map(root).collect::<Vec<f32>>()),
                ]
            },
            results: vec![(1, Check::F32(1e-5, FUSED))],
        },
        Case {
            name: "histogram",
            file: "block",
            launches: vec![Launch::of("histogram", COUNTED / 16384, 256).buffers(&[0, 1])],
            buffers: || vec![Contents::of(&words(0, COUNTED / 4)), Contents::zeros(1024).restored()],
            results: vec![(1, Check::Exact)],
        },
    ]
}
