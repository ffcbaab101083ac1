//! Reserved addresses and physical memory from outside: two mappings of one piece are the same bytes.
#![allow(unsafe_code)]

mod client;

use std::sync::{PoisonError, RwLock};

use client::{Context, answer, call, make, read};
use serde_json::{Value, json};

const INVALID_VALUE: u32 = 1;
const ILLEGAL_ADDRESS: u32 = 700;
const PIECE: usize = 2 << 20;

/// `CUmemAllocationProp` of memory on the device that may be exported.
const PROPERTIES: [u32; 8] = [1, 1, 1, 0, 0, 0, 0, 0];
/// `CUmemAccessDesc` for the device.
const fn access(flags: u32) -> [u32; 3] {
    [1, 0, flags]
}

fn reserve(pieces: usize) -> u64 {
    make("cuMemAddressReserve", |made| {
        answer("cuMemAddressReserve", (made, pieces * PIECE, 0usize, 0u64, 0u64))
    })
}

fn create() -> u64 {
    make("cuMemCreate", |made| answer("cuMemCreate", (made, PIECE, PROPERTIES.as_ptr(), 0u64)))
}

fn map(at: u64, handle: u64) {
    call("cuMemMap", (at, PIECE, 0usize, handle, 0u64));
    call("cuMemSetAccess", (at, PIECE, access(3).as_ptr(), 1usize));
}

/// The device is one for all tests of the process: one that looks at its free memory must have it alone.
static DEVICE: RwLock<()> = RwLock::new(());

#[test]
fn a_life_of_a_mapping_is_answered_as_recorded() {
    let _device = DEVICE.read().unwrap_or_else(PoisonError::into_inner);
    let _context = Context::new();
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/driver/calls.json");
    let calls: Value =
        serde_json::from_str(&std::fs::read_to_string(path).expect("the record is there")).expect("JSON");
    let recorded =
        calls.as_array().and_then(|all| all.iter().find(|c| c["call"] == "vmm")).expect("recorded");
    let (mut h, mut p, mut other) = (0u64, 0u64, 0u64);
    let mut properties = PROPERTIES;
    properties[1] = 0;
    let (prop, acc) = (properties.as_ptr(), access(3));
    let (create, reserve, grant) = ("cuMemCreate", "cuMemAddressReserve", "cuMemSetAccess");
    let mut answers = vec![
        answer(create, (&raw mut h, PIECE, prop, 0u64)),
        answer(create, (&raw mut other, 1000usize, prop, 0u64)),
        answer(create, (&raw mut other, 0usize, prop, 0u64)),
        answer(create, (&raw mut other, PIECE, prop, 1u64)),
        answer(reserve, (&raw mut p, 2 * PIECE, 0usize, 0u64, 0u64)),
        answer(reserve, (&raw mut other, 1000usize, 0usize, 0u64, 0u64)),
        answer(reserve, (&raw mut other, 0usize, 0usize, 0u64, 0u64)),
    ];
    answers.extend([
        answer(grant, (p, PIECE, acc.as_ptr(), 1usize)),
        answer("cuMemMap", (p, PIECE, 0usize, h, 0u64)),
        answer("cuMemMap", (p, PIECE, 0usize, h, 0u64)),
        answer("cuMemMap", (p + PIECE as u64, PIECE, 4096usize, h, 0u64)),
        answer(grant, (p, 1000usize, acc.as_ptr(), 1usize)),
        answer(grant, (p, PIECE, acc.as_ptr(), 1usize)),
        answer("cuMemsetD8_v2", (p, 1u32, PIECE)),
        answer("cuMemFree_v2", (p,)),
        answer("cuMemAddressFree", (p, 2 * PIECE)),
        answer("cuMemUnmap", (p, 1000usize)),
        answer("cuMemUnmap", (p, PIECE)),
        answer("cuMemUnmap", (p, PIECE)),
        answer("cuMemRelease", (h,)),
        answer("cuMemRelease", (h,)),
        answer("cuMemAddressFree", (p, PIECE)),
        answer("cuMemAddressFree", (p, 2 * PIECE)),
        answer("cuMemAddressFree", (p, 2 * PIECE)),
    ]);
    assert_eq!(json!(answers), recorded["answers"]);
}

#[test]
fn two_mappings_of_one_piece_are_the_same_bytes() {
    let _device = DEVICE.read().unwrap_or_else(PoisonError::into_inner);
    let context = Context::new();
    let (range, piece) = (reserve(3), create());
    let (low, high) = (range, range + 2 * PIECE as u64);
    map(low, piece);
    map(high, piece);
    call("cuMemRelease", (piece,));
    let module = context.module(include_str!("kernels.ptx"));
    call("cuMemsetD32_v2", (low + 8, 1234u32, 1usize));
    assert_eq!(client::launch(module.kernel("copy"), [1; 3], [1; 3], 0, &[high + 400, high + 8]), 0);
    assert_eq!(read(low + 400, 1), [1234]);
    // What is between is reserved, and nobody's.
    assert_eq!(answer("cuMemsetD8_v2", (low + PIECE as u64, 0u8, 1usize)), INVALID_VALUE);
    assert_eq!(answer("cuMemsetD8_v2", (low, 0u8, PIECE + 1)), INVALID_VALUE);
    // With something mapped there all three are one range to a copy.
    map(low + PIECE as u64, create());
    call("cuMemsetD8_v2", (low + 16, 5u8, 3 * PIECE - 32));
    assert_eq!(read(high - 4, 1), [0x0505_0505]);
    call("cuMemUnmap", (low, 3 * PIECE));
    call("cuMemAddressFree", (range, 3 * PIECE));
}

#[test]
fn the_guest_may_what_was_granted() {
    let _device = DEVICE.read().unwrap_or_else(PoisonError::into_inner);
    let context = Context::new();
    let module = context.module(include_str!("kernels.ptx"));
    let (range, to) = (reserve(1), context.memory(4));
    map(range, create());
    call("cuMemsetD32_v2", (range, 6u32, 1usize));
    call("cuMemSetAccess", (range, PIECE, access(1).as_ptr(), 1usize));
    let mut flags = 0u64;
    call("cuMemGetAccess", (&raw mut flags, [1u32, 0].as_ptr(), range + 5));
    assert_eq!(flags, 1);
    let copy = module.kernel("copy");
    assert_eq!(client::launch(copy, [1; 3], [1; 3], 0, &[to, range]), 0);
    assert_eq!(read(to, 1), [6]);
    assert_eq!(client::launch(copy, [1; 3], [1; 3], 0, &[range, to]), 0);
    assert_eq!(answer("cuCtxSynchronize", ()), ILLEGAL_ADDRESS);
}

#[test]
fn a_piece_is_exported_imported_and_kept_while_somebody_has_it() {
    let _device = DEVICE.write().unwrap_or_else(PoisonError::into_inner);
    let _context = Context::new();
    let free = || {
        let (mut free, mut total) = (0usize, 0usize);
        call("cuMemGetInfo_v2", (&raw mut free, &raw mut total));
        free
    };
    let (range, piece) = (reserve(2), create());
    map(range, piece);
    let before = free();
    let mut descriptor = -1i32;
    call("cuMemExportToShareableHandle", (&raw mut descriptor, piece, 1u32, 0u64));
    let import = "cuMemImportFromShareableHandle";
    let again = make(import, |made| answer(import, (made, descriptor as u64, 1u32)));
    map(range + PIECE as u64, again);
    call("cuMemsetD32_v2", (range + 64, 77u32, 1usize));
    assert_eq!(read(range + PIECE as u64 + 64, 1), [77]);
    let mut held = 0u64;
    call("cuMemRetainAllocationHandle", (&raw mut held, range + 3));
    assert_eq!(held, piece, "the same handle, once more");
    call("cuMemUnmap", (range, 2 * PIECE));
    call("cuMemRelease", (piece,));
    assert_eq!(free(), before, "it is still held");
    call("cuMemRelease", (piece,));
    assert_eq!(free(), before + PIECE);
    assert_eq!(answer("cuMemRelease", (piece,)), INVALID_VALUE);
    assert_eq!(answer(import, (&raw mut held, -1i64 as u64, 1u32)), INVALID_VALUE);
    call("cuMemAddressFree", (range, 2 * PIECE));
}

#[test]
fn what_is_reserved_is_no_memory_of_the_hosts() {
    let _device = DEVICE.read().unwrap_or_else(PoisonError::into_inner);
    let context = Context::new();
    let (range, memory) = (reserve(1), context.memory(64));
    assert_eq!(answer("cuMemcpy", (memory, range, 64usize)), INVALID_VALUE);
    assert_eq!(answer("cuMemcpy", (range, memory, 64usize)), INVALID_VALUE);
    let piece = create();
    call("cuMemMap", (range, PIECE, 0usize, piece, 0u64));
    assert_eq!(answer("cuMemcpy", (memory, range, 64usize)), INVALID_VALUE, "nobody may touch it yet");
    call("cuMemSetAccess", (range, PIECE, access(3).as_ptr(), 1usize));
    call("cuMemcpy", (memory, range, 64usize));
    call("cuMemUnmap", (range, PIECE));
    call("cuMemRelease", (piece,));
    call("cuMemAddressFree", (range, PIECE));
}

/// A kernel that counts until it is told to stop, and never touches what it was not passed.
const ENDLESS: &str = "
    .version 8.0
    .target sm_80
    .address_size 64
    .visible .entry endless(.param .u64 flag) {
        .reg .b64 %f; .reg .b32 %v; .reg .pred %p;
        ld.param.u64 %f, [flag];
    again:
        ld.volatile.global.u32 %v, [%f];
        setp.eq.u32 %p, %v, 0;
        @%p bra again;
        ret;
    }";

#[test]
fn memory_is_unmapped_and_unregistered_while_another_context_is_busy() {
    let _device = DEVICE.read().unwrap_or_else(PoisonError::into_inner);
    let busy = Context::new();
    let flag = make("cuMemHostAlloc", |made| answer("cuMemHostAlloc", (made, 4usize, 0u32)));
    // SAFETY: the driver gave this memory to the host; the kernel reads it with atomics as this thread writes it.
    let told = unsafe { std::sync::atomic::AtomicU32::from_ptr(flag as *mut u32) };
    let module = busy.module(ENDLESS);
    let kernel = module.kernel("endless");
    assert_eq!(client::launch(kernel, [1; 3], [1; 3], 0, &[flag]), 0);
    let _context = Context::new();
    let mut places = std::collections::HashSet::new();
    for _ in 0..300 {
        let at = reserve(1);
        let handle = create();
        map(at, handle);
        call("cuMemsetD32_v2", (at, 7u32, 4usize));
        call("cuMemUnmap", (at, PIECE));
        assert_eq!(answer("cuMemsetD32_v2", (at, 7u32, 4usize)), INVALID_VALUE);
        call("cuMemRelease", (handle,));
        call("cuMemAddressFree", (at, PIECE));
        places.insert(at);
    }
    // Addresses are used again, so that those who come and go do not use them up.
    assert!(places.len() < 50, "{}", places.len());
    let mut array = vec![0u8; 8192];
    for _ in 0..3 {
        call("cuMemHostRegister_v2", (array.as_mut_ptr(), array.len(), 0u32));
        call("cuMemHostUnregister", (array.as_mut_ptr(),));
    }
    told.store(1, std::sync::atomic::Ordering::Relaxed);
    busy.enter();
    call("cuCtxSynchronize", ());
}

/// A kernel that goes on using memory that is taken away under it meets a fault or not, but nothing else does.
#[test]
#[cfg_attr(
    sanitized,
    ignore = "to a sanitizer, a mapping that takes the place of another is a write beside the kernel's"
)]
fn memory_that_is_unmapped_under_kernels_harms_nobody_else() {
    let _device = DEVICE.read().unwrap_or_else(PoisonError::into_inner);
    let context = Context::new();
    let at = reserve(4);
    let fill = ".version 8.0
        .target sm_80
        .address_size 64
        .visible .entry fill(.param .u64 at, .param .u64 turns) {
            .reg .b64 %a, %t, %b; .reg .b32 %i; .reg .pred %p;
            ld.param.u64 %a, [at]; ld.param.u64 %t, [turns];
            mov.u32 %i, %tid.x; mad.wide.u32 %a, %i, 4096, %a;
        again:
            st.global.u32 [%a], %i; st.global.u32 [%a+2048], %i;
            sub.u64 %t, %t, 1; setp.ne.u64 %p, %t, 0; @%p bra again;
            ret;
        }";
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                for _ in 0..20 {
                    // A fault breaks the context, so each has its own.
                    let own = Context::new();
                    let module = own.module(fill);
                    let grid = client::launch(module.kernel("fill"), [2, 1, 1], [256, 1, 1], 0, &[at, 300]);
                    assert_eq!(grid, 0);
                    let ended = answer("cuCtxSynchronize", ());
                    assert!(matches!(ended, 0 | ILLEGAL_ADDRESS), "{ended}");
                }
            });
        }
        context.enter();
        for _ in 0..200 {
            let handle = create();
            map(at, handle);
            std::thread::yield_now();
            call("cuMemUnmap", (at, PIECE));
            call("cuMemRelease", (handle,));
        }
    });
    call("cuMemAddressFree", (at, 4 * PIECE));
}

/// Addresses that were reserved once are kept for the next reservation, and are nobody's until then.
#[test]
fn addresses_that_were_given_back_are_nobodys() {
    let _device = DEVICE.read().unwrap_or_else(PoisonError::into_inner);
    let _context = Context::new();
    let at = reserve(4);
    call("cuMemAddressFree", (at, 4 * PIECE));
    let mut word = 7u32;
    let host = (&raw mut word) as u64;
    assert_eq!(answer("cuMemcpy", (host, at, 4usize)), INVALID_VALUE);
    assert_eq!(answer("cuMemcpy", (at, host, 4usize)), INVALID_VALUE);
    assert_eq!(word, 7);
}
