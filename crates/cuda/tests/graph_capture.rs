//! Captures as clients make them: streams that take down, forks and joins, and what is refused. The numbers of refusals
//! are those that an H200 gives (`tests/golden/driver`).
#![allow(unsafe_code)]

mod client;

use std::sync::{Mutex, MutexGuard, PoisonError};

use client::{Context, Handle, answer, call, launch, make, read};

const UNSUPPORTED: u32 = 900;
const INVALIDATED: u32 = 901;
const MERGE: u32 = 902;
const UNMATCHED: u32 = 903;
const UNJOINED: u32 = 904;
const ISOLATION: u32 = 905;
const IMPLICIT: u32 = 906;
const CAPTURED_EVENT: u32 = 907;
const WRONG_THREAD: u32 = 908;
const ILLEGAL_STATE: u32 = 401;
const INVALID_VALUE: u32 = 1;

const GLOBAL: u32 = 0;
const THREAD_LOCAL: u32 = 1;
const RELAXED: u32 = 2;
const NON_BLOCKING: u32 = 1;

const KERNELS: &str = include_str!("kernels.ptx");

/// A capture in the global mode concerns all threads of the process, those of other tests too.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

#[track_caller]
fn begin(stream: Handle, mode: u32) {
    call("cuStreamBeginCapture_v2", (stream, mode));
}

/// Ends a capture: the answer and the graph.
fn end(stream: Handle) -> (u32, Handle) {
    let mut graph: Handle = 77;
    let result = answer("cuStreamEndCapture", (stream, &raw mut graph));
    (result, graph)
}

fn status(stream: Handle) -> u32 {
    let mut status = 99u32;
    call("cuStreamIsCapturing", (stream, &raw mut status));
    status
}

#[track_caller]
fn instantiate(graph: Handle) -> Handle {
    make("an executable graph", |made| answer("cuGraphInstantiateWithFlags", (made, graph, 0u64)))
}

#[track_caller]
fn count(entry: &str, graph: Handle) -> usize {
    let mut count = 0usize;
    let none = std::ptr::null_mut::<Handle>();
    if entry == "cuGraphGetEdges" {
        call(entry, (graph, none, none, &raw mut count));
    } else {
        call(entry, (graph, none, &raw mut count));
    }
    count
}

#[test]
fn a_fork_and_its_join_are_replayed() {
    let _alone = alone();
    let context = Context::new();
    let module = context.module(KERNELS);
    let (append, copy) = (module.kernel("append"), module.kernel("copy"));
    let (one, two, sum) = (context.memory(256), context.memory(256), context.memory(8));
    let (stream, side) = (context.stream(NON_BLOCKING), context.stream(NON_BLOCKING));
    let (fork, join) = (context.event(2), context.event(2));
    begin(stream, GLOBAL);
    assert_eq!((status(stream), status(side)), (1, 0));
    assert_eq!(launch(append, [1; 3], [1; 3], stream, &[one, 1]), 0);
    call("cuEventRecord", (fork, stream));
    call("cuStreamWaitEvent", (side, fork, 0u32));
    assert_eq!(status(side), 1, "it has come in");
    assert_eq!(launch(append, [1; 3], [1; 3], side, &[two, 5]), 0);
    call("cuEventRecord", (join, side));
    assert_eq!(launch(append, [1; 3], [1; 3], stream, &[one, 2]), 0);
    call("cuStreamWaitEvent", (stream, join, 0u32));
    assert_eq!(launch(copy, [1; 3], [1; 3], stream, &[sum, two]), 0);
    call("cuMemcpyDtoDAsync_v2", (sum + 4, one, 4usize, stream));
    let (result, graph) = end(stream);
    assert_eq!((result, status(stream), status(side)), (0, 0, 0));
    assert_eq!((count("cuGraphGetNodes", graph), count("cuGraphGetEdges", graph)), (5, 5));
    assert_eq!((read(one, 1), read(two, 1)), (vec![0], vec![0]), "nothing has run");
    let exec = instantiate(graph);
    for turn in 1..=3 {
        call("cuGraphLaunch", (exec, stream));
        call("cuStreamSynchronize", (stream,));
        assert_eq!(read(sum, 2), [turn, 2 * turn]);
    }
    assert_eq!(read(one, 7), [6, 1, 2, 1, 2, 1, 2]);
    assert_eq!(read(two, 4), [3, 5, 5, 5]);
    // Launched twice without waiting, also in two streams, one comes after the other.
    call("cuGraphLaunch", (exec, stream));
    call("cuGraphLaunch", (exec, side));
    call("cuStreamSynchronize", (side,));
    assert_eq!(read(sum, 2), [5, 10]);
    call("cuGraphExecDestroy", (exec,));
    call("cuGraphDestroy", (graph,));
}

#[test]
fn copies_from_the_host_are_made_when_the_graph_runs() {
    let _alone = alone();
    let context = Context::new();
    let memory = context.memory(8);
    let stream = context.stream(NON_BLOCKING);
    let (mut source, mut target) = (Box::new([1u32, 2]), Box::new([0u32; 2]));
    begin(stream, GLOBAL);
    call("cuMemcpyHtoDAsync_v2", (memory, source.as_ptr(), 8usize, stream));
    call("cuMemsetD32Async", (memory + 4, 9u32, 1usize, stream));
    call("cuMemcpyDtoHAsync_v2", (target.as_mut_ptr(), memory, 8usize, stream));
    let (result, graph) = end(stream);
    assert_eq!(result, 0);
    let exec = instantiate(graph);
    source[0] = 41;
    call("cuGraphLaunch", (exec, stream));
    call("cuStreamSynchronize", (stream,));
    // SAFETY: the library has written there.
    assert_eq!(unsafe { std::ptr::read_volatile(&raw const *target) }, [41, 9]);
    call("cuGraphExecDestroy", (exec,));
    call("cuGraphDestroy", (graph,));
}

/// A capture in which something is done: what that answers, how the stream stands then, and how it ends.
fn spoil(mode: u32, flags: u32, body: impl FnOnce(&Context, Handle) -> u32) -> (u32, u32, u32, bool) {
    let context = Context::new();
    let stream = context.stream(flags);
    begin(stream, mode);
    let answered = body(&context, stream);
    let now = status(stream);
    let (result, graph) = end(stream);
    assert_eq!(status(stream), 0, "ended in any case");
    (answered, now, result, graph != 0)
}

const FINE: (u32, u32, u32, bool) = (0, 1, 0, true);

/// What is answered if a call is refused.
fn refused(with: u32) -> (u32, u32, u32, bool) {
    (with, 2, INVALIDATED, false)
}

#[test]
fn unsafe_calls_are_refused_as_the_mode_says() {
    let _alone = alone();
    type Body = fn(&Context, Handle) -> u32;
    let allocate: Body = |_, _| answer("cuMemAlloc_v2", ([0u64; 1].as_mut_ptr(), 64usize));
    let free: Body = |_, _| answer("cuMemFree_v2", (0u64,));
    let pinned: Body = |_, _| answer("cuMemHostAlloc", ([0u64; 1].as_mut_ptr(), 64usize, 0u32));
    let other: Body = |context, _| {
        let other = context.stream(0);
        answer("cuStreamSynchronize", (other,))
    };
    let query: Body = |_, _| answer("cuStreamQuery", (0u64,));
    for (name, body) in
        [("alloc", allocate), ("free", free), ("pinned", pinned), ("other", other), ("query", query)]
    {
        assert_eq!(spoil(GLOBAL, NON_BLOCKING, body), refused(UNSUPPORTED), "{name}, global");
        assert_eq!(spoil(THREAD_LOCAL, NON_BLOCKING, body), refused(UNSUPPORTED), "{name}, thread local");
        assert_eq!(spoil(RELAXED, NON_BLOCKING, body), FINE, "{name}, relaxed");
    }
    // What would have to wait for the capture itself is refused in every mode.
    let synchronize: Body = |_, stream| answer("cuStreamSynchronize", (stream,));
    let ask: Body = |_, stream| answer("cuStreamQuery", (stream,));
    let all: Body = |_, _| answer("cuCtxSynchronize", ());
    let callback: Body = |_, stream| {
        extern "C" fn nothing(_: u64, _: u32, _: *mut std::ffi::c_void) {}
        let function = nothing as *const std::ffi::c_void;
        answer("cuStreamAddCallback", (stream, function, 0u64, 0u32))
    };
    for (name, body) in [("stream", synchronize), ("query", ask), ("context", all), ("callback", callback)] {
        for mode in [GLOBAL, THREAD_LOCAL, RELAXED] {
            assert_eq!(spoil(mode, NON_BLOCKING, body), refused(UNSUPPORTED), "{name}, mode {mode}");
        }
    }
    // What has nothing to do with it is let.
    let event: Body = |_, _| answer("cuEventCreate", ([0u64; 1].as_mut_ptr(), 0u32));
    let copy: Body = |_, _| {
        let mut mode = RELAXED;
        call("cuThreadExchangeStreamCaptureMode", (&raw mut mode,));
        assert_eq!(mode, GLOBAL);
        let mut memory: Handle = 0;
        call("cuMemAlloc_v2", (&raw mut memory, 4usize));
        call("cuThreadExchangeStreamCaptureMode", (&raw mut mode,));
        assert_eq!(mode, RELAXED);
        answer("cuMemsetD8_v2", (memory, 0u8, 4usize))
    };
    let again: Body = |_, stream| match answer("cuStreamBeginCapture_v2", (stream, GLOBAL)) {
        ILLEGAL_STATE => 0,
        other => other,
    };
    for body in [event, copy, again] {
        assert_eq!(spoil(GLOBAL, NON_BLOCKING, body), FINE);
    }
}

#[test]
fn the_legacy_stream_does_not_wait_for_a_capture() {
    let _alone = alone();
    let launch_there = |context: &Context, _: Handle| {
        let module = context.module(KERNELS);
        launch(module.kernel("empty"), [1; 3], [1; 3], 0, &[])
    };
    assert_eq!(spoil(RELAXED, NON_BLOCKING, launch_there), FINE);
    assert_eq!(spoil(RELAXED, 0, launch_there), refused(IMPLICIT), "of a stream that it would wait for");
    let ask = |_: &Context, _: Handle| {
        let mut status = 0u32;
        match answer("cuStreamIsCapturing", (0u64, &raw mut status)) {
            IMPLICIT => 0,
            other => other,
        }
    };
    assert_eq!(spoil(RELAXED, 0, ask), FINE, "to ask spoils nothing");
}

#[test]
fn events_lead_streams_into_captures_and_not_out_of_them() {
    let _alone = alone();
    let before = |context: &Context, stream: Handle| {
        let (event, other) = (context.event(0), context.stream(NON_BLOCKING));
        call("cuEventRecord", (event, other));
        answer("cuStreamWaitEvent", (stream, event, 0u32))
    };
    assert_eq!(spoil(GLOBAL, NON_BLOCKING, before), refused(ISOLATION), "of work that is not in it");
    let never = |context: &Context, stream: Handle| {
        let event = context.event(0);
        answer("cuStreamWaitEvent", (stream, event, 0u32))
    };
    assert_eq!(spoil(GLOBAL, NON_BLOCKING, never), FINE, "never recorded");
    for entry in ["cuEventQuery", "cuEventSynchronize"] {
        let ask = |context: &Context, stream: Handle| {
            let event = context.event(0);
            call("cuEventRecord", (event, stream));
            answer(entry, (event,))
        };
        assert_eq!(spoil(RELAXED, NON_BLOCKING, ask), refused(CAPTURED_EVENT), "{entry}");
    }
    let elsewhere = |context: &Context, stream: Handle| {
        let module = context.module(KERNELS);
        let (event, side) = (context.event(0), context.stream(NON_BLOCKING));
        call("cuEventRecord", (event, stream));
        call("cuStreamWaitEvent", (side, event, 0u32));
        assert_eq!(launch(module.kernel("empty"), [1; 3], [1; 3], side, &[]), 0);
        end(side).0
    };
    assert_eq!(spoil(GLOBAL, NON_BLOCKING, elsewhere), refused(UNMATCHED), "it did not begin there");
    let forgotten = |context: &Context, stream: Handle| {
        let module = context.module(KERNELS);
        let (event, side) = (context.event(0), context.stream(NON_BLOCKING));
        call("cuEventRecord", (event, stream));
        call("cuStreamWaitEvent", (side, event, 0u32));
        launch(module.kernel("empty"), [1; 3], [1; 3], side, &[])
    };
    assert_eq!(spoil(GLOBAL, NON_BLOCKING, forgotten), (0, 1, UNJOINED, false));
    let merged = |context: &Context, stream: Handle| {
        let (event, other) = (context.event(0), context.stream(NON_BLOCKING));
        begin(other, RELAXED);
        call("cuEventRecord", (event, other));
        let merged = answer("cuStreamWaitEvent", (stream, event, 0u32));
        assert_eq!(end(other), (INVALIDATED, 0));
        merged
    };
    assert_eq!(spoil(RELAXED, NON_BLOCKING, merged), refused(MERGE));
    // After the end the moment is nothing to wait for.
    let context = Context::new();
    let (event, stream) = (context.event(0), context.stream(NON_BLOCKING));
    begin(stream, GLOBAL);
    call("cuEventRecord", (event, stream));
    let (_, graph) = end(stream);
    assert_eq!(answer("cuStreamWaitEvent", (stream, event, 0u32)), CAPTURED_EVENT);
    call("cuEventRecord", (event, stream));
    call("cuEventSynchronize", (event,));
    call("cuGraphDestroy", (graph,));
}

#[test]
fn external_events_become_nodes() {
    let _alone = alone();
    let context = Context::new();
    let (event, stream) = (context.event(0), context.stream(NON_BLOCKING));
    assert_eq!(answer("cuEventRecordWithFlags", (event, stream, 1u32)), ILLEGAL_STATE);
    begin(stream, GLOBAL);
    call("cuEventRecordWithFlags", (event, stream, 1u32));
    call("cuStreamWaitEvent", (stream, event, 1u32));
    let (_, graph) = end(stream);
    let mut nodes = [0u64; 2];
    let mut room = 2usize;
    call("cuGraphGetNodes", (graph, nodes.as_mut_ptr(), &raw mut room));
    let kinds = nodes.map(|node| {
        let mut kind = 99u32;
        call("cuGraphNodeGetType", (node, &raw mut kind));
        kind
    });
    assert_eq!(kinds, [7, 6]);
    let exec = instantiate(graph);
    call("cuGraphLaunch", (exec, stream));
    call("cuEventSynchronize", (event,));
    call("cuStreamSynchronize", (stream,));
    call("cuGraphExecDestroy", (exec,));
    call("cuGraphDestroy", (graph,));
}

#[test]
fn a_capture_is_ended_on_its_thread_unless_it_is_relaxed() {
    let _alone = alone();
    let context = Context::new();
    for (mode, expected) in [(GLOBAL, WRONG_THREAD), (THREAD_LOCAL, WRONG_THREAD), (RELAXED, 0)] {
        let stream = context.stream(NON_BLOCKING);
        begin(stream, mode);
        let there = std::thread::scope(|scope| {
            let elsewhere = || {
                context.enter();
                // Another thread's capture forbids what this one does only if it is global.
                let allocated = answer("cuMemAlloc_v2", ([0u64; 1].as_mut_ptr(), 64usize));
                if mode != GLOBAL {
                    assert_eq!(allocated, 0);
                }
                end(stream).0
            };
            scope.spawn(elsewhere).join().expect("no panic")
        });
        assert_eq!(there, expected, "mode {mode}");
        if expected != 0 {
            let here = if mode == GLOBAL { INVALIDATED } else { 0 };
            assert_eq!(end(stream).0, here);
        }
    }
    let stream = context.stream(NON_BLOCKING);
    assert_eq!(end(stream).0, ILLEGAL_STATE);
    assert_eq!(answer("cuStreamBeginCapture_v2", (0u64, GLOBAL)), UNSUPPORTED);
    assert_eq!(answer("cuStreamBeginCapture_v2", (stream, 7u32)), INVALID_VALUE);
    begin(stream, GLOBAL);
    assert_eq!(answer("cuStreamEndCapture", (stream, std::ptr::null_mut::<Handle>())), 0);
    assert_eq!(end(stream).0, ILLEGAL_STATE);
}

#[test]
fn programs_see_and_change_what_a_capture_depends_on() {
    let _alone = alone();
    let context = Context::new();
    let module = context.module(KERNELS);
    let (append, list) = (module.kernel("append"), context.memory(256));
    let stream = context.stream(NON_BLOCKING);
    begin(stream, RELAXED);
    assert_eq!(launch(append, [1; 3], [1; 3], stream, &[list, 1]), 0);
    // The graph, and what the next node will depend on.
    let inform = || {
        let (mut now, mut id, mut graph, mut count) = (0u32, 0u64, 0u64, 0usize);
        let mut nodes = std::ptr::null::<Handle>();
        let to = (&raw mut now, &raw mut id, &raw mut graph, &raw mut nodes, &raw mut count);
        call("cuStreamGetCaptureInfo_v2", (stream, to.0, to.1, to.2, to.3, to.4));
        assert_eq!((now, id > 0), (1, true));
        // SAFETY: the library tells where so many handles are.
        (graph, unsafe { std::slice::from_raw_parts(nodes, count) }.to_vec())
    };
    let (graph, tips) = inform();
    assert_eq!(tips.len(), 1);
    // A node of the program's own, beside the stream's, which then depends on it alone.
    let own = make("a node", |made| answer("cuGraphAddEmptyNode", (made, graph, tips.as_ptr(), 1usize)));
    call("cuStreamUpdateCaptureDependencies", (stream, &raw const own, 1usize, 1u32));
    assert_eq!(inform().1, [own]);
    call("cuStreamUpdateCaptureDependencies", (stream, tips.as_ptr(), 1usize, 0u32));
    assert_eq!(inform().1, [own, tips[0]]);
    let stranger = make("a graph", |made| answer("cuGraphCreate", (made, 0u32)));
    let foreign = make("a node", |made| {
        answer("cuGraphAddEmptyNode", (made, stranger, std::ptr::null::<Handle>(), 0usize))
    });
    let updated = answer("cuStreamUpdateCaptureDependencies", (stream, &raw const foreign, 1usize, 0u32));
    assert_eq!(updated, INVALID_VALUE);
    assert_eq!(launch(append, [1; 3], [1; 3], stream, &[list, 2]), 0);
    let (result, captured) = end(stream);
    assert_eq!((result, captured), (0, graph));
    let updated = answer("cuStreamUpdateCaptureDependencies", (stream, &raw const own, 1usize, 1u32));
    assert_eq!(updated, ILLEGAL_STATE);

    // Into a graph that is there already, after a node of it.
    let (none, mode) = (std::ptr::null::<u8>(), RELAXED);
    call("cuStreamBeginCaptureToGraph", (stream, graph, &raw const own, none, 1usize, mode));
    assert_eq!(launch(append, [1; 3], [1; 3], stream, &[list, 3]), 0);
    assert_eq!(end(stream), (0, graph));
    let exec = instantiate(graph);
    call("cuGraphLaunch", (exec, stream));
    call("cuStreamSynchronize", (stream,));
    let mut values = read(list, 4);
    values[2..].sort_unstable();
    assert_eq!(values, [3, 1, 2, 3]);

    // A launch that is taken down becomes a child.
    begin(stream, RELAXED);
    call("cuGraphLaunch", (exec, stream));
    let (result, parent) = end(stream);
    assert_eq!(result, 0);
    call("cuGraphExecDestroy", (exec,));
    call("cuGraphDestroy", (graph,));
    let exec = instantiate(parent);
    call("cuGraphLaunch", (exec, stream));
    call("cuStreamSynchronize", (stream,));
    assert_eq!(read(list, 1), [6]);
}

#[test]
fn memory_in_the_order_of_a_stream_can_be_captured() {
    let _alone = alone();
    let context = Context::new();
    let module = context.module(KERNELS);
    let (copy, result) = (module.kernel("copy"), context.memory(4));
    let stream = context.stream(NON_BLOCKING);
    begin(stream, GLOBAL);
    let memory = make("memory", |made| answer("cuMemAllocAsync", (made, 64usize, stream)));
    call("cuMemsetD32Async", (memory, 23u32, 16usize, stream));
    assert_eq!(launch(copy, [1; 3], [1; 3], stream, &[result, memory]), 0);
    call("cuMemFreeAsync", (memory, stream));
    let (ended, graph) = end(stream);
    assert_eq!((ended, count("cuGraphGetNodes", graph)), (0, 4));
    let exec = instantiate(graph);
    for _ in 0..2 {
        call("cuMemsetD32_v2", (result, 0u32, 1usize));
        call("cuGraphLaunch", (exec, stream));
        call("cuStreamSynchronize", (stream,));
        assert_eq!(read(result, 1), [23]);
    }
    call("cuGraphExecDestroy", (exec,));
    call("cuGraphDestroy", (graph,));
}

#[test]
fn a_capture_ends_with_the_stream_in_which_it_began() {
    let _alone = alone();
    let context = Context::new();
    let (stream, side) = (context.stream(NON_BLOCKING), context.stream(NON_BLOCKING));
    let event = context.event(0);
    begin(stream, GLOBAL);
    call("cuEventRecord", (event, stream));
    call("cuStreamWaitEvent", (side, event, 0u32));
    call("cuStreamDestroy_v2", (stream,));
    assert_eq!(status(side), 0);
    // Nothing is being captured any more.
    context.memory(4);
    call("cuCtxSynchronize", ());
}

#[test]
fn a_capture_in_the_stream_of_a_thread_ends_with_its_context() {
    const PER_THREAD: Handle = 2;
    let _alone = alone();
    let context = Context::new();
    begin(PER_THREAD, GLOBAL);
    drop(context);
    // The thread still has its stream of that context, which nobody can name.
    let context = Context::new();
    context.memory(4);
    assert_eq!(status(PER_THREAD), 0);
}

#[test]
fn a_free_that_a_capture_forbids_has_not_been_done() {
    let _alone = alone();
    let context = Context::new();
    let (stream, other) = (context.stream(0), context.stream(NON_BLOCKING));
    let memory = make("memory", |made| answer("cuMemAllocAsync", (made, 64usize, other)));
    begin(stream, RELAXED);
    assert_eq!(answer("cuMemFreeAsync", (memory, 0u64)), IMPLICIT);
    assert_eq!(end(stream).0, INVALIDATED);
    call("cuMemsetD32_v2", (memory, 5u32, 16usize));
    assert_eq!(read(memory, 1), [5]);
    call("cuMemFreeAsync", (memory, 0u64));
    assert_eq!(answer("cuMemFreeAsync", (memory, 0u64)), INVALID_VALUE);
}

#[test]
fn a_graph_that_a_capture_was_given_stays_the_programs() {
    let _alone = alone();
    let context = Context::new();
    let stream = context.stream(NON_BLOCKING);
    let graph = make("a graph", |made| answer("cuGraphCreate", (made, 0u32)));
    let none = std::ptr::null::<Handle>();
    call("cuStreamBeginCaptureToGraph", (stream, graph, none, none, 0usize, RELAXED));
    call("cuMemsetD32Async", (context.memory(4), 1u32, 1usize, stream));
    call("cuStreamEndCapture", (stream, none));
    assert_eq!(count("cuGraphGetNodes", graph), 1);
    call("cuGraphDestroy", (graph,));
}
