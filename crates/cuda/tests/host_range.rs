//! What of the host's plain memory a kernel may touch: the array that it was passed, to its last byte, and no more.
//!
//! The sanitizers bring a `malloc` of their own, whose blocks are not glibc's.
#![allow(unsafe_code)]
#![cfg(not(sanitized))]

mod client;

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use client::{Context, Module, answer, call, launch};

const ILLEGAL_ADDRESS: u32 = 700;

/// `peek` reads, and `poke` writes, a byte at a distance from an address; `pair` gets two addresses in a structure;
/// `number` only counts with what it gets, and reads through a pointer that it finds in memory.
const KERNELS: &str = "
    .version 8.0
    .target sm_80
    .address_size 64
    .visible .entry peek(.param .u64 at, .param .u64 distance, .param .u64 out) {
        .reg .b64 %a, %d, %o; .reg .b32 %v;
        ld.param.u64 %a, [at]; ld.param.u64 %d, [distance]; ld.param.u64 %o, [out];
        add.u64 %a, %a, %d; ld.u8 %v, [%a]; st.global.u32 [%o], %v; ret;
    }
    .visible .entry poke(.param .u64 at, .param .u64 distance) {
        .reg .b64 %a, %d; .reg .b32 %v;
        ld.param.u64 %a, [at]; ld.param.u64 %d, [distance];
        add.u64 %a, %a, %d; mov.u32 %v, 0x5a; st.u8 [%a], %v; ret;
    }
    .visible .entry number(.param .u64 n, .param .u64 out) {
        .reg .b64 %n, %o, %p; .reg .pred %q; .reg .b32 %v;
        ld.param.u64 %n, [n]; ld.param.u64 %o, [out];
        mul.lo.u64 %p, %n, 3; st.global.u64 [%o], %p;
        ld.global.u64 %p, [%o+8]; ld.u8 %v, [%p]; ret;
    }
    .visible .entry pair(.param .align 8 .b8 both[24], .param .u64 out) {
        .reg .b64 %a, %b, %o; .reg .b32 %v, %w;
        ld.param.u64 %a, [both]; ld.param.u64 %b, [both+16]; ld.param.u64 %o, [out];
        ld.u8 %v, [%a]; ld.u8 %w, [%b]; add.u32 %v, %v, %w; st.global.u32 [%o], %v; ret;
    }";

struct Bench {
    context: Context,
    module: Module,
    out: u64,
}

impl Bench {
    fn new() -> Self {
        let context = Context::new();
        let module = context.module(KERNELS);
        let out = context.memory(16);
        Self { context, module, out }
    }

    /// How a read at a distance from an address ends. A fault breaks the context, so what may fail has its own.
    fn peek(&self, at: u64, distance: i64) -> u32 {
        let parameters = [at, distance as u64, self.out];
        assert_eq!(launch(self.module.kernel("peek"), [1; 3], [1; 3], 0, &parameters), 0);
        answer("cuCtxSynchronize", ())
    }

    fn poke(&self, at: u64, distance: i64) -> u32 {
        assert_eq!(launch(self.module.kernel("poke"), [1; 3], [1; 3], 0, &[at, distance as u64]), 0);
        answer("cuCtxSynchronize", ())
    }
}

/// What is lent to one launch all kernels of the process reach while it runs, and the block after one's own may be another
/// test's: one test runs at a time.
fn alone() -> MutexGuard<'static, ()> {
    static ONE: Mutex<()> = Mutex::new(());
    ONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Asserts that a read and a write at a distance from an address are faults.
#[track_caller]
fn refused(at: u64, distance: i64) {
    assert_eq!(Bench::new().peek(at, distance), ILLEGAL_ADDRESS, "a read {distance} bytes from {at:#x}");
    assert_eq!(Bench::new().poke(at, distance), ILLEGAL_ADDRESS, "a write {distance} bytes from {at:#x}");
}

/// Asserts that a block of the host's can be touched from its first byte to its last, from wherever one begins, and
/// that the byte before it and the first byte that `malloc` did not give are refused.
#[track_caller]
fn exactly(bench: &Bench, start: u64, usable: u64) {
    for from in [0, 1, 16, usable / 2, usable - 1] {
        let (at, first, last) = (start + from, -(from as i64), (usable - 1 - from) as i64);
        for distance in [first, last] {
            assert_eq!(bench.peek(at, distance), 0, "byte {distance} from {from} in {usable} bytes");
            assert_eq!(bench.poke(at, distance), 0, "byte {distance} from {from} in {usable} bytes");
        }
    }
    refused(start + usable / 2, (usable - usable / 2) as i64);
    refused(start + usable / 2, -(usable as i64 / 2) - 1);
}

/// A block of `malloc`'s, and how many bytes of it may be used.
struct Block(u64, u64);

impl Block {
    fn new(bytes: usize) -> Self {
        // SAFETY: nothing is asked of the memory but that it is there.
        let start = unsafe { libc::malloc(bytes) };
        assert!(!start.is_null());
        // SAFETY: this is a block's start.
        Self(start as u64, unsafe { libc::malloc_usable_size(start) } as u64)
    }
}

impl Drop for Block {
    fn drop(&mut self) {
        // SAFETY: the block is freed once.
        unsafe { libc::free(self.0 as *mut _) };
    }
}

#[test]
fn a_small_block_is_lent_and_its_neighbours_are_not() {
    let _alone = alone();
    let bench = Bench::new();
    let blocks: Vec<Block> = (0..64).map(|index| Block::new(24 + 40 * (index % 5))).collect();
    println!("the blocks are in {}", name_of_mapping(blocks[20].0));
    exactly(&bench, blocks[20].0, blocks[20].1);
    let (one, other) = (&blocks[30], &blocks[33]);
    refused(one.0, other.0.wrapping_sub(one.0) as i64);
}

/// Tests run in threads, which have heaps of their own. With one heap for all it is that of the main thread.
#[test]
fn a_block_of_the_main_threads_heap_is_lent_exactly() {
    let _alone = alone();
    const SMALL: &str = "a_small_block_is_lent_and_its_neighbours_are_not";
    for test in [SMALL, "a_forged_header_opens_nothing"] {
        let program = std::env::current_exe().expect("a test has a file");
        let ran = std::process::Command::new(program)
            .args([test, "--exact", "--nocapture"])
            .env("MALLOC_ARENA_MAX", "1")
            .output()
            .expect("it starts");
        let said = String::from_utf8_lossy(&ran.stdout);
        assert!(ran.status.success() && said.contains("1 passed"), "{said}");
        assert!(test != SMALL || said.contains("the blocks are in [heap]"), "{said}");
    }
}

/// What the system calls the memory at an address.
fn name_of_mapping(address: u64) -> String {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("the system tells");
    let holds = |line: &&str| {
        let (start, rest) = line.split_once('-').expect("a range");
        let (end, _) = rest.split_once(' ').expect("a range");
        let number = |text| u64::from_str_radix(text, 16).expect("a number");
        (number(start)..number(end)).contains(&address)
    };
    maps.lines().find(holds).and_then(|line| line.split_whitespace().nth(5)).unwrap_or("no name").to_owned()
}

#[test]
fn a_block_of_another_threads_arena_is_lent_exactly() {
    let _alone = alone();
    let bench = Bench::new();
    let block = std::thread::spawn(|| {
        let blocks: Vec<Block> = (0..50).map(|_| Block::new(3000)).collect();
        blocks.into_iter().nth(25).expect("there are fifty")
    });
    let block = block.join().expect("it ends");
    exactly(&bench, block.0, block.1);
}

#[test]
fn a_large_block_is_lent_exactly_though_its_mapping_is_cut_in_two() {
    let _alone = alone();
    let bench = Bench::new();
    for mebibytes in [4, 8, 64] {
        let bytes = mebibytes << 20;
        let block = Block::new(bytes);
        // As NumPy does: huge pages for all but the first page.
        let inner = (block.0 + 4095) & !4095;
        // SAFETY: the pages are the block's own, and advice changes no byte.
        let advised = unsafe { libc::madvise(inner as *mut _, bytes - 8192, libc::MADV_HUGEPAGE) };
        assert!(advised == 0 || cfg!(miri), "{}", std::io::Error::last_os_error());
        exactly(&bench, block.0, block.1);
    }
}

#[test]
fn an_aligned_block_is_lent_exactly() {
    let _alone = alone();
    let bench = Bench::new();
    for alignment in [32usize, 64, 128, 4096, 2 << 20] {
        let mut start = std::ptr::null_mut();
        // SAFETY: the place of the result is ours.
        let failed = unsafe { libc::posix_memalign(&raw mut start, alignment, 5 << 20) };
        assert_eq!(failed, 0);
        // SAFETY: this is a block's start.
        let block = Block(start as u64, unsafe { libc::malloc_usable_size(start) } as u64);
        exactly(&bench, block.0, block.1);
    }
}

/// What a kernel can write it can forge: elements before a view that look like the header of a block.
#[test]
fn a_forged_header_opens_nothing() {
    let _alone = alone();
    for bytes in [5000usize, 8 << 20] {
        let block = Block::new(bytes);
        let neighbour = Block::new(bytes);
        // Where a view begins, on the start of a page as for blocks with pages of their own.
        let view = (block.0 + 4096) & !4095;
        for size in [(bytes as u64 * 4) & !4095 | 2, 0x0fff_f002, 1 << 20 | 1, 1 << 20 | 5, u64::MAX] {
            // SAFETY: the words lie in the block.
            unsafe {
                (view as *mut u64).write(0);
                ((view + 8) as *mut u64).write(size);
            }
            let bench = Bench::new();
            assert_eq!(bench.peek(view + 16, 0), 0, "{size:#x}");
            let distance = (block.0 + block.1 - (view + 16)) as i64;
            refused(view + 16, distance + 64);
            refused(view + 16, neighbour.0.wrapping_sub(view + 16) as i64);
        }
    }
}

#[test]
fn the_stack_is_refused_and_so_are_data_and_code_of_libraries() {
    let _alone = alone();
    static DATA: [u8; 64] = [7; 64];
    let local = [1u8; 64];
    let code = refused as *const () as u64;
    for at in [local.as_ptr() as u64, DATA.as_ptr() as u64, code, client::library() as *const _ as u64] {
        refused(at, 0);
    }
    assert_eq!(local[0] + DATA[0], 8);
}

#[test]
fn memory_that_the_program_mapped_itself_is_refused_until_it_is_declared_or_registered() {
    let _alone = alone();
    let bytes = 1usize << 20;
    // SAFETY: a new mapping takes nothing from anybody.
    let start = unsafe {
        let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS;
        libc::mmap(std::ptr::null_mut(), bytes, libc::PROT_READ | libc::PROT_WRITE, flags, -1, 0)
    } as u64;
    refused(start + 5000, 0);
    call("ptxvm_declare_host_range", (start + 4096, 1000usize));
    let bench = Bench::new();
    assert_eq!((bench.peek(start + 5000, -904), bench.poke(start + 5000, 95)), (0, 0));
    refused(start + 5000, 96);
    refused(start + 5000, -905);
    refused(start, 4096);
    call("ptxvm_forget_host_range", (start + 4096, 1000usize));
    assert_eq!(answer("ptxvm_forget_host_range", (start + 4096, 1000usize)), 1);
    refused(start + 5000, 0);
    call("cuMemHostRegister_v2", (start + 4096, 4096usize, 0u32));
    assert_eq!(bench.peek(start + 5000, 0), 0);
    call("cuMemHostUnregister", (start + 4096,));
    refused(start + 5000, 0);
}

#[test]
fn a_declared_view_ends_where_it_says_and_a_whole_array_beside_it_too() {
    let _alone = alone();
    let array = vec![0u8; 4096];
    let (start, view) = (array.as_ptr() as u64, array.as_ptr() as u64 + 3700);
    call("ptxvm_declare_host_range", (view, 96usize));
    assert_eq!(Bench::new().peek(view, 95), 0);
    refused(view, 96);
    // The whole array is a block; it is passed as one, and both at once are the whole.
    assert_eq!(Bench::new().peek(start, 4095), 0);
    call("ptxvm_declare_host_range", (start, 4096usize));
    assert_eq!(Bench::new().poke(start, 4095), 0);
    refused(view, 96);
    // Two arrays that begin at one place: the larger is meant.
    call("ptxvm_declare_host_range", (start, 128usize));
    assert_eq!(Bench::new().peek(start, 4095), 0);
    for (at, bytes) in [(view, 96usize), (start, 4096), (start, 128)] {
        call("ptxvm_forget_host_range", (at, bytes));
    }
}

#[test]
fn wrong_declarations_are_refused() {
    let _alone = alone();
    let array = [0u8; 16];
    let at = array.as_ptr() as u64;
    for (start, bytes) in
        [(0u64, 16usize), (at, 0), (at, usize::MAX), (16, 16), (1 << 47, 4096), (u64::MAX, 1)]
    {
        assert_eq!(answer("ptxvm_declare_host_range", (start, bytes)), 1, "{start:#x} {bytes:#x}");
    }
}

#[test]
fn what_the_host_cannot_write_a_kernel_cannot_either() {
    let _alone = alone();
    static CONSTANT: [u8; 64] = [9; 64];
    let start = CONSTANT.as_ptr() as u64;
    refused(start, 0);
    call("ptxvm_declare_host_range", (start, 64usize));
    assert_eq!(Bench::new().peek(start, 63), 0);
    assert_eq!(Bench::new().poke(start, 0), ILLEGAL_ADDRESS);
    call("ptxvm_forget_host_range", (start, 64usize));
}

#[test]
fn a_number_opens_nothing() {
    let _alone = alone();
    let bench = Bench::new();
    let array = Block::new(100);
    let at = array.0;
    // The kernel gets the address as a number, and finds it in memory as well: nobody passed it as an address.
    call("cuMemcpyHtoD_v2", (bench.out + 8, &raw const at, 8usize));
    assert_eq!(launch(bench.module.kernel("number"), [1; 3], [1; 3], 0, &[at, bench.out]), 0);
    assert_eq!(answer("cuCtxSynchronize", ()), ILLEGAL_ADDRESS);
}

#[test]
fn each_pointer_of_a_structure_opens_its_own_block() {
    let _alone = alone();
    let bench = Bench::new();
    let (one, other) = (vec![3u8; 100], vec![4u8; 5000]);
    let both = [one.as_ptr() as u64 + 99, 0, other.as_ptr() as u64 + 4999];
    let list = [both.as_ptr().cast::<u64>(), &raw const bench.out];
    let kernel = bench.module.kernel("pair");
    call("cuLaunchKernel", (kernel, 1u32, 1u32, 1u32, 1u32, 1u32, 1u32, 0u32, 0u64, list.as_ptr(), 0u64));
    call("cuCtxSynchronize", ());
    assert_eq!(client::read(bench.out, 1), [7]);
    drop(bench.context);
}

#[test]
fn blocks_are_found_while_other_threads_allocate_and_free() {
    let _alone = alone();
    /// Ends the other threads also if the test fails.
    struct Stop<'a>(&'a AtomicBool);
    impl Drop for Stop<'_> {
        fn drop(&mut self) {
            self.0.store(true, Ordering::Relaxed);
        }
    }
    let bench = Bench::new();
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        let _stop = Stop(&stop);
        for seed in 1..=2u64 {
            let stop = &stop;
            scope.spawn(move || {
                let mut state = seed;
                let mut held: Vec<(*mut u8, Layout)> = Vec::new();
                while !stop.load(Ordering::Relaxed) {
                    state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
                    let large = state >> 60 == 0;
                    let bytes = (state >> 33) as usize % if large { 1 << 20 } else { 3000 } + 1;
                    let layout = Layout::from_size_align(bytes, 16).expect("a layout");
                    // SAFETY: the layout has bytes, and each block is freed once with its own.
                    unsafe {
                        held.push((alloc_zeroed(layout), layout));
                        if held.len() > 200 {
                            let (block, layout) = held.swap_remove(state as usize % 200);
                            dealloc(block, layout);
                        }
                    }
                }
                // SAFETY: as above.
                held.into_iter().for_each(|(block, layout)| unsafe { dealloc(block, layout) });
            });
        }
        let blocks: Vec<Block> = (0..24usize).map(|index| Block::new(100 + 33_391 * index)).collect();
        for block in &blocks {
            assert_eq!(bench.poke(block.0 + 50, (block.1 - 51) as i64), 0, "{} bytes", block.1);
        }
    });
}

/// Arrays that are declared, registered, passed and freed by many threads at once, with views that overlap: each launch
/// ends well or with a fault of its own, and the process goes on.
#[test]
fn arrays_come_and_go_under_launches_of_many_threads() {
    let _alone = alone();
    let shared = vec![0u8; 1 << 16];
    std::thread::scope(|scope| {
        for thread in 0..4u64 {
            let shared = shared.as_ptr() as u64;
            scope.spawn(move || {
                let bench = Bench::new();
                for turn in 0..60u64 {
                    let own = Block::new(1 << (4 + (turn + thread) % 18));
                    assert_eq!(bench.poke(own.0 + own.1 / 2, 0), 0, "its own block");
                    // Views of one array, each of which begins in the one before; all but the last byte are common.
                    let (start, bytes) = (shared + 64 * thread, (1usize << 15) - turn as usize);
                    call("ptxvm_declare_host_range", (start, bytes));
                    // One thread at a time can register what comes after all of them.
                    let after = shared + (1 << 15) + 4096;
                    let register = answer("cuMemHostRegister_v2", (after, 4096usize, 0u32));
                    assert!(matches!(register, 0 | 1 | 712), "{register}");
                    assert_eq!(bench.peek(start, bytes as i64 - 1), 0, "a view");
                    if register == 0 {
                        call("cuMemHostUnregister", (after,));
                    }
                    call("ptxvm_forget_host_range", (start, bytes));
                }
            });
        }
    });
}
