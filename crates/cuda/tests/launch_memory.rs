//! Many launches do not make the process grow. A test of its own, because it looks at the whole process.

mod client;

use client::{Context, answer, call, launch};

/// The memory that the process has now, in bytes.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").expect("Linux tells");
    let pages: usize = text.split(' ').nth(1).and_then(|word| word.parse().ok()).expect("a number");
    pages * 4096
}

#[test]
#[cfg_attr(sanitized, ignore = "a sanitizer's notes grow with every launch")]
fn ten_thousand_launches_take_no_memory() {
    let context = Context::new();
    let module = context.module(include_str!("kernels.ptx"));
    let (append, at) = (module.kernel("slow_write"), context.memory(4));
    let stream = context.stream(1);
    let event = context.event(0);
    let round = |launches: u64| {
        for n in 0..launches {
            assert_eq!(launch(append, [1; 3], [32, 1, 1], stream, &[at, 1, n]), 0);
            if n % 16 == 0 {
                call("cuEventRecord", (event, stream));
                call("cuStreamWaitEvent", (stream, event, 0u32));
                // Launches of the default stream wait for another, and streams come and go.
                assert_eq!(launch(append, [1; 3], [1; 3], 0, &[at, 1, n]), 0);
                let brief = context.stream(0);
                assert_eq!(launch(append, [1; 3], [1; 3], brief, &[at, 1, n]), 0);
                call("cuStreamDestroy_v2", (brief,));
            }
        }
        call("cuStreamSynchronize", (stream,));
        call("cuCtxSynchronize", ());
    };
    round(10_000);
    let before = resident();
    round(10_000);
    let grown = resident().saturating_sub(before);
    assert!(grown < 4 << 20, "10,000 launches took {grown} bytes");
    assert_eq!(answer("cuStreamQuery", (stream,)), 0);
}
