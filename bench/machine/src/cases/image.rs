//! Arrays of two dimensions.

use crate::case::{Case, Contents, Launch};
use crate::check::{Check, FUSED};
use crate::numbers::floats;

const SIDE: usize = 2048;

pub fn cases() -> Vec<Case> {
    let buffers = || vec![Contents::of(&floats(0, SIDE * SIDE)), Contents::zeros(4 * SIDE * SIDE)];
    vec![
        Case {
            name: "stencil",
            file: "image",
            launches: vec![
                Launch::grid("stencil", (SIDE / 32, SIDE / 8), (32, 8)).buffers(&[0, 1]).int(SIDE).int(SIDE),
            ],
            buffers,
            results: vec![(1, Check::F32(1e-6, FUSED))],
        },
        Case {
            name: "transpose",
            file: "image",
            launches: vec![
                Launch::grid("transpose", (SIDE / 32, SIDE / 32), (32, 8)).buffers(&[0, 1]).int(SIDE),
            ],
            buffers,
            results: vec![(1, Check::Exact)],
        },
    ]
}
