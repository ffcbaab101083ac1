//! One row of a matrix after the other.

use crate::case::{Case, Contents, Launch};
use crate::check::{Check, LIBRARY, ORDER};
use crate::numbers::{floats, word, words};

const ROWS: usize = 4096;
const COLUMNS: usize = 1024;
const SPARSE: usize = 1 << 16;

/// How many elements a row of the sparse matrix has: a few, and in one of sixteen rows many more.
fn length(row: usize) -> usize {
    let w = word(row as u32) as usize;
    if w.is_multiple_of(16) { 32 + (w >> 8) % 160 } else { (w >> 8) % 20 }
}

/// Where each row of the sparse matrix begins, and the last ends.
fn starts() -> Vec<i32> {
    let mut end = 0;
    std::iter::once(0)
        .chain((0..SPARSE).map(|row| {
            end += length(row) as i32;
            end
        }))
        .collect()
}

pub fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "softmax",
            file: "rows",
            launches: vec![Launch::of("softmax", ROWS / 2, 256).buffers(&[0, 1]).int(COLUMNS)],
            buffers: || {
                let values: Vec<f32> = floats(0, ROWS / 2 * COLUMNS).iter().map(|v| v * 16.0).collect();
                vec![Contents::of(&values), Contents::zeros(2 * ROWS * COLUMNS)]
            },
            results: vec![(1, Check::F32(1e-5, LIBRARY))],
        },
        Case {
            name: "layernorm",
            file: "rows",
            launches: vec![Launch::of("layernorm", ROWS, 256).buffers(&[0, 1, 2, 3]).int(COLUMNS)],
            buffers: || {
                vec![
                    Contents::of(&floats(0, ROWS * COLUMNS)),
                    Contents::zeros(4 * ROWS * COLUMNS),
                    Contents::of(&floats(5, COLUMNS)),
                    Contents::of(&floats(9, COLUMNS)),
                ]
            },
            results: vec![(1, Check::F32(1e-5, ORDER))],
        },
        Case {
            name: "spmv",
            file: "rows",
            launches: vec![Launch::of("spmv", SPARSE / 256, 256).buffers(&[0, 1, 2, 3, 4]).int(SPARSE)],
            buffers: || {
                let starts = starts();
                let count = starts[SPARSE] as usize;
                let columns: Vec<i32> = words(3, count).iter().map(|w| (w % SPARSE as u32) as i32).collect();
                vec![
                    Contents::of(&starts),
                    Contents::of(&columns),
                    Contents::of(&floats(7, count)),
                    Contents::of(&floats(11, SPARSE)),
                    Contents::zeros(4 * SPARSE),
                ]
            },
            results: vec![(4, Check::F32(1e-5, ORDER))],
        },
    ]
}
