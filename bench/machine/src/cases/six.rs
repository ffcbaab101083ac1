//! The six kernels that the bench began with, in their old sizes.

use crate::case::{Case, Contents, Launch};
use crate::check::{Check, FUSED, ORDER};
use crate::numbers::{centred, floats};

const VECTOR: usize = 1 << 24;
const MATRIX: usize = 512;
const BODIES: usize = 4096;
const PICTURE: usize = 1024;
const TILE: (u32, u32) = (16, 16);

pub fn cases() -> Vec<Case> {
    let product = |name| Case {
        name,
        file: "six",
        launches: vec![Launch::grid(name, (MATRIX / 16, MATRIX / 16), TILE).buffers(&[0, 1, 2]).int(MATRIX)],
        buffers: || {
            let count = MATRIX * MATRIX;
            vec![
                Contents::of(&floats(0, count)),
                Contents::of(&floats(77, count)),
                Contents::zeros(4 * count),
            ]
        },
        results: vec![(2, Check::F32(1e-5, ORDER))],
    };
    vec![
        Case {
            name: "vadd",
            file: "six",
            launches: vec![Launch::of("vadd", VECTOR / 256, 256).buffers(&[0, 1, 2]).int(VECTOR)],
            buffers: || {
                vec![
                    Contents::of(&floats(0, VECTOR)),
                    Contents::of(&floats(77, VECTOR)),
                    Contents::zeros(4 * VECTOR),
                ]
            },
            results: vec![(2, Check::Exact)],
        },
        product("sgemm_naive"),
        product("sgemm_tiled"),
        Case {
            name: "reduce",
            file: "six",
            launches: vec![Launch::of("reduce", VECTOR / 256, 256).buffers(&[0, 1]).int(VECTOR)],
            buffers: || vec![Contents::of(&floats(0, VECTOR)), Contents::zeros(VECTOR / 64)],
            results: vec![(1, Check::Exact)],
        },
        Case {
            name: "nbody",
            file: "six",
            launches: vec![Launch::of("nbody", BODIES / 256, 256).buffers(&[0, 1]).int(BODIES).float(0.01)],
            buffers: || {
                let mass = |i: usize| if i % 4 == 3 { 1.0 } else { 0.0 };
                let bodies: Vec<f32> = (0..4 * BODIES).map(|i| centred(i as u32) + mass(i)).collect();
                vec![Contents::of(&bodies), Contents::zeros(16 * BODIES).restored()]
            },
            results: vec![(1, Check::F32(1e-4, ORDER))],
        },
        Case {
            name: "mandel",
            file: "six",
            launches: vec![
                Launch::grid("mandel", (PICTURE / 16, PICTURE / 16), TILE)
                    .buffers(&[0])
                    .int(PICTURE)
                    .int(256),
            ],
            buffers: || vec![Contents::zeros(4 * PICTURE * PICTURE)],
            // The border is chaotic: one rounding makes another count.
            results: vec![(0, Check::Most(0.02, FUSED))],
        },
    ]
}
