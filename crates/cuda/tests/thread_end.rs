//! What a thread may still ask of the driver while it ends: C++ objects of static thread storage free what they hold then.

mod client;

use std::cell::Cell;
use std::sync::Mutex;

use client::{Context, answer, call};

/// What the calls of the destructor answered.
static ANSWERS: Mutex<Vec<(&str, u32)>> = Mutex::new(Vec::new());

/// Calls the driver when its thread ends.
struct Last(Cell<Option<(u64, u64)>>);

impl Drop for Last {
    fn drop(&mut self) {
        let Some((context, memory)) = self.0.get() else { return };
        let (mut current, mut word) = (0u64, 7u32);
        let mut answers = ANSWERS.lock().expect("nobody panics with it");
        answers.push(("set", answer("cuCtxSetCurrent", (context,))));
        answers.push(("get", answer("cuCtxGetCurrent", (&raw mut current,))));
        answers.push(("the same", u32::from(current != context)));
        answers
            .push(("copy in", answer("cuMemcpyHtoD_v2", (memory, (&raw const word).cast::<u8>(), 4usize))));
        word = 0;
        answers.push(("copy out", answer("cuMemcpyDtoH_v2", ((&raw mut word).cast::<u8>(), memory, 4usize))));
        answers.push(("what was copied", word ^ 7));
        answers.push(("own stream", answer("cuMemsetD32Async_ptsz", (memory, 9u32, 1usize, 0u64))));
        answers.push(("wait", answer("cuStreamSynchronize_ptsz", (0u64,))));
        answers.push(("push", answer("cuCtxPushCurrent_v2", (context,))));
        answers.push(("pop", answer("cuCtxPopCurrent_v2", (&raw mut current,))));
        answers.push(("none", answer("cuCtxSetCurrent", (0u64,))));
    }
}

thread_local! {
    static LAST: Last = const { Last(Cell::new(None)) };
}

#[test]
fn destructors_of_threads_call_the_driver() {
    let context = Context::new();
    let memory = context.memory(4);
    let handle = context.0;
    std::thread::spawn(move || {
        // It was there before the driver's own variables, so that it goes after them.
        LAST.with(|last| last.0.set(Some((handle, memory))));
        call("cuCtxSetCurrent", (handle,));
        call("cuCtxPushCurrent_v2", (handle,));
        call("cuMemsetD32_v2", (memory, 1u32, 1usize));
        call("cuMemsetD32Async_ptsz", (memory, 2u32, 1usize, 0u64));
    })
    .join()
    .expect("it ends well");
    let answers = ANSWERS.lock().expect("nobody panics with it");
    assert_eq!(answers.len(), 11);
    assert!(answers.iter().all(|(_, answer)| *answer == 0), "{answers:?}");
}
