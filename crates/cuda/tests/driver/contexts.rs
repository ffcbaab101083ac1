//! The life of contexts and the stack of a thread, step by step as the driver was asked.

use serde_json::{Value, json};

use crate::client::{call, context, recorded_call, to};

/// Names contexts in the order they are shown to it.
fn current(names: &[(u64, &str)]) -> Value {
    let mut context = 7;
    match call("cuCtxGetCurrent", &[to(&mut context)]) {
        0 if context == 0 => json!("none"),
        0 => json!(names.iter().find(|(known, _)| *known == context).map_or("other", |(_, name)| name)),
        error => json!(error),
    }
}

fn allocate() -> u32 {
    let mut address = 0u64;
    call("cuMemAlloc_v2", &[to(&mut address), 16])
}

fn device() -> u32 {
    let mut device = 9i32;
    call("cuCtxGetDevice", &[to(&mut device)])
}

fn pop() -> (u32, u64) {
    let mut popped = 0;
    (call("cuCtxPopCurrent_v2", &[to(&mut popped)]), popped)
}

#[test]
fn the_stack_of_a_thread() {
    let a = context();
    let names = [(a, "a")];
    let mut told = vec![current(&names)];
    let b = context();
    let names = [(a, "a"), (b, "b")];
    let now = || current(&names);
    told.push(now());
    let (answer, popped) = pop();
    told.extend([json!(answer), json!(popped == b), now()]);
    told.extend([json!(call("cuCtxPopCurrent_v2", &[0])), now(), json!(pop().0)]);
    told.push(json!(call("cuCtxSetCurrent", &[0])));
    told.extend([json!(call("cuCtxSetCurrent", &[a])), now()]);
    told.extend([json!(call("cuCtxSetCurrent", &[b])), now()]);
    told.push(json!(call("cuCtxPushCurrent_v2", &[a])));
    told.extend([json!(call("cuCtxPushCurrent_v2", &[a])), now()]);
    told.extend([json!(call("cuCtxDestroy_v2", &[b])), now()]);
    told.extend([json!(call("cuCtxSetCurrent", &[0])), now()]);
    let words = "create a, create b, pop (b?), current, pop null, current, pop empty, set null, set a, current, \
                 set b, current, push a twice, current, destroy b below, current, set null, current";
    assert_eq!(json!(told), recorded_call("sequence", words));
    assert_eq!(call("cuCtxDestroy_v2", &[a]), 0);
}

#[test]
fn a_destroyed_context_takes_its_memory_along() {
    let a = context();
    let b = context();
    let names = [(a, "a"), (b, "b")];
    let mut address = 0u64;
    assert_eq!(call("cuMemAlloc_v2", &[to(&mut address), 64]), 0);
    let told = json!([
        call("cuCtxDestroy_v2", &[b]),
        current(&names),
        call("cuMemFree_v2", &[address]),
        call("cuCtxDestroy_v2", &[b]),
    ]);
    let words = "create a, b; allocate in b; destroy b, current, free in a the memory of b, destroy b twice";
    assert_eq!(told, recorded_call("sequence", words));
    assert_eq!(call("cuCtxDestroy_v2", &[a]), 0);
}

#[test]
fn a_destroyed_context_stays_on_the_stack() {
    let a = context();
    let b = context();
    let names = [(a, "a"), (b, "b")];
    assert_eq!(call("cuCtxPushCurrent_v2", &[a]), 0);
    let told = json!([
        call("cuCtxDestroy_v2", &[b]),
        current(&names),
        call("cuCtxPopCurrent_v2", &[0]),
        current(&names),
        allocate(),
        call("cuCtxSynchronize", &[]),
        device(),
        call("cuCtxPopCurrent_v2", &[0]),
        current(&names),
    ]);
    let words = "stack a b a; destroy b, current, pop, current (destroyed b), alloc, synchronize, get device, pop, current";
    assert_eq!(told, recorded_call("sequence", words));
    assert_eq!(call("cuCtxDestroy_v2", &[a]), 0);
}

#[test]
fn another_thread_s_context_is_destroyed() {
    let a = context();
    let names = [(a, "a")];
    let (ready, wait_ready) = std::sync::mpsc::channel();
    let (gone, wait_gone) = std::sync::mpsc::channel();
    let other = std::thread::spawn(move || {
        let mut told =
            vec![current(&names), json!(allocate()), json!(call("cuCtxSetCurrent", &[a])), current(&names)];
        ready.send(()).unwrap();
        told.push(wait_gone.recv().unwrap());
        told.extend([
            current(&names),
            json!(allocate()),
            json!(call("cuCtxSynchronize", &[])),
            json!(device()),
        ]);
        told.extend([json!(call("cuCtxPopCurrent_v2", &[0])), current(&names)]);
        told
    });
    wait_ready.recv().unwrap();
    gone.send(json!(call("cuCtxDestroy_v2", &[a]))).unwrap();
    let words = "second thread: current, alloc, set a, current; first destroys a; second: current, alloc, \
                 synchronize, get device, pop, current";
    assert_eq!(json!(other.join().unwrap()), recorded_call("sequence", words));
}

#[test]
fn attached_contexts() {
    let a = context();
    let names = [(a, "a")];
    let mut attached = 0;
    let told = json!([
        call("cuCtxAttach", &[to(&mut attached), 0]),
        call("cuCtxDetach", &[a]),
        current(&names),
        call("cuCtxDetach", &[a]),
        current(&names),
    ]);
    assert_eq!(attached, a);
    assert_eq!(told, recorded_call("sequence", "cuCtxAttach, Detach, Detach, current"));
    assert_eq!(call("cuCtxDestroy_v2", &[a]), 709, "the last detach ended it");

    let a = context();
    let b = context();
    let told = json!([call("cuCtxDetach", &[a]), current(&[(b, "b")])]);
    assert_eq!(told, recorded_call("sequence", "cuCtxDetach of a context that is not current"));
    assert_eq!((call("cuCtxDestroy_v2", &[b]), call("cuCtxDestroy_v2", &[a])), (0, 0));
}

#[test]
fn every_context_has_its_number() {
    let a = context();
    let b = context();
    let id = |context: u64| {
        let mut id = 0u64;
        assert_eq!(call("cuCtxGetId", &[context, to(&mut id)]), 0);
        id
    };
    assert_ne!(id(a), id(b));
    assert_eq!(id(0), id(b), "null is the current one");
    assert_eq!((call("cuCtxDestroy_v2", &[b]), call("cuCtxDestroy_v2", &[a])), (0, 0));
}
