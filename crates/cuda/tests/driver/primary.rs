//! The primary context. There is one for the process, so each sequence runs in a process of its own.

use serde_json::{Value, json};

use crate::client::{alone, call, is_alone, recorded_call, to};

fn state() -> Value {
    let (mut flags, mut active) = (9u32, 9i32);
    let answer = call("cuDevicePrimaryCtxGetState", &[0, to(&mut flags), to(&mut active)]);
    json!([answer, flags, active])
}

fn retain() -> (Value, u64) {
    let mut context = 0;
    let answer = call("cuDevicePrimaryCtxRetain", &[to(&mut context), 0]);
    (json!(answer), context)
}

fn release() -> Value {
    json!(call("cuDevicePrimaryCtxRelease_v2", &[0]))
}

fn reset() -> Value {
    json!(call("cuDevicePrimaryCtxReset_v2", &[0]))
}

fn set_current(context: u64) -> Value {
    json!(call("cuCtxSetCurrent", &[context]))
}

fn allocate() -> Value {
    let mut address = 0u64;
    json!(call("cuMemAlloc_v2", &[to(&mut address), 16]))
}

fn device() -> Value {
    let mut device = 9i32;
    json!(call("cuCtxGetDevice", &[to(&mut device)]))
}

/// Whether this process is the one that is to do the work; otherwise it has been done.
fn in_own_process(test: &str) -> bool {
    if !is_alone() {
        let output = alone(&format!("primary::{test}"), ("PTXVM_DEVICE", "h200"));
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    }
    is_alone()
}

#[test]
fn is_in_use_while_retained() {
    if !in_own_process("is_in_use_while_retained") {
        return;
    }
    call("cuInit", &[0]);
    let mut told = vec![state(), release(), reset()];
    let (answer, first) = retain();
    let mut current = 7u64;
    call("cuCtxGetCurrent", &[to(&mut current)]);
    told.extend([answer, state(), json!(if current == 0 { "none" } else { "other" }), set_current(first)]);
    let (answer, second) = retain();
    told.extend([
        answer,
        json!(first == second),
        release(),
        state(),
        allocate(),
        release(),
        state(),
        allocate(),
    ]);
    told.extend([
        json!(call("cuCtxSynchronize", &[])),
        json!(first != 0),
        release(),
        device(),
        set_current(first),
    ]);
    let (answer, third) = retain();
    told.extend([answer, json!(first == third), allocate(), set_current(third), allocate()]);
    let words = "primary: state, release unretained, reset unretained, retain, state, current, set current, retain, \
                 same?, release, state, alloc, release, state, alloc, synchronize, handle, release, get device, \
                 set current, retain, same?, alloc, set current, alloc";
    assert_eq!(json!(told), recorded_call("sequence", words));
}

#[test]
fn flags() {
    if !in_own_process("flags") {
        return;
    }
    call("cuInit", &[0]);
    let set = |flags| json!(call("cuDevicePrimaryCtxSetFlags_v2", &[0, flags]));
    let mut told = vec![set(4), state(), set(3), set(0x100)];
    let (answer, context) = retain();
    told.extend([answer, state(), set(1), state(), set_current(context)]);
    let mut flags = 0u32;
    told.push(json!(call("cuCtxGetFlags", &[to(&mut flags)])));
    told.extend([
        json!(flags),
        json!(call("cuDevicePrimaryCtxSetFlags", &[0, 2])),
        state(),
        reset(),
        state(),
    ]);
    told.extend([allocate(), device(), release(), state()]);
    let words = "primary: set flags 4, state, flags 3, flags 0x100, retain, state, flags 1, state, set current, \
                 ctx flags, value, v1 flags 2, state, reset, state, alloc, get device, release, state";
    assert_eq!(json!(told), recorded_call("sequence", words));
}

#[test]
fn reset_takes_everything_along() {
    if !in_own_process("reset_takes_everything_along") {
        return;
    }
    call("cuInit", &[0]);
    let (_, context) = retain();
    set_current(context);
    let (mut address, mut free, mut total) = (0u64, 0usize, 0usize);
    let mut in_use = || {
        assert_eq!(call("cuMemGetInfo_v2", &[to(&mut free), to(&mut total)]), 0);
        total - free
    };
    let before = in_use();
    assert_eq!(call("cuMemAlloc_v2", &[to(&mut address), 64]), 0);
    let mut stream = 0u64;
    assert_eq!(call("cuStreamCreate", &[to(&mut stream), 0]), 0);
    let mut told = vec![reset(), state(), allocate(), json!(call("cuCtxSynchronize", &[]))];
    told.extend([json!(call("cuMemFree_v2", &[address])), retain().0, state()]);
    assert_eq!(in_use(), before, "its memory is free again");
    assert_eq!(call("cuStreamSynchronize", &[stream]), 400, "its streams are gone");
    told.extend([json!(call("cuMemFree_v2", &[address])), allocate()]);
    let words = "primary: retain, current, alloc, module, stream; reset, state, alloc, synchronize, free, retain, \
                 state, free, alloc";
    assert_eq!(json!(told), recorded_call("sequence", words));
}

#[test]
fn cannot_be_destroyed() {
    if !in_own_process("cannot_be_destroyed") {
        return;
    }
    call("cuInit", &[0]);
    let (answer, context) = retain();
    let mut told = vec![answer, json!(call("cuCtxDestroy_v2", &[context])), state(), set_current(context)];
    told.extend([json!(call("cuCtxDetach", &[context])), state(), allocate()]);
    let words = "primary: cuCtxDestroy of it, cuCtxDetach of it, state";
    assert_eq!(json!(told), recorded_call("sequence", words));
}
