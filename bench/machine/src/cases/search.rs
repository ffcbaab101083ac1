//! Tables, trees, graphs and text: lanes that go their own ways.

use crate::case::{Case, Contents, Launch};
use crate::check::Check;
use crate::numbers::{word, words};

const KEYS: usize = 1 << 18;
const PLACES: usize = 1 << 19;
const SORTED: usize = 1 << 20;
const QUERIES: usize = 1 << 18;
const NODES: usize = 1 << 17;
const LEVELS: usize = 10;
const TEXT: usize = 1 << 20;
const PATTERNS: usize = 8;

/// Keys below half of what the table holds, so that some come again.
fn keys(first: usize) -> Contents {
    let keys: Vec<u32> = words(first, KEYS).iter().map(|w| w % KEYS as u32 * 3).collect();
    Contents::of(&keys)
}

/// A graph in compressed rows: where the edges of each node begin, and where they lead. A few nodes have many.
fn graph() -> (Vec<i32>, Vec<i32>) {
    let (mut starts, mut edges) = (vec![0], Vec::new());
    for node in 0..NODES as u32 {
        let w = word(node);
        let count = if w.is_multiple_of(64) { 40 + (w >> 8) % 80 } else { (w >> 8) % 12 };
        edges
            .extend((0..count).map(|k| (word(node.wrapping_mul(131).wrapping_add(k)) % NODES as u32) as i32));
        starts.push(edges.len() as i32);
    }
    (starts, edges)
}

/// One level of the search; two buffers take turns to hold its nodes.
fn level(depth: usize) -> Launch {
    let (now, next) = if depth % 2 == 1 { (3, 4) } else { (4, 3) };
    Launch::of("bfs", NODES / 256, 256).buffers(&[0, 1, 2, now, next]).int(depth).int(NODES)
}

pub fn cases() -> Vec<Case> {
    vec![
        Case {
            name: "hash",
            file: "search",
            launches: vec![
                Launch::of("hash_insert", KEYS / 256, 256).buffers(&[0, 2, 3]).int(PLACES - 1),
                Launch::of("hash_lookup", KEYS / 256, 256).buffers(&[1, 2, 3, 4]).int(PLACES - 1),
            ],
            buffers: || {
                vec![
                    keys(0),
                    keys(12345),
                    Contents::of(&vec![u32::MAX; PLACES]).restored(),
                    Contents::zeros(4 * PLACES).restored(),
                    Contents::zeros(4 * KEYS),
                ]
            },
            results: vec![(4, Check::Exact)],
        },
        Case {
            name: "bsearch",
            file: "search",
            launches: vec![Launch::of("bsearch", QUERIES / 256, 256).buffers(&[0, 1, 2]).int(SORTED)],
            buffers: || {
                // All differ, so that a place is the only one; an odd query is none of them.
                let sorted: Vec<u32> = (0..SORTED as u32).map(|i| i * 64 + word(i) % 32 * 2).collect();
                let queries: Vec<u32> = words(1, QUERIES).iter().map(|w| w % (SORTED as u32 * 64)).collect();
                vec![Contents::of(&sorted), Contents::of(&queries), Contents::zeros(4 * QUERIES)]
            },
            results: vec![(2, Check::Exact)],
        },
        Case {
            name: "bfs",
            file: "search",
            launches: (1..=LEVELS).map(level).collect(),
            buffers: || {
                let (starts, edges) = graph();
                let (mut levels, mut now) = (vec![-1; NODES], vec![0; NODES]);
                (levels[1], now[1]) = (0, 1);
                vec![
                    Contents::of(&starts),
                    Contents::of(&edges),
                    Contents::of(&levels).restored(),
                    Contents::of(&now).restored(),
                    Contents::zeros(4 * NODES).restored(),
                ]
            },
            results: vec![(2, Check::Exact)],
        },
        Case {
            name: "match",
            file: "search",
            launches: vec![Launch::of("match", TEXT / 256, 256).buffers(&[0, 1, 2]).int(PATTERNS).int(TEXT)],
            buffers: || {
                // Four letters, so that patterns begin to match often; each pattern is taken from the text.
                let letter = |i: usize| b"acgt"[(word(i as u32) >> 7 & 3) as usize];
                let text: Vec<u8> = (0..TEXT + 12).map(letter).collect();
                let at = |p: usize| word(p as u32) as usize % TEXT;
                let patterns: Vec<u8> =
                    (0..PATTERNS).flat_map(|p| text[at(p)..at(p) + 12].to_vec()).collect();
                vec![Contents::of(&text), Contents::of(&patterns), Contents::zeros(4 * PATTERNS).restored()]
            },
            results: vec![(2, Check::Exact)],
        },
    ]
}
