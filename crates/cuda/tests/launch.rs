//! Launches from outside: how parameters are handed over, and which launches are refused at the call.

mod client;
mod launch_ex;

use std::ffi::c_void;

use client::{Context, Handle, Module, answer, call, launch, read};
use launch_ex::{Attribute, launch_ex, launch_shaped};

const KERNELS: &str = include_str!("kernels.ptx");
const SUCCESS: u32 = 0;
const INVALID_VALUE: u32 = 1;
const INVALID_HANDLE: u32 = 400;
const OUT_OF_RESOURCES: u32 = 701;
const TOO_LARGE: u32 = 720;
const NOT_SUPPORTED: u32 = 801;
const INVALID_CLUSTER_SIZE: u32 = 912;
const DISABLE_TIMING: u32 = 2;

fn start() -> (Context, Module) {
    let context = Context::new();
    let module = context.module(KERNELS);
    (context, module)
}

/// A launch with dynamic shared memory and no parameters.
fn shaped(kernel: Handle, grid: [u32; 3], block: [u32; 3], shared: u32) -> u32 {
    let none = std::ptr::null::<c_void>();
    let ([gx, gy, gz], [bx, by, bz]) = (grid, block);
    answer("cuLaunchKernel", (kernel, gx, gy, gz, bx, by, bz, shared, 0u64, none, none))
}

/// The answers are those that an H200 gives.
#[test]
fn launches_over_the_limits_are_refused_at_the_call() {
    let (_context, module) = start();
    let empty = module.kernel("empty");
    let one = [1; 3];
    for (grid, block, shared) in [
        ([0, 1, 1], one, 0),
        (one, [0, 1, 1], 0),
        (one, [1025, 1, 1], 0),
        (one, [2048, 1, 1], 0),
        (one, [1, 1, 65], 0),
        (one, [32, 33, 1], 0),
        (one, [u32::MAX; 3], 0),
        ([1, 65536, 1], one, 0),
        ([1, 1, 65536], one, 0),
        ([1 << 31, 1, 1], one, 0),
        (one, one, 49153),
        (one, one, 232_449),
        (one, one, 1 << 31),
    ] {
        assert_eq!(shaped(empty, grid, block, shared), INVALID_VALUE, "{grid:?} {block:?} {shared}");
    }
    assert_eq!(shaped(empty, [3, 5, 7], [8, 8, 16], 49152), SUCCESS);
    let bounded = module.kernel("bounded");
    assert_eq!(shaped(bounded, one, [257, 1, 1], 0), INVALID_VALUE);
    assert_eq!(shaped(bounded, one, [1, 256, 1], 0), SUCCESS);
    let required = module.kernel("required");
    assert_eq!(shaped(required, one, [128, 1, 1], 0), INVALID_VALUE);
    assert_eq!(shaped(required, one, [64, 2, 1], 0), SUCCESS);
    let room = module.kernel("static_shared");
    assert_eq!(shaped(room, one, one, 9153), INVALID_VALUE);
    assert_eq!(shaped(room, one, one, 9152), SUCCESS);
    call("cuCtxSynchronize", ());
}

#[test]
fn handles_that_name_no_function_are_refused() {
    let (context, module) = start();
    let kernel = module.kernel("empty");
    let stream = context.stream(0);
    for handle in [0, 1, 0xdead_beef, u64::MAX, module.0, stream, context.0] {
        assert_eq!(shaped(handle, [1; 3], [1; 3], 0), INVALID_HANDLE, "{handle:#x}");
    }
    assert_eq!(launch(kernel, [1; 3], [1; 3], 0xdead_beef, &[]), INVALID_HANDLE);
    call("cuModuleUnload", (module.0,));
    assert_eq!(shaped(kernel, [1; 3], [1; 3], 0), INVALID_HANDLE);
}

#[test]
fn a_module_that_is_unloaded_finishes_its_launches() {
    let (context, module) = start();
    let at = context.memory(4);
    assert_eq!(launch(module.kernel("slow_write"), [1; 3], [1; 3], 0, &[at, 100_000, 7]), SUCCESS);
    call("cuModuleUnload", (module.0,));
    assert_eq!(read(at, 1), [7]);
}

#[test]
fn parameters_come_by_pointers_or_in_a_buffer() {
    let (context, module) = start();
    let (takes, to) = (module.kernel("takes"), context.memory(16));
    let none = std::ptr::null::<c_void>();
    let go = |list: *const c_void, extra: *const c_void| {
        answer("cuLaunchKernel", (takes, 1u32, 1u32, 1u32, 1u32, 1u32, 1u32, 0u32, 0u64, list, extra))
    };
    let mut a = 0x1111_2222_3333_4444u64;
    let mut b = 0x5555_6666u32;
    let list: [*const c_void; 3] = [(&raw const a).cast(), (&raw const b).cast(), (&raw const to).cast()];
    assert_eq!(go(list.as_ptr().cast(), none), SUCCESS);
    // The values were taken at the call.
    a = 1;
    b = 1;
    assert_eq!(read(to, 3), [0x3333_4444, 0x1111_2222, 0x5555_6666]);

    #[repr(C)]
    struct Buffer {
        a: u64,
        b: u32,
        to: u64,
    }
    let buffer = Buffer { a: a + 1, b: b + 2, to };
    let packed = |size: usize| {
        let extra: [*const c_void; 5] = [
            std::ptr::without_provenance(1),
            (&raw const buffer).cast(),
            std::ptr::without_provenance(2),
            (&raw const size).cast(),
            std::ptr::null(),
        ];
        go(none, extra.as_ptr().cast())
    };
    assert_eq!(packed(size_of::<Buffer>()), SUCCESS);
    assert_eq!(read(to, 3), [2, 0, 3]);
    assert_eq!(packed(size_of::<Buffer>() + 8), OUT_OF_RESOURCES);
    assert_eq!(go(none, none), INVALID_VALUE);
    let unknown: [usize; 3] = [7, 7, 0];
    assert_eq!(go(none, unknown.as_ptr().cast()), INVALID_VALUE);
    let empty: [usize; 1] = [0];
    assert_eq!(go(none, empty.as_ptr().cast()), INVALID_VALUE);
}

/// A launch with one attribute.
fn with(kernel: Handle, grid: u32, id: u32, words: &[u32]) -> u32 {
    launch_ex(kernel, [grid, 1, 1], 0, &[Attribute::new(id, words)], &[])
}

/// The answers are those that an H200 gives.
#[test]
fn attributes_of_a_launch() {
    let (context, module) = start();
    let empty = module.kernel("empty");
    for id in [0, 1, 2, 5, 6, 8, 9, 10, 14, 16] {
        assert_eq!((with(empty, 1, id, &[0]), with(empty, 1, id, &[1])), (SUCCESS, SUCCESS), "{id}");
    }
    for id in [3, 15, 99, u32::MAX] {
        assert_eq!(with(empty, 1, id, &[1]), INVALID_VALUE, "{id}");
    }
    assert_eq!((with(empty, 1, 11, &[0]), with(empty, 1, 11, &[1])), (SUCCESS, INVALID_CLUSTER_SIZE));
    assert_eq!(with(empty, 1, 13, &[0]), NOT_SUPPORTED);
    assert_eq!((with(empty, 1, 7, &[0]), with(empty, 1, 12, &[0])), (INVALID_HANDLE, INVALID_HANDLE));
    for (cluster, grid, answer) in [
        ([1, 1, 1], 4, SUCCESS),
        ([2, 1, 1], 4, SUCCESS),
        ([2, 1, 1], 3, INVALID_CLUSTER_SIZE),
        ([9, 1, 1], 9, INVALID_CLUSTER_SIZE),
        ([0, 1, 1], 1, INVALID_CLUSTER_SIZE),
    ] {
        assert_eq!(with(empty, grid, 4, &cluster), answer, "{cluster:?} {grid}");
    }
    // An event that is fired by the launch, after all work before it.
    let (at, event) = (context.memory(4), context.event(DISABLE_TIMING));
    assert_eq!(launch(module.kernel("slow_write"), [1; 3], [1; 3], 0, &[at, 100_000, 7]), SUCCESS);
    assert_eq!(with(empty, 1, 12, &[event as u32, (event >> 32) as u32]), SUCCESS);
    let stream = context.stream(1);
    call("cuStreamWaitEvent", (stream, event, 0u32));
    assert_eq!(launch(module.kernel("copy"), [1; 3], [1; 3], stream, &[at, at]), SUCCESS);
    call("cuStreamSynchronize", (stream,));
    assert_eq!(read(at, 1), [7]);
    let none = std::ptr::null::<c_void>();
    assert_eq!(answer("cuLaunchKernelEx", (none, empty, none, none)), INVALID_VALUE);
}

#[test]
fn cooperative_launches_must_be_resident() {
    let (_context, module) = start();
    let empty = module.kernel("empty");
    let go = |ctas: u32| {
        let none = std::ptr::null::<c_void>();
        let arguments = (empty, ctas, 1u32, 1u32, 128u32, 1u32, 1u32, 0u32, 0u64, none);
        answer("cuLaunchCooperativeKernel", arguments)
    };
    assert_eq!((go(132), go(132 * 32 + 1)), (SUCCESS, TOO_LARGE));
    call("cuCtxSynchronize", ());
}

/// An H200 takes as many CTAs as its occupancy calls say, to the CTA, whatever limits them: registers, shared memory, the
/// carveout or clusters.
#[test]
fn cooperative_launches_fit_as_the_occupancy_calls_say() {
    const CARVEOUT: i32 = 9;
    let context = Context::new();
    let at = context.memory(4096);
    let fits = |kernel: Handle, shared: u32| {
        let (mut per_sm, parameters) = (0i32, [(&raw const at).cast::<c_void>()]);
        let arguments = (&raw mut per_sm, kernel, 128i32, shared as usize);
        call("cuOccupancyMaxActiveBlocksPerMultiprocessor", arguments);
        let go = |ctas: u32| {
            let parameters = parameters.as_ptr();
            let arguments = (kernel, ctas, 1u32, 1u32, 128u32, 1u32, 1u32, shared, 0u64, parameters);
            answer("cuLaunchCooperativeKernel", arguments)
        };
        let most = per_sm as u32 * 132;
        assert_eq!((go(most), go(most + 1)), (SUCCESS, TOO_LARGE), "{per_sm} CTAs of a multiprocessor");
        per_sm
    };
    for (live, alone, beside_shared) in [(1, 16, 11), (32, 12, 11), (40, 10, 10), (64, 7, 7), (120, 4, 4)] {
        let kernel = context.module(&with_live_registers(live)).kernel("k");
        assert_eq!((fits(kernel, 0), fits(kernel, 20_000)), (alone, beside_shared), "{live} registers");
        call("cuFuncSetAttribute", (kernel, CARVEOUT, 0i32));
        assert_eq!((fits(kernel, 0), fits(kernel, 20_000)), (alone.min(8), 1), "{live} registers");
    }
    call("cuCtxSynchronize", ());
    let kernel = context.module(&with_live_registers(16)).kernel("k");
    for (size, threads, clusters) in [(2, 128, 528), (4, 1024, 62), (8, 128, 124), (8, 1024, 30)] {
        let attributes = [Attribute::new(4, &[size, 1, 1]), Attribute::new(2, &[1])];
        let block = [threads, 1, 1];
        let go = |ctas: u32| launch_shaped(kernel, [ctas, 1, 1], block, 0, 0, &attributes, &[at]);
        let most = clusters * size;
        assert_eq!((go(most), go(most + size)), (SUCCESS, TOO_LARGE), "{clusters} clusters of {size}");
    }
    call("cuCtxSynchronize", ());
}

/// A kernel that has so many words in registers at once.
fn with_live_registers(words: usize) -> String {
    let loads: String =
        (0..words).map(|i| format!("ld.volatile.global.u32 %r{i}, [%rd0+{}];\n", 4 * i)).collect();
    let stores: String = (0..words)
        .map(|i| format!("st.volatile.global.u32 [%rd0+{}], %r{};\n", 4 * i, words - 1 - i))
        .collect();
    format!(
        ".version 9.1\n.target sm_90a\n.address_size 64\n.visible .entry k(.param .u64 p) {{\n\
         .reg .b64 %rd<1>; .reg .b32 %r<{words}>;\nld.param.u64 %rd0, [p];\n{loads}{stores}ret;\n}}"
    )
}
