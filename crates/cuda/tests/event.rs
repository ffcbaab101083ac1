//! Events from outside: the time they keep, and what is over when one has been waited for.

mod client;

use std::time::Instant;

use client::{Context, Handle, answer, call, launch};

/// Turns of the slow kernel: tens of milliseconds.
const TURNS: u64 = 300_000;
const NON_BLOCKING: u32 = 1;
const DISABLE_TIMING: u32 = 2;

const INVALID_VALUE: u32 = 1;
const INVALID_HANDLE: u32 = 400;
const ILLEGAL_STATE: u32 = 401;
const NOT_READY: u32 = 600;

#[test]
fn events_keep_the_time() {
    let context = Context::new();
    let module = context.module(include_str!("kernels.ptx"));
    let stream = context.stream(NON_BLOCKING);
    let at = context.memory(4);
    let events = [0; 4].map(|flags| context.event(flags));
    let untimed = context.event(DISABLE_TIMING);
    let between = |from: Handle, to: Handle| {
        let mut milliseconds = f32::NAN;
        let result = answer("cuEventElapsedTime_v2", (&raw mut milliseconds, from, to));
        if result == 0 { Ok(milliseconds) } else { Err(result) }
    };
    assert_eq!(between(events[0], events[1]), Err(INVALID_HANDLE), "neither has been recorded");
    let began = Instant::now();
    call("cuEventRecord", (events[0], stream));
    for (event, turns) in [(events[1], TURNS / 8), (events[2], TURNS), (events[3], 0)] {
        assert_eq!(launch(module.kernel("slow_write"), [1; 3], [1; 3], stream, &[at, turns, 1]), 0);
        call("cuEventRecordWithFlags", (event, stream, 0u32));
    }
    call("cuEventRecord", (untimed, stream));
    assert_eq!(between(events[0], events[3]), Err(NOT_READY));
    call("cuEventSynchronize", (events[3],));
    let all = began.elapsed().as_secs_f32() * 1e3;
    let spans: Vec<f32> = (0..3).map(|i| between(events[i], events[i + 1]).expect("recorded")).collect();
    assert!(spans.iter().all(|span| *span >= 0.0), "{spans:?}");
    assert!(spans[1] > spans[2] && spans[1] > 0.5, "the longest kernel takes the longest: {spans:?}");
    let whole = between(events[0], events[3]).expect("recorded");
    assert!((spans.iter().sum::<f32>() - whole).abs() < 0.01, "{spans:?} are parts of {whole}");
    assert!(whole <= all, "{whole} of {all}");
    assert_eq!(between(events[3], events[0]), Ok(-whole));
    call("cuStreamSynchronize", (stream,));
    assert_eq!(between(events[0], untimed), Err(INVALID_HANDLE));
    assert_eq!(between(events[0], 0), Err(INVALID_HANDLE));
    assert_eq!(answer("cuEventRecordWithFlags", (untimed, stream, 1u32)), ILLEGAL_STATE);
    assert_eq!(answer("cuEventRecordWithFlags", (untimed, stream, 4u32)), INVALID_VALUE);
    let mut made = 0u64;
    let refused = [0x10u32, 4].map(|flags| answer("cuEventCreate", (&raw mut made, flags)));
    assert_eq!(refused, [INVALID_VALUE; 2]);
    call("cuEventDestroy_v2", (untimed,));
    assert_eq!(answer("cuEventQuery", (untimed,)), INVALID_HANDLE);
}

/// Whoever has waited for the last event of a stream finds the stream idle, however closely it looks.
#[test]
fn a_stream_whose_last_event_has_come_is_idle() {
    let context = Context::new();
    let module = context.module(include_str!("kernels.ptx"));
    let (stream, event) = (context.stream(NON_BLOCKING), context.event(DISABLE_TIMING));
    let empty = module.kernel("empty");
    for _ in 0..5_000 {
        assert_eq!(launch(empty, [1; 3], [1; 3], stream, &[]), 0);
        call("cuEventRecord", (event, stream));
        call("cuEventSynchronize", (event,));
        assert_eq!(answer("cuStreamQuery", (stream,)), 0);
    }
    for _ in 0..5_000 {
        call("cuEventRecord", (event, stream));
        while answer("cuEventQuery", (event,)) == NOT_READY {}
        assert_eq!(answer("cuStreamQuery", (stream,)), 0);
    }
}
