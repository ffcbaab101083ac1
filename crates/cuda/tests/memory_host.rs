//! Memory of the host's in kernels: given by the driver, registered, or just passed.
#![allow(unsafe_code)]

mod client;

use client::{Context, Module, answer, call, launch, make};

const INVALID_VALUE: u32 = 1;
const ILLEGAL_ADDRESS: u32 = 700;

struct Bench {
    _context: Context,
    module: Module,
}

impl Bench {
    fn new() -> Self {
        let context = Context::new();
        let module = context.module(include_str!("kernels.ptx"));
        Self { _context: context, module }
    }

    /// Copies a number by a kernel and says how that ended.
    fn copy(&self, to: u64, from: u64) -> u32 {
        assert_eq!(launch(self.module.kernel("copy"), [1; 3], [1; 3], 0, &[to, from]), 0);
        answer("cuCtxSynchronize", ())
    }
}

#[test]
#[cfg_attr(sanitized, ignore = "a sanitizer's malloc is not glibc's")]
fn plain_arrays_are_used_in_place() {
    let bench = Bench::new();
    let (source, mut target) = (vec![11u32, 22, 33], vec![0u32; 3]);
    let to = target.as_mut_ptr() as u64;
    assert_eq!(bench.copy(to, source.as_ptr() as u64), 0);
    // A view into the middle of an array is an array too.
    assert_eq!(bench.copy(to + 8, source.as_ptr() as u64 + 4), 0);
    assert_eq!(target, [11, 0, 22]);
    let mut pointer = 0u64;
    call("cuPointerGetAttribute", (&raw mut pointer, 3u32, to + 4));
    assert_eq!(pointer, to + 4);
    // After the launch it is the program's own again.
    assert_eq!(answer("cuMemsetD8_v2", (to, 0u8, 1usize)), 1);
}

#[test]
#[cfg_attr(sanitized, ignore = "a sanitizer's malloc is not glibc's")]
fn arrays_with_a_mapping_of_their_own_are_used_in_place() {
    let bench = Bench::new();
    let mut word = Box::new(0u32);
    let big: Vec<u32> = (0..1 << 22).collect();
    assert_eq!(bench.copy(&raw mut *word as u64, &raw const big[1234] as u64), 0);
    assert_eq!(*word, 1234);
    assert_eq!(bench.copy(&raw mut *word as u64, big.as_ptr() as u64), 0);
    assert_eq!(*word, 0);
}

/// The kernel `append` writes after the number that its list begins with.
#[test]
#[cfg_attr(sanitized, ignore = "a sanitizer's malloc is not glibc's")]
fn a_block_ends_where_malloc_says() {
    let bench = Bench::new();
    // Two blocks side by side, as programs have them; the list says that it has more elements than its block.
    let mut lists: Vec<Vec<u32>> = (0..8).map(|_| vec![0u32; 1000]).collect();
    lists[3][0] = 998;
    let list = lists[3].as_mut_ptr() as u64;
    let append = bench.module.kernel("append");
    assert_eq!(launch(append, [1; 3], [1; 3], 0, &[list, 5]), 0);
    assert_eq!(answer("cuCtxSynchronize", ()), 0);
    assert_eq!(lists[3][999], 5);
    lists[3][0] = 1200;
    assert_eq!(launch(append, [1; 3], [1; 3], 0, &[list, 5]), 0);
    assert_eq!(answer("cuCtxSynchronize", ()), ILLEGAL_ADDRESS);
}

#[test]
#[cfg_attr(sanitized, ignore = "a sanitizer's malloc is not glibc's")]
fn an_array_whose_elements_look_like_a_header_is_not_cut_short() {
    let bench = Bench::new();
    for value in [33u64, 49, 65, 129, 4097] {
        let mut array = vec![value; 4096];
        let view = array[2..].as_mut_ptr() as u64;
        // The list's first word says where to write: far past what the header before it would allow.
        array[2] = (value << 32) | 3000;
        let append = bench.module.kernel("append");
        assert_eq!(launch(append, [1; 3], [1; 3], 0, &[view, 5]), 0);
        assert_eq!(answer("cuCtxSynchronize", ()), 0, "{value}");
    }
}

#[test]
fn an_address_that_nobody_passed_is_a_fault() {
    let bench = Bench::new();
    let array = [0u32; 16];
    let append = bench.module.kernel("append");
    let device = make("cuMemAlloc_v2", |made| answer("cuMemAlloc_v2", (made, 64usize)));
    // The list is the device's, and its length leads to the host's array, which the launch was not passed.
    let distance = (array.as_ptr() as u64).wrapping_sub(device) / 4;
    let length = distance.min(1 << 24) as u32;
    call("cuMemsetD32_v2", (device, length, 1usize));
    assert_eq!(launch(append, [1; 3], [1; 3], 0, &[device, 5]), 0);
    assert_eq!(answer("cuCtxSynchronize", ()), ILLEGAL_ADDRESS);
}

#[test]
fn freed_device_memory_is_not_taken_for_an_array() {
    let bench = Bench::new();
    let mut word = Box::new(0u32);
    let freed = make("cuMemAlloc_v2", |made| answer("cuMemAlloc_v2", (made, 64usize)));
    let kept = make("cuMemAlloc_v2", |made| answer("cuMemAlloc_v2", (made, 64usize)));
    call("cuMemFree_v2", (freed,));
    assert_eq!(answer("cuPointerGetAttribute", (&raw mut *word, 3u32, freed)), 1);
    assert_eq!(answer("cuPointerGetAttribute", (&raw mut *word, 3u32, kept + 64)), 1, "past the end");
    assert_eq!(bench.copy(&raw mut *word as u64, freed), ILLEGAL_ADDRESS);
}

#[test]
fn pinned_and_registered_memory_has_one_address() {
    let bench = Bench::new();
    let pinned = make("cuMemHostAlloc", |made| answer("cuMemHostAlloc", (made, 4096usize, 0u32)));
    let mut array = vec![0u32; 1024];
    let start = array.as_mut_ptr() as u64;
    call("cuMemHostRegister_v2", (start, 4096usize, 0u32));
    let mut device = 0u64;
    call("cuMemHostGetDevicePointer_v2", (&raw mut device, start + 40, 0u32));
    assert_eq!(device, start + 40);
    // SAFETY: the driver gave this memory to the host.
    unsafe { (pinned as *mut u32).write(99) };
    assert_eq!(bench.copy(start + 400, pinned), 0);
    assert_eq!(array[100], 99);
    let mut flags = 0u32;
    call("cuMemHostGetFlags", (&raw mut flags, pinned + 8));
    assert_eq!(flags & 2, 2);
    call("cuMemHostUnregister", (start,));
    call("cuMemFreeHost", (pinned,));
    assert_eq!(answer("cuMemFreeHost", (pinned,)), 1);
}

/// What an H200 says of memory that its driver has not given: the host has it there, whatever there is.
#[test]
fn of_plain_memory_the_driver_knows_its_address_alone() {
    const UNTOUCHED: u64 = 0xeeee_eeee_eeee_eeee;
    const WORD: u64 = 0xeeee_eeee_0000_0000;
    let _context = Context::new();
    let (heap, stack) = (vec![0u8; 4096], 0u32);
    let somewhere = 0x1234_5678_9000;
    for pointer in [heap.as_ptr() as u64, heap[100..].as_ptr() as u64, (&raw const stack) as u64, somewhere] {
        let ask = |attribute: u32| {
            let mut value = UNTOUCHED;
            let places = [&raw mut value];
            let arguments = (1u32, &raw const attribute, places.as_ptr(), pointer);
            (answer("cuPointerGetAttributes", arguments), value)
        };
        for attribute in 1..=21 {
            let expected = match attribute {
                4 => (0, pointer),
                5 => (INVALID_VALUE, UNTOUCHED),
                9 => (0, WORD | 0xffff_fffe),
                11 | 12 => (0, UNTOUCHED),
                2 | 6 | 8 | 10 | 13 | 15 | 16 | 21 => (0, WORD),
                _ => (0, 0),
            };
            assert_eq!(ask(attribute), expected, "attribute {attribute} of {pointer:#x}");
        }
    }
}
