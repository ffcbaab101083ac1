//! Memory that comes and goes does not make the process grow. A test of its own, because it looks at the whole process.

mod client;

use client::{Context, answer, call};

/// The memory that the process has now, in bytes.
fn resident() -> usize {
    let text = std::fs::read_to_string("/proc/self/statm").expect("Linux tells");
    let pages: usize = text.split(' ').nth(1).and_then(|word| word.parse().ok()).expect("a number");
    pages * 4096
}

#[test]
fn memory_comes_and_goes() {
    let context = Context::new();
    let stream = context.stream(1);
    let plain = |count: usize| {
        for n in 0..count {
            let mut address = 0u64;
            call("cuMemAlloc_v2", (&raw mut address, 16 + n * 37 % 5000));
            call("cuMemFree_v2", (address,));
        }
    };
    let ordered = |count: usize| {
        for n in 0..count {
            let mut address = 0u64;
            call("cuMemAllocAsync", (&raw mut address, 16 + n * 91 % 60_000, stream));
            call("cuMemsetD8Async", (address, 1u8, 16usize, stream));
            call("cuMemFreeAsync", (address, stream));
            // A stream that a busy host lets wait would have thousands alive at once.
            if n % 64 == 63 {
                call("cuStreamSynchronize", (stream,));
            }
        }
        call("cuStreamSynchronize", (stream,));
    };
    // What was freed waits for a while before it is used again: the first rounds fill that up.
    plain(60_000);
    ordered(10_000);
    let before = resident();
    plain(100_000);
    ordered(10_000);
    let grown = resident().saturating_sub(before);
    assert!(grown < 8 << 20, "{grown} bytes");
    let mut used = 1u64;
    let mut pool = 0u64;
    call("cuDeviceGetDefaultMemPool", (&raw mut pool, 0i32));
    call("cuMemPoolGetAttribute", (pool, 7u32, &raw mut used));
    assert_eq!(used, 0);
    assert_eq!(answer("cuCtxSynchronize", ()), 0);
}
