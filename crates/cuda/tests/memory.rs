//! Memory from outside: what is given, copied, filled and told, and what a real driver answered to mistakes.
#![allow(unsafe_code)]

mod client;

use client::{Context, Handle, answer, call, make};
use serde_json::{Value, json};

const INVALID_VALUE: u32 = 1;
const OUT_OF_MEMORY: u32 = 2;

/// What an H200's driver answered.
fn recorded(call: &str, with: &str) -> Value {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/golden/driver/calls.json");
    let text = std::fs::read_to_string(path).expect("the record is there");
    let calls: Value = serde_json::from_str(&text).expect("it is JSON");
    let found = calls.as_array().and_then(|all| all.iter().find(|c| c["call"] == call && c["with"] == with));
    found.unwrap_or_else(|| panic!("{call} with {with} was not recorded"))["answers"].clone()
}

/// What wrong calls need.
struct World {
    context: Context,
    device: Handle,
    freed: Handle,
    host: Vec<u8>,
}

impl World {
    fn new() -> Self {
        let context = Context::new();
        let (device, freed) = (context.memory(4096), context.memory(1 << 22));
        call("cuMemFree_v2", (freed,));
        Self { context, device, freed, host: vec![7; 8192] }
    }

    fn host(&self) -> u64 {
        self.host.as_ptr() as u64
    }
}

#[test]
fn single_mistakes_are_answered_as_recorded() {
    let w = World::new();
    let (mut out, mut size) = (0u64, 0usize);
    let (out, size) = (&raw mut out as u64, &raw mut size as u64);
    let (p, host, freed) = (w.device, w.host(), w.freed);
    let never = 0x1234_5678_9000u64;
    let alloc = "cuMemAlloc_v2";
    let check = |name: &str, with: &str, result: u32| {
        assert_eq!(json!(result), recorded(name, with), "{name}: {with}")
    };
    check(alloc, "null out pointer", answer(alloc, (0u64, 16usize)));
    check(alloc, "zero bytes", answer(alloc, (out, 0usize)));
    check(alloc, "1 TiB", answer(alloc, (out, 1usize << 40)));
    check(alloc, "2^64-1 bytes", answer(alloc, (out, usize::MAX)));
    let free = "cuMemFree_v2";
    check(free, "address 0", answer(free, (0u64,)));
    check(free, "address inside an allocation", answer(free, (p + 8,)));
    check(free, "address never allocated", answer(free, (never,)));
    check(free, "host (pageable) address", answer(free, (host,)));
    check(free, "twice", answer(free, (freed,)));
    let pitch = "cuMemAllocPitch_v2";
    check(pitch, "width 0", answer(pitch, (out, size, 0usize, 4usize, 4u32)));
    check(pitch, "height 0", answer(pitch, (out, size, 16usize, 0usize, 4u32)));
    check(pitch, "element size 3", answer(pitch, (out, size, 16usize, 4usize, 3u32)));
    check(pitch, "element size 32", answer(pitch, (out, size, 16usize, 4usize, 32u32)));
    check(pitch, "null pitch", answer(pitch, (out, 0u64, 16usize, 4usize, 4u32)));
    check("cuMemAllocHost_v2", "zero bytes", answer("cuMemAllocHost_v2", (out, 0usize)));
    check("cuMemHostAlloc", "flags 0x100", answer("cuMemHostAlloc", (out, 16usize, 0x100u32)));
    check("cuMemHostAlloc", "null out pointer", answer("cuMemHostAlloc", (0u64, 16usize, 0u32)));
    check("cuMemFreeHost", "null", answer("cuMemFreeHost", (0u64,)));
    check("cuMemFreeHost", "pageable address", answer("cuMemFreeHost", (host,)));
    check("cuMemFreeHost", "device address", answer("cuMemFreeHost", (p,)));
    for (with, bytes, flags) in
        [("zero bytes", 0usize, 1u32), ("flags 0", 16, 0), ("flags 3", 16, 3), ("flags 2 (host)", 16, 2)]
    {
        check("cuMemAllocManaged", with, answer("cuMemAllocManaged", (out, bytes, flags)));
    }
    check("cuMemFreeAsync", "address 0", answer("cuMemFreeAsync", (0u64, 0u64)));
    check("cuMemFreeAsync", "garbage address", answer("cuMemFreeAsync", (never, 0u64)));
    check("cuMemGetInfo_v2", "null", answer("cuMemGetInfo_v2", (0u64, 0u64)));
    let range = "cuMemGetAddressRange_v2";
    check(range, "freed address", answer(range, (out, size, freed)));
    check(range, "host (pageable) address", answer(range, (out, size, host)));
    check(range, "both out pointers null", answer(range, (0u64, 0u64, p)));
    let of = "cuMemHostGetDevicePointer_v2";
    check(of, "pageable address", answer(of, (out, host, 0u32)));
    check("cuMemHostGetFlags", "pageable address", answer("cuMemHostGetFlags", (out, host)));
    let register = "cuMemHostRegister_v2";
    check(register, "null", answer(register, (0u64, 4096usize, 0u32)));
    check(register, "zero bytes", answer(register, (host, 0usize, 0u32)));
    check(register, "flags 0x100", answer(register, (host, 4096usize, 0x100u32)));
    check(register, "unmapped address", answer(register, (0x10000u64, 4096usize, 0u32)));
    check("cuMemHostUnregister", "never registered", answer("cuMemHostUnregister", (host,)));
    check("cuMemHostUnregister", "null", answer("cuMemHostUnregister", (0u64,)));
    for (name, element) in [("cuMemsetD8_v2", 1usize), ("cuMemsetD16_v2", 2), ("cuMemsetD32_v2", 4)] {
        check(name, "zero elements", answer(name, (p, 1u32, 0usize)));
        check(name, "zero elements at address 0", answer(name, (0u64, 1u32, 0usize)));
        check(name, "address 0", answer(name, (0u64, 1u32, 4usize)));
        check(name, "beyond the allocation", answer(name, (p, 1u32, 8192 / element)));
        check(name, "freed address", answer(name, (freed, 1u32, 4usize)));
        check(name, "pageable host address", answer(name, (host, 1u32, 4usize)));
    }
    check("cuMemsetD16_v2", "unaligned address", answer("cuMemsetD16_v2", (p + 1, 1u32, 4usize)));
    check("cuMemsetD32_v2", "unaligned address", answer("cuMemsetD32_v2", (p + 2, 1u32, 4usize)));
    let set = "cuMemsetD2D8_v2";
    check(set, "pitch less than width", answer(set, (p, 8usize, 1u32, 16usize, 2usize)));
    check(set, "height 0", answer(set, (p, 32usize, 1u32, 16usize, 0usize)));
    let up = "cuMemcpyHtoD_v2";
    check(up, "zero bytes, both null", answer(up, (0u64, 0u64, 0usize)));
    check(up, "device address 0", answer(up, (0u64, host, 4usize)));
    check(up, "null host pointer", answer(up, (p, 0u64, 4usize)));
    check(up, "freed address", answer(up, (freed, host, 4usize)));
    check(up, "beyond the allocation (2 MiB more)", answer(up, (p, host, 4097usize)));
    check(up, "device pointer as the host pointer", answer(up, (p, p + 512, 4usize)));
    let down = "cuMemcpyDtoH_v2";
    check(down, "freed address", answer(down, (host, freed, 4usize)));
    check(down, "device address 0", answer(down, (host, 0u64, 4usize)));
    check(down, "null host pointer", answer(down, (0u64, p, 4usize)));
    let across = "cuMemcpyDtoD_v2";
    check(across, "freed source", answer(across, (p, freed, 4usize)));
    check(across, "overlapping", answer(across, (p + 4, p, 64usize)));
    check(across, "pageable host as the source", answer(across, (p, host, 4usize)));
    check("cuMemcpy", "host to host", answer("cuMemcpy", (host, host + 100, 4usize)));
    check("cuMemcpy", "device from pageable host", answer("cuMemcpy", (p, host, 4usize)));
    check("cuMemcpy2D_v2", "null", answer("cuMemcpy2D_v2", (0u64,)));
    call("cuCtxSynchronize", ());
    let _ = &w.context;
}

#[test]
fn rows_of_mistakes_are_answered_as_recorded() {
    let w = World::new();
    let mut out = 7u64;
    let place = &raw mut out as u64;
    let zero = [answer("cuMemAllocAsync", (place, 0usize, 0u64)) as u64, out];
    assert_eq!(json!(zero), recorded("cuMemAllocAsync", "zero bytes"));
    let plain = w.context.memory(64);
    let free = (answer("cuMemFreeAsync", (plain, 0u64)), answer("cuCtxSynchronize", ()));
    assert_eq!(
        json!([free.0, free.1, answer("cuMemFree_v2", (plain,))]),
        recorded("cuMemFreeAsync", "address of cuMemAlloc")
    );
    let made = answer("cuMemAllocAsync", (place, 64usize, 0u64));
    let twice = [made, answer("cuMemFreeAsync", (out, 0u64)), answer("cuMemFreeAsync", (out, 0u64))];
    assert_eq!(json!(twice), recorded("cuMemFreeAsync", "twice"));

    let array = vec![0u8; 1 << 20];
    let (start, inner) = (array.as_ptr() as u64, array.as_ptr() as u64 + 8192);
    let (register, unregister) = ("cuMemHostRegister_v2", "cuMemHostUnregister");
    let answers = [
        answer(register, (start, 1usize << 20, 0u32)),
        answer(register, (start, 1usize << 20, 0u32)),
        answer(register, (inner, 4096usize, 0u32)),
        answer(unregister, (inner,)),
        answer(unregister, (start,)),
        answer(unregister, (start,)),
    ];
    let with = "once, twice, a part; unregister the part, the whole, twice";
    assert_eq!(json!(answers), recorded(register, with));
}

/// `CUmemPoolProps` of a pool on the device.
fn pool_properties() -> [u32; 22] {
    let mut properties = [0; 22];
    (properties[0], properties[2]) = (1, 1);
    properties
}

#[test]
fn pools_keep_the_books_of_a_real_driver() {
    let _context = Context::new();
    let properties = pool_properties();
    let (mut pool, mut default, mut pointer, mut value) = (0u64, 0u64, 0u64, 1u64 << 20);
    let mut answers: Vec<u64> = Vec::new();
    let get = "cuMemPoolGetAttribute";
    let set = |pool: u64, attribute: u32, value: u64| {
        u64::from(answer("cuMemPoolSetAttribute", (pool, attribute, &raw const value)))
    };
    answers.push(answer("cuMemPoolCreate", (&raw mut pool, properties.as_ptr())).into());
    answers.push(answer("cuMemPoolCreate", (0u64, properties.as_ptr())).into());
    answers.extend([set(pool, 4, 1 << 20), set(pool, 5, 1 << 20), set(pool, 99, 1 << 20)]);
    answers.push(answer("cuMemPoolTrimTo", (pool, 0usize)).into());
    answers.push(answer("cuMemAllocFromPoolAsync", (&raw mut pointer, 1000usize, pool, 0u64)).into());
    answers.push(answer("cuCtxSynchronize", ()).into());
    for attribute in [5u32, 6, 7, 8] {
        call(get, (pool, attribute, &raw mut value));
        answers.push(value);
    }
    answers.extend([set(pool, 8, 0), set(pool, 6, 0), set(pool, 8, 5)]);
    answers.push(answer("cuMemPoolDestroy", (pool,)).into());
    answers.push(answer("cuMemFreeAsync", (pointer, 0u64)).into());
    answers.push(answer("cuCtxSynchronize", ()).into());
    answers.push(answer("cuDeviceGetDefaultMemPool", (&raw mut default, 0i32)).into());
    answers.push(answer("cuMemPoolDestroy", (default,)).into());
    answers.push(answer("cuMemPoolTrimTo", (default, 0usize)).into());
    answers.push(answer("cuMemPoolDestroy", (0u64,)).into());
    let with = "create, null out, set threshold, set reserved, set 99, trim, allocate 1000, synchronize, attributes 5 6 7 8, set used high 0, set reserved high 0, set used high 5, destroy with memory, free, synchronize, default, destroy default, trim default, destroy null";
    assert_eq!(json!(answers), recorded("pools", with));
}

#[test]
fn a_pool_has_its_limit_and_can_be_chosen() {
    let context = Context::new();
    let mut properties = pool_properties();
    properties[6] = 64 << 20;
    let pool = make("cuMemPoolCreate", |made| answer("cuMemPoolCreate", (made, properties.as_ptr())));
    let mut pointer = 0u64;
    let from_pool = "cuMemAllocFromPoolAsync";
    assert_eq!(answer(from_pool, (&raw mut pointer, 65usize << 20, pool, 0u64)), OUT_OF_MEMORY);
    call(from_pool, (&raw mut pointer, 40usize << 20, pool, 0u64));
    let mut of = 0u64;
    call("cuPointerGetAttribute", (&raw mut of, 17u32, pointer + 100));
    assert_eq!(of, pool);
    call("cuDeviceSetMemPool", (0i32, pool));
    let mut small = 0u64;
    call("cuMemAllocAsync", (&raw mut small, 16usize, 0u64));
    call("cuPointerGetAttribute", (&raw mut of, 17u32, small));
    assert_eq!(of, pool);
    call("cuMemFree_v2", (small,));
    call("cuMemFreeAsync", (pointer, 0u64));
    call("cuCtxSynchronize", ());
    call("cuMemPoolDestroy", (pool,));
    let mut current = 0u64;
    call("cuDeviceGetMemPool", (&raw mut current, 0i32));
    let mut default = 0u64;
    call("cuDeviceGetDefaultMemPool", (&raw mut default, 0i32));
    assert_eq!(current, default, "a pool that is gone leaves its place");
    // Memory of a stream is freed in its order: what was given before still finds it.
    let stream = context.stream(1);
    let (mut there, host) = (0u64, vec![5u8; 64]);
    call("cuMemAllocAsync", (&raw mut there, 64usize, stream));
    call("cuMemcpyHtoDAsync_v2", (there, host.as_ptr(), 64usize, stream));
    let mut back = vec![0u8; 64];
    call("cuMemcpyDtoHAsync_v2", (back.as_mut_ptr(), there, 64usize, stream));
    call("cuMemFreeAsync", (there, stream));
    call("cuStreamSynchronize", (stream,));
    assert_eq!(back, host);
    assert_eq!(answer("cuMemsetD8_v2", (there, 0u8, 1usize)), INVALID_VALUE);
}

/// A `CUDA_MEMCPY3D`, field by field.
fn cuboid(from: [u64; 8], to: [u64; 8], extent: [u64; 3]) -> [u64; 25] {
    let side = |[x, y, z, kind, host, device, pitch, height]: [u64; 8]| {
        [x, y, z, 0, kind, host, device, 0, 0, pitch, height]
    };
    let all: Vec<u64> = side(from).into_iter().chain(side(to)).chain(extent).collect();
    all.try_into().expect("25 fields")
}

#[test]
fn boxes_are_copied_between_pitches() {
    let context = Context::new();
    let (rows, slices) = (7u64, 5u64);
    let (from_pitch, to_pitch) = (40u64, 48u64);
    let source: Vec<u8> = (0..from_pitch * rows * slices).map(|n| (n * 7 % 251) as u8).collect();
    let device = context.memory((to_pitch * 9 * slices) as usize);
    let (width, height, depth) = (21u64, 3u64, 2u64);
    let copy = cuboid(
        [5, 2, 1, 1, source.as_ptr() as u64, 0, from_pitch, rows],
        [11, 4, 3, 4, 0, device, to_pitch, 9],
        [width, height, depth],
    );
    call("cuMemcpy3D_v2", (copy.as_ptr(),));
    let mut found = vec![0u8; (to_pitch * 9 * slices) as usize];
    call("cuMemcpyDtoH_v2", (found.as_mut_ptr(), device, found.len()));
    let mut expected = vec![0u8; found.len()];
    for z in 0..depth {
        for y in 0..height {
            for x in 0..width {
                let to = ((3 + z) * 9 + 4 + y) * to_pitch + 11 + x;
                let from = ((1 + z) * rows + 2 + y) * from_pitch + 5 + x;
                expected[to as usize] = source[from as usize];
            }
        }
    }
    assert_eq!(found, expected);
    // Back, in a stream, to memory of our own: done when the call returns.
    let mut back = vec![0u8; (width * height * depth) as usize];
    let copy = cuboid(
        [11, 4, 3, 2, 0, device, to_pitch, 9],
        [0, 0, 0, 1, back.as_mut_ptr() as u64, 0, 0, 0],
        [width, height, depth],
    );
    call("cuMemcpy3DAsync_v2", (copy.as_ptr(), context.stream(1)));
    let line: Vec<u8> = expected.iter().copied().filter(|byte| *byte != 0).collect();
    assert_eq!(back.iter().copied().filter(|byte| *byte != 0).collect::<Vec<_>>(), line);
    // One row more than there is room for, rows that would overlap, no array.
    let bad =
        |from: [u64; 8], to: [u64; 8], extent| answer("cuMemcpy3D_v2", (cuboid(from, to, extent).as_ptr(),));
    let host = source.as_ptr() as u64;
    let from = [0, 0, 0, 1, host, 0, from_pitch, rows];
    assert_eq!(bad(from, [0, 7, 4, 2, 0, device, to_pitch, 9], [width, 3, 1]), INVALID_VALUE);
    assert_eq!(bad(from, [0, 0, 0, 2, 0, device, 16, 9], [width, 3, 1]), INVALID_VALUE);
    assert_eq!(bad(from, [0, 0, 0, 2, 0, device, to_pitch, 2], [width, 3, 2]), INVALID_VALUE);
    assert_eq!(bad(from, [0, 0, 0, 2, 0, device, u64::MAX / 2, 9], [width, 3, 2]), INVALID_VALUE);
    assert_eq!(bad(from, [0, 0, 0, 3, 0, 0, 0, 0], [width, 3, 1]), INVALID_VALUE);
    assert_eq!(bad(from, [0, 0, 0, 2, 0, device, to_pitch, 9], [width, 0, 1]), 0);
}

#[test]
fn fills_write_every_element_and_no_other_byte() {
    let context = Context::new();
    let device = context.memory(100_000);
    call("cuMemsetD16_v2", (device + 2, 0x1234u16, 40_001usize));
    call("cuMemsetD2D32_v2", (device + 90_000, 64usize, 0xA1B2_C3D4u32, 3usize, 5usize));
    let mut found = vec![0u8; 100_000];
    call("cuMemcpyDtoH_v2", (found.as_mut_ptr(), device, found.len()));
    let mut expected = vec![0u8; 100_000];
    expected[2..80_004].chunks_mut(2).for_each(|two| two.copy_from_slice(&0x1234u16.to_le_bytes()));
    for row in 0..5 {
        let start = 90_000 + 64 * row;
        expected[start..start + 12].copy_from_slice(&0xA1B2_C3D4u32.to_le_bytes().repeat(3));
    }
    assert!(found == expected);
}

#[test]
fn a_copy_from_plain_memory_has_taken_it_when_the_call_returns() {
    let context = Context::new();
    let module = context.module(include_str!("kernels.ptx"));
    let (stream, flag, to) = (context.stream(1), context.memory(8), context.memory(1 << 20));
    // The stream is busy until the host says so: the copy cannot have been done when the call returns.
    assert_eq!(client::launch(module.kernel("answer"), [1; 3], [1; 3], stream, &[flag]), 0);
    let mut source = vec![3u8; 1 << 20];
    call("cuMemcpyHtoDAsync_v2", (to, source.as_ptr(), source.len(), stream));
    source.fill(4);
    call("cuStreamSynchronize", (release(&context, flag, stream),));
    assert_eq!(client::read(to, 1 << 18), vec![0x0303_0303; 1 << 18]);
}

/// Sets the flag that a kernel waits for, from another stream.
fn release(context: &Context, flag: u64, waiting: Handle) -> Handle {
    let other = context.stream(1);
    call("cuMemsetD32Async", (flag, 1u32, 1usize, other));
    waiting
}

#[test]
fn a_whole_gpu_can_be_allocated_and_touched_a_little() {
    let context = Context::new();
    let (mut free, mut total) = (0usize, 0usize);
    call("cuMemGetInfo_v2", (&raw mut free, &raw mut total));
    assert!(free <= total && total > 100 << 30);
    let bytes = 100usize << 30;
    let big = make("cuMemAlloc_v2", |made| answer("cuMemAlloc_v2", (made, bytes)));
    call("cuMemsetD32_v2", (big + (bytes as u64) / 2, 9u32, 1000usize));
    assert_eq!(client::read(big + (bytes as u64) / 2 + 3996, 1), [9]);
    assert_eq!(client::read(big, 1), [0]);
    let mut left = 0usize;
    call("cuMemGetInfo_v2", (&raw mut left, &raw mut total));
    assert!(left <= total - bytes);
    let mut more = 0u64;
    assert_eq!(answer("cuMemAlloc_v2", (&raw mut more, total - bytes / 2)), OUT_OF_MEMORY);
    call("cuMemFree_v2", (big,));
    let _ = context;
}

#[test]
fn advice_is_told_page_by_page() {
    let _context = Context::new();
    let bytes = 4 * 4096usize;
    let managed = make("cuMemAllocManaged", |made| answer("cuMemAllocManaged", (made, bytes, 1u32)));
    let ask = |attribute: u32, start: u64, bytes: usize| {
        let mut value = -9i32;
        call("cuMemRangeGetAttribute", (&raw mut value, 4usize, attribute, start, bytes));
        value
    };
    assert_eq!((ask(1, managed, bytes), ask(2, managed, bytes), ask(4, managed, bytes)), (0, -2, -2));
    call("cuMemAdvise", (managed + 4096, 4096usize, 1u32, 0i32));
    assert_eq!(ask(1, managed + 4096, 4096), 1);
    assert_eq!(ask(1, managed, bytes), 0, "not all of it");
    call("cuMemPrefetchAsync", (managed, bytes, -1i32, 0u64));
    assert_eq!(ask(4, managed, bytes), -1);
    call("cuMemPrefetchAsync", (managed, 4096usize, 0i32, 0u64));
    assert_eq!((ask(4, managed, 4096), ask(4, managed, bytes)), (0, -2));
    assert_eq!(answer("cuMemPrefetchAsync", (managed, bytes + 1, 0i32, 0u64)), INVALID_VALUE);
    assert_eq!(answer("cuMemPrefetchAsync", (managed, bytes, 7i32, 0u64)), 101);
    // The host uses it by the same address.
    // SAFETY: managed memory is the host's too.
    unsafe { (managed as *mut u32).write(77) };
    assert_eq!(client::read(managed, 1), [77]);
    call("cuMemFree_v2", (managed,));
}
