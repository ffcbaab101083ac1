//! f64, integers and calls.

use crate::case::{Case, Contents, Launch};
use crate::check::{Check, FUSED, LIBRARY, ORDER};
use crate::numbers::{between, words};

const OPTIONS: usize = 1 << 18;
const BODIES: usize = 2048;
const STARTS: usize = 1 << 16;
const MESSAGES: usize = 1 << 16;
const CUBICS: usize = 1 << 17;

/// Numbers from `low` to `high`.
fn doubles(first: usize, count: usize, low: f64, high: f64) -> Vec<f64> {
    (first..first + count).map(|i| between(i as u32, low, high)).collect()
}

/// The same, rounded.
fn singles(first: usize, count: usize, low: f64, high: f64) -> Vec<f32> {
    doubles(first, count, low, high).into_iter().map(|v| v as f32).collect()
}

pub fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "options64",
            file: "arithmetic",
            launches: vec![
                Launch::of("options64", OPTIONS / 256, 256)
                    .buffers(&[0, 1, 2, 3, 4])
                    .double(0.02)
                    .double(0.3),
            ],
            buffers: || {
                vec![
                    Contents::of(&doubles(0, OPTIONS, 5.0, 30.0)),
                    Contents::of(&doubles(1, OPTIONS, 1.0, 100.0)),
                    Contents::of(&doubles(2, OPTIONS, 0.25, 10.0)),
                    Contents::zeros(8 * OPTIONS),
                    Contents::zeros(8 * OPTIONS),
                ]
            },
            results: vec![(3, Check::F64(1e-13, LIBRARY)), (4, Check::F64(1e-13, LIBRARY))],
        },
        Case {
            name: "nbody64",
            file: "arithmetic",
            launches: vec![Launch::of("nbody64", BODIES / 256, 256).buffers(&[0, 1]).int(BODIES)],
            buffers: || {
                let mass = |i: usize| if i % 4 == 3 { 1.0 } else { 0.0 };
                let bodies: Vec<f64> =
                    (0..4 * BODIES).map(|i| between(i as u32, -0.5, 0.5) + mass(i)).collect();
                vec![Contents::of(&bodies), Contents::zeros(32 * BODIES)]
            },
            results: vec![(1, Check::F64(1e-12, ORDER))],
        },
        Case {
            name: "collatz",
            file: "arithmetic",
            launches: vec![Launch::of("collatz", STARTS / 256, 256).buffers(&[0]).int(0x1234_5679)],
            buffers: || vec![Contents::zeros(4 * STARTS)],
            results: vec![(0, Check::Exact)],
        },
        Case {
            name: "sha256",
            file: "arithmetic",
            launches: vec![Launch::of("sha256", MESSAGES / 256, 256).buffers(&[0, 1]).int(MESSAGES)],
            buffers: || vec![Contents::of(&words(0, 16 * MESSAGES)), Contents::zeros(32 * MESSAGES)],
            results: vec![(1, Check::Exact)],
        },
        Case {
            name: "calls",
            file: "arithmetic",
            launches: vec![Launch::of("calls", CUBICS / 256, 256).buffers(&[0, 1, 2])],
            buffers: || {
                vec![
                    Contents::of(&singles(0, CUBICS, 0.5, 3.0)),
                    Contents::of(&singles(1, CUBICS, 0.0, 2.0)),
                    Contents::zeros(4 * CUBICS),
                ]
            },
            results: vec![(2, Check::F32(1e-5, FUSED))],
        },
    ]
}
