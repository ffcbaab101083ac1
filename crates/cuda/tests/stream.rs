//! Streams and events from outside: what waits for what, and what does not.
#![allow(unsafe_code)]

mod client;

use std::ffi::c_void;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use client::{Context, Handle, Module, answer, call, launch, read};

const KERNELS: &str = include_str!("kernels.ptx");
/// Turns of the slow kernel: tens of milliseconds.
const TURNS: u64 = 300_000;
const NON_BLOCKING: u32 = 1;
const DISABLE_TIMING: u32 = 2;
const LEGACY: Handle = 1;
const PER_THREAD: Handle = 2;

const INVALID_VALUE: u32 = 1;
const INVALID_HANDLE: u32 = 400;
const NOT_READY: u32 = 600;
const ILLEGAL_ADDRESS: u32 = 700;
const CONTEXT_IS_DESTROYED: u32 = 709;
const NOT_PERMITTED: u32 = 800;

/// A context with the kernels.
struct Bench {
    context: Context,
    module: Module,
}

impl Bench {
    fn new() -> Self {
        let context = Context::new();
        let module = context.module(KERNELS);
        Self { context, module }
    }

    #[track_caller]
    fn go(&self, kernel: &str, stream: Handle, parameters: &[u64]) {
        let kernel = self.module.kernel(kernel);
        assert_eq!(launch(kernel, [1; 3], [1; 3], stream, parameters), 0);
    }

    /// Lets one stream write slowly and another copy what it finds; gives what the copy found.
    fn slow_then_copy(&self, slow: Handle, copy: Handle, between: impl FnOnce()) -> u32 {
        let at = self.context.memory(8);
        self.go("slow_write", slow, &[at, TURNS, 7]);
        between();
        self.go("copy", copy, &[at + 4, at]);
        call("cuCtxSynchronize", ());
        let found = read(at, 2);
        assert_eq!(found[0], 7, "the slow kernel has been done in any case");
        found[1]
    }

    /// Whether a kernel of one stream can end while it waits for one that a second stream is given later.
    fn side_by_side(&self, first: Handle, second: Handle) -> bool {
        let flag = self.context.memory(8);
        self.go("answer", first, &[flag]);
        self.go("slow_write", second, &[flag, 0, 41]);
        let began = Instant::now();
        while answer("cuStreamQuery", (first,)) == NOT_READY && began.elapsed() < Duration::from_secs(20) {
            std::thread::sleep(Duration::from_micros(100));
        }
        let done = answer("cuStreamQuery", (first,)) == 0;
        // SAFETY: a device address is an address of the process; whoever still waits is let go on.
        unsafe { &*(flag as *const AtomicU32) }.store(41, Ordering::SeqCst);
        call("cuCtxSynchronize", ());
        assert_eq!(read(flag, 2), [41, 42]);
        done
    }
}

#[test]
fn streams_run_beside_each_other() {
    let bench = Bench::new();
    for flags in [NON_BLOCKING, 0] {
        let (a, b) = (bench.context.stream(flags), bench.context.stream(flags));
        assert!(bench.side_by_side(a, b) && bench.side_by_side(b, a));
    }
}

#[test]
fn a_stream_keeps_its_order() {
    let bench = Bench::new();
    let stream = bench.context.stream(NON_BLOCKING);
    assert_eq!(bench.slow_then_copy(stream, stream, || ()), 7);
    let list = bench.context.memory(4 * 101);
    (1..=100).for_each(|n| bench.go("append", stream, &[list, n]));
    call("cuStreamSynchronize", (stream,));
    assert_eq!(read(list + 4, 100), (1..=100).collect::<Vec<u32>>());
}

#[test]
fn an_event_orders_two_streams() {
    let bench = Bench::new();
    let (a, b) = (bench.context.stream(NON_BLOCKING), bench.context.stream(NON_BLOCKING));
    let event = bench.context.event(DISABLE_TIMING);
    let found = bench.slow_then_copy(a, b, || {
        call("cuEventRecord", (event, a));
        assert_eq!(answer("cuEventQuery", (event,)), NOT_READY);
        call("cuStreamWaitEvent", (b, event, 0u32));
        // Another recording moves the event, not those who wait for the first.
        call("cuEventRecord", (event, bench.context.stream(NON_BLOCKING)));
    });
    assert_eq!(found, 7);
    call("cuEventSynchronize", (event,));
    call("cuEventQuery", (event,));
}

#[test]
fn the_legacy_stream_waits_for_blocking_streams_and_they_for_it() {
    let bench = Bench::new();
    let (blocking, free) = (bench.context.stream(0), bench.context.stream(NON_BLOCKING));
    for legacy in [0, LEGACY] {
        assert_eq!(bench.slow_then_copy(blocking, legacy, || ()), 7);
        assert_eq!(bench.slow_then_copy(legacy, blocking, || ()), 7);
        assert_eq!(bench.slow_then_copy(PER_THREAD, legacy, || ()), 7);
        assert_eq!(bench.slow_then_copy(legacy, PER_THREAD, || ()), 7);
        assert!(bench.side_by_side(free, legacy) && bench.side_by_side(legacy, free));
    }
    // Through the legacy stream one blocking stream waits for another.
    let other = bench.context.stream(0);
    assert_eq!(bench.slow_then_copy(blocking, other, || bench.go("empty", 0, &[])), 7);
    assert!(bench.side_by_side(PER_THREAD, blocking));
}

#[test]
fn the_default_stream_of_a_thread_is_its_own() {
    let bench = Bench::new();
    let flag = bench.context.memory(8);
    let [waits, sets] = ["answer", "slow_write"].map(|name| bench.module.kernel(name));
    let own = |kernel: Handle, parameters: &[u64]| {
        let list: Vec<*const u64> = parameters.iter().map(std::ptr::from_ref).collect();
        let none = std::ptr::null::<c_void>();
        let shape = (1u32, 1u32, 1u32);
        let arguments =
            (kernel, shape.0, shape.1, shape.2, 1u32, 1u32, 1u32, 0u32, 0u64, list.as_ptr(), none);
        call("cuLaunchKernel_ptsz", arguments);
    };
    own(waits, &[flag]);
    assert_eq!(answer("cuStreamQuery_ptsz", (0u64,)), NOT_READY);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            bench.context.enter();
            call("cuStreamQuery_ptsz", (0u64,));
            own(sets, &[flag, 0, 41]);
            call("cuStreamSynchronize_ptsz", (0u64,));
        });
    });
    call("cuStreamSynchronize_ptsz", (0u64,));
    assert_eq!(read(flag, 2), [41, 42]);
    let ids = [0, LEGACY, PER_THREAD].map(|stream: Handle| {
        let mut id = 0u64;
        call("cuStreamGetId", (stream, &raw mut id));
        id
    });
    assert!(ids[0] == ids[1] && ids[0] != ids[2]);
    let mut id = 0u64;
    call("cuStreamGetId_ptsz", (0u64, &raw mut id));
    assert_eq!(id, ids[2]);
}

#[test]
fn a_stream_that_is_destroyed_does_its_work() {
    let bench = Bench::new();
    let stream = bench.context.stream(NON_BLOCKING);
    let at = bench.context.memory(4);
    bench.go("slow_write", stream, &[at, TURNS, 7]);
    call("cuStreamDestroy_v2", (stream,));
    assert_eq!(answer("cuStreamSynchronize", (stream,)), INVALID_HANDLE);
    assert_eq!(launch(bench.module.kernel("empty"), [1; 3], [1; 3], stream, &[]), INVALID_HANDLE);
    call("cuCtxSynchronize", ());
    assert_eq!(read(at, 1), [7]);
    for default in [0, LEGACY, PER_THREAD, stream, bench.module.0] {
        assert_eq!(answer("cuStreamDestroy_v2", (default,)), INVALID_HANDLE);
    }
}

#[test]
fn queries_tell_what_a_stream_is() {
    let bench = Bench::new();
    let stream = |priority: i32, flags: u32| {
        client::make("a stream", |made| answer("cuStreamCreateWithPriority", (made, flags, priority)))
    };
    let number = |name: &str, stream: Handle| {
        let mut number = 99i32;
        call(name, (stream, &raw mut number));
        number
    };
    for (asked, given) in [(-100, -5), (-5, -5), (-1, -1), (0, 0), (1, 0), (100, 0)] {
        assert_eq!(number("cuStreamGetPriority", stream(asked, 0)), given);
    }
    assert_eq!(number("cuStreamGetFlags", stream(0, NON_BLOCKING)), 1);
    assert_eq!([0, LEGACY, PER_THREAD].map(|default| number("cuStreamGetFlags", default)), [0; 3]);
    assert_eq!(number("cuStreamGetDevice", stream(0, 0)), 0);
    for stream in [0, LEGACY, PER_THREAD, stream(0, 0)] {
        let (mut context, mut green) = (0u64, 99u64);
        call("cuStreamGetCtx_v2", (stream, &raw mut context, &raw mut green));
        assert_eq!((context, green), (bench.context.0, 0));
    }
    assert_eq!(answer("cuStreamCreate", (std::ptr::null_mut::<Handle>(), 0u32)), INVALID_VALUE);
    let mut made = 0u64;
    assert_eq!(answer("cuStreamCreate", (&raw mut made, 2u32)), INVALID_VALUE);
}

#[test]
fn attributes_are_kept_and_copied() {
    let bench = Bench::new();
    let (a, b) = (bench.context.stream(0), bench.context.stream(0));
    let set = |stream: Handle, id: u32, first: u64| {
        answer("cuStreamSetAttribute", (stream, id, &[first, 0, 0, 0, 0, 0, 0, 0]))
    };
    let get = |stream: Handle, id: u32| {
        let mut value = [99u64; 8];
        call("cuStreamGetAttribute", (stream, id, &raw mut value));
        value[0]
    };
    let (policy, priority, domain) = (3, 8, 10);
    assert_eq!((set(a, policy, 4), set(a, priority, (-3i32 as u32).into()), set(a, domain, 1)), (0, 0, 0));
    call("cuStreamCopyAttributes", (b, a));
    assert_eq!((get(b, policy), get(b, priority) as u32 as i32, get(b, domain)), (4, -3, 1));
    assert_eq!((set(a, policy, 9), set(a, domain, 2), set(a, 2, 1), set(a, 77, 1)), (1, 1, 1, 1));
    assert_eq!(get(bench.context.stream(0), policy), 1);
}

#[test]
fn two_threads_and_two_streams() {
    let bench = Bench::new();
    let lists = [0, 1].map(|_| bench.context.memory(4 * 501));
    let shared = bench.context.stream(NON_BLOCKING);
    let both = bench.context.memory(4 * 2001);
    std::thread::scope(|scope| {
        for list in lists {
            let bench = &bench;
            scope.spawn(move || {
                bench.context.enter();
                let stream = bench.context.stream(NON_BLOCKING);
                for n in 1..=500 {
                    bench.go("append", stream, &[list, n]);
                    // Both threads give work to one stream: none is lost, whoever comes first.
                    bench.go("append", shared, &[both, n]);
                }
                call("cuStreamSynchronize", (stream,));
            });
        }
    });
    call("cuStreamSynchronize", (shared,));
    let ordered: Vec<u32> = (1..=500).collect();
    lists.iter().for_each(|list| assert_eq!(read(list + 4, 500), ordered));
    let mut mixed = read(both, 1001);
    assert_eq!(mixed.remove(0), 1000);
    mixed.sort_unstable();
    assert_eq!(mixed, ordered.iter().flat_map(|n| [*n, *n]).collect::<Vec<_>>());
}

/// What host functions note, in the order in which they are called.
type Notes = Arc<Mutex<Vec<(u32, u32)>>>;

struct Note {
    notes: Notes,
    number: u32,
    /// A word of device memory that is read from within, if not null.
    at: u64,
    /// A stream that is waited for from within, if not the first default one.
    wait: Handle,
}

extern "C" fn note(data: *mut c_void) {
    // SAFETY: every call has a note of its own, which it takes.
    let note = unsafe { Box::from_raw(data.cast::<Note>()) };
    let mut seen = 0;
    if note.at != 0 {
        // SAFETY: a device address is an address of the process, and the work before has been done.
        seen =
            unsafe { (note.at as *const AtomicU32).as_ref() }.map_or(0, |word| word.load(Ordering::Relaxed));
    }
    if note.wait != 0 {
        seen = answer("cuStreamSynchronize", (note.wait,));
    }
    note.notes.lock().expect("no panic").push((note.number, seen));
}

extern "C" fn told(stream: Handle, status: u32, data: *mut c_void) {
    // SAFETY: as above.
    let note = unsafe { Box::from_raw(data.cast::<Note>()) };
    note.notes.lock().expect("no panic").push((status, stream as u32));
}

#[test]
fn host_functions_and_callbacks_come_in_their_turn() {
    let bench = Bench::new();
    let stream = bench.context.stream(NON_BLOCKING);
    let at = bench.context.memory(4);
    let notes = Notes::default();
    let give = |number: u32| {
        let note = Note { notes: Arc::clone(&notes), number, at, wait: 0 };
        Box::into_raw(Box::new(note)).cast::<c_void>()
    };
    for number in 1..=3u32 {
        bench.go("slow_write", stream, &[at, TURNS / 4, number.into()]);
        call("cuLaunchHostFunc", (stream, note as extern "C" fn(_), give(number)));
    }
    call("cuStreamAddCallback", (stream, told as extern "C" fn(_, _, _), give(0), 0u32));
    assert!(notes.lock().expect("no panic").len() < 4, "the calls do not wait");
    call("cuStreamSynchronize", (stream,));
    let expected = [(1, 1), (2, 2), (3, 3), (0, stream as u32)];
    assert_eq!(*notes.lock().expect("no panic"), expected);
    let (none, data) = (None::<extern "C" fn(*mut c_void)>, std::ptr::null_mut::<c_void>());
    assert_eq!(answer("cuLaunchHostFunc", (stream, none, data)), INVALID_VALUE);
    let unknown = answer("cuStreamAddCallback", (stream, told as extern "C" fn(_, _, _), data, 1u32));
    assert_eq!(unknown, INVALID_VALUE);
}

#[test]
fn a_host_function_may_wait_for_others_and_not_for_itself() {
    let bench = Bench::new();
    let (own, other) = (bench.context.stream(0), bench.context.stream(NON_BLOCKING));
    let late = bench.context.stream(NON_BLOCKING);
    let event = bench.context.event(DISABLE_TIMING);
    let at = bench.context.memory(4);
    let notes = Notes::default();
    bench.go("slow_write", own, &[at, TURNS, 1]);
    for (number, wait) in [(1, other), (2, own), (3, late)] {
        let note = Note { notes: Arc::clone(&notes), number, at: 0, wait };
        let data = Box::into_raw(Box::new(note)).cast::<c_void>();
        call("cuLaunchHostFunc", (own, self::note as extern "C" fn(_), data));
    }
    bench.go("slow_write", other, &[at, TURNS, 2]);
    // This one comes after the functions, by an event.
    call("cuEventRecord", (event, own));
    call("cuStreamWaitEvent", (late, event, 0u32));
    call("cuStreamSynchronize", (own,));
    assert_eq!(*notes.lock().expect("no panic"), [(1, 0), (2, NOT_PERMITTED), (3, NOT_PERMITTED)]);
}

#[test]
fn the_host_sets_a_flag_that_a_running_kernel_waits_for() {
    let bench = Bench::new();
    let mut page = 0u64;
    call("cuMemHostAlloc", (&raw mut page, 64usize, 2u32));
    let mut flag = 0u64;
    call("cuMemHostGetDevicePointer_v2", (&raw mut flag, page, 0u32));
    // SAFETY: the page has 64 bytes.
    let words = unsafe { &*(page as *const [AtomicU32; 2]) };
    let stream = bench.context.stream(NON_BLOCKING);
    bench.go("answer", stream, &[flag]);
    std::thread::sleep(Duration::from_millis(20));
    assert_eq!(answer("cuStreamQuery", (stream,)), NOT_READY);
    words[0].store(41, Ordering::SeqCst);
    let began = Instant::now();
    // Without any further call of the driver.
    while words[1].load(Ordering::SeqCst) != 42 {
        assert!(began.elapsed() < Duration::from_secs(20), "the kernel does not see the flag");
        std::thread::yield_now();
    }
    call("cuStreamSynchronize", (stream,));
    call("cuMemFreeHost", (page,));
}

#[test]
fn streams_wait_for_values_and_write_them() {
    let bench = Bench::new();
    let (a, b) = (bench.context.stream(NON_BLOCKING), bench.context.stream(NON_BLOCKING));
    let at = bench.context.memory(32);
    let (flag, wide) = (at + 8, at + 16);
    bench.go("slow_write", a, &[at, TURNS, 7]);
    call("cuStreamWriteValue32_v2", (a, flag, 5u32, 0u32));
    // Wait until it is at least 5, then until the wide value has bit 33.
    call("cuStreamWaitValue32_v2", (b, flag, 5u32, 0u32));
    call("cuStreamWaitValue64_v2", (b, wide, 1u64 << 33, 2u32));
    bench.go("copy", b, &[at + 4, at]);
    call("cuStreamSynchronize", (a,));
    std::thread::sleep(Duration::from_millis(5));
    assert_eq!(answer("cuStreamQuery", (b,)), NOT_READY);
    call("cuStreamWriteValue64_v2", (a, wide, 3u64 << 33, 0u32));
    call("cuStreamSynchronize", (b,));
    assert_eq!(read(at, 3), [7, 7, 5]);

    // A batch: write 9, wait for it, barrier, write the wide value.
    let word = |kind: u64, address: u64, value: u64, flags: u64| [kind, address, value, flags, 0, 0];
    let batch = [word(2, flag, 9, 0), word(1, flag, 9, 1), word(6, 0, 0, 0), word(5, wide, 11, 0)];
    call("cuStreamBatchMemOp_v2", (b, 4u32, batch.as_ptr(), 0u32));
    call("cuStreamSynchronize", (b,));
    assert_eq!(read(flag, 4), [9, 0, 11, 0]);
    let wrong = [word(7, flag, 0, 0)];
    assert_eq!(answer("cuStreamBatchMemOp_v2", (b, 1u32, wrong.as_ptr(), 0u32)), INVALID_VALUE);
    for (address, flags) in [(flag + 2, 0u32), (0x1234_5678_9000, 0), (flag, 4)] {
        assert_eq!(answer("cuStreamWaitValue32_v2", (b, address, 0u32, flags)), INVALID_VALUE);
    }
}

#[test]
fn a_fault_ends_the_context_and_everything_that_waits() {
    let bench = Bench::new();
    let flag = bench.context.memory(8);
    let [endless, waiting, faulty] = [0; 3].map(|_| bench.context.stream(NON_BLOCKING));
    let event = bench.context.event(0);
    let notes = Notes::default();
    let give = || {
        let note = Note { notes: Arc::clone(&notes), number: 1, at: 0, wait: 0 };
        Box::into_raw(Box::new(note)).cast::<c_void>()
    };
    bench.go("answer", endless, &[flag]);
    call("cuStreamWaitValue32_v2", (waiting, flag, 1u32, 0u32));
    call("cuEventRecord", (event, waiting));
    call("cuStreamAddCallback", (waiting, told as extern "C" fn(_, _, _), give(), 0u32));
    let empty = bench.module.kernel("empty");
    bench.go("fault", faulty, &[]);
    for result in [
        answer("cuStreamSynchronize", (faulty,)),
        answer("cuStreamSynchronize", (endless,)),
        answer("cuStreamSynchronize", (waiting,)),
        answer("cuEventSynchronize", (event,)),
        answer("cuEventQuery", (event,)),
        answer("cuStreamQuery", (0u64,)),
        answer("cuCtxSynchronize", ()),
        launch(empty, [1; 3], [1; 3], 0, &[]),
        answer("cuStreamDestroy_v2", (endless,)),
    ] {
        assert_eq!(result, ILLEGAL_ADDRESS);
    }
    let began = Instant::now();
    // The callback is told of the fault.
    while *notes.lock().expect("no panic") != [(ILLEGAL_ADDRESS, waiting as u32)] {
        assert!(began.elapsed() < Duration::from_secs(20));
        std::thread::yield_now();
    }

    // Another context has nothing to do with it, and neither has one that is made afterwards.
    drop(bench);
    let fresh = Bench::new();
    let stream = fresh.context.stream(0);
    assert_eq!(fresh.slow_then_copy(stream, 0, || ()), 7);
}

#[test]
fn a_thread_may_wait_while_another_destroys_the_context() {
    let bench = Bench::new();
    let stream = bench.context.stream(NON_BLOCKING);
    let at = bench.context.memory(4);
    bench.go("slow_write", stream, &[at, TURNS, 7]);
    let waits = std::thread::spawn(move || answer("cuStreamSynchronize", (stream,)));
    std::thread::sleep(Duration::from_millis(5));
    drop(bench);
    let result = waits.join().expect("no panic");
    assert!([0, INVALID_HANDLE, CONTEXT_IS_DESTROYED].contains(&result), "{result}");
    assert_eq!(answer("cuStreamSynchronize", (stream,)), INVALID_HANDLE);
}
