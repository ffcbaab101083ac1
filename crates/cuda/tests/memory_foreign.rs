//! Memory of another context. Alone in its process: where another test's context had its memory before, there is some.
#![allow(unsafe_code)]

mod client;

use client::{Context, answer, call};

/// The memory of another context can be copied from where it has something, and is nobody's where it has not.
#[test]
fn copies_from_another_context_reach_what_is_there() {
    let first = Context::new();
    let there = first.memory(4096);
    call("cuMemsetD32_v2", (there, 7u32, 1024usize));
    let _second = Context::new();
    let mut word = 0u32;
    let to = (&raw mut word) as u64;
    for (offset, expected) in [(0, 0), (4092, 0), (1 << 30, 1), (1 << 38, 1)] {
        word = 0;
        assert_eq!(answer("cuMemcpy", (to, there + offset, 4usize)), expected, "at {offset:#x}");
        assert_eq!(word, if expected == 0 { 7 } else { 0 });
        assert_eq!(answer("cuMemcpy", (there + offset, to, 4usize)), expected, "to {offset:#x}");
    }
}
