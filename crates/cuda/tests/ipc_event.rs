//! Events that another process opens: what one records the other waits for. The codes are those of an H200
//! (`tests/golden/driver/ipc.txt`).
#![allow(unsafe_code)]
#![allow(clippy::print_stdout, reason = "the child tells its parent how far it is")]
#![cfg(target_os = "linux")]

mod client;

use std::io::{BufRead, BufReader, Write};
use std::process::{Command, Stdio};

use client::{Context, Handle, answer, call};

/// What a child is handed: the event's handle in hexadecimal digits.
const CHILD: &str = "PTXVM_TEST_EVENT";
const INVALID_VALUE: u32 = 1;
const INVALID_CONTEXT: u32 = 201;
const INVALID_HANDLE: u32 = 400;
const NOT_READY: u32 = 600;
/// `CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS`
const SHARED: u32 = 6;

/// `CUipcEventHandle`
type EventHandle = [u64; 8];

fn create(flags: u32) -> (u32, Handle) {
    let mut event = 0;
    (answer("cuEventCreate", (&raw mut event, flags)), event)
}

fn get(event: Handle) -> Result<EventHandle, u32> {
    let mut handle = [0u64; 8];
    match answer("cuIpcGetEventHandle", (&raw mut handle, event)) {
        0 => Ok(handle),
        error => Err(error),
    }
}

/// The handle is a structure that travels by value, so that the call has a type of its own.
fn open(handle: EventHandle) -> Result<Handle, u32> {
    #[repr(C)]
    struct ByValue(EventHandle);
    type Open = unsafe extern "C" fn(*mut Handle, ByValue) -> u32;
    let mut event = 0;
    // SAFETY: the library's function has this type.
    let result = unsafe {
        let function = client::library().get::<Open>(b"cuIpcOpenEventHandle\0").expect("it is exported");
        function(&raw mut event, ByValue(handle))
    };
    if result == 0 { Ok(event) } else { Err(result) }
}

/// A stream that does not get on before `value` is 1, and a place for that.
fn held(context: &Context) -> (Handle, u64) {
    let (mut stream, flag) = (0, context.memory(4));
    call("cuStreamCreate", (&raw mut stream, 1u32));
    call("cuStreamWaitValue32_v2", (stream, flag, 1u32, 1u32));
    (stream, flag)
}

#[test]
fn one_process_waits_for_what_another_records() {
    if let Ok(handle) = std::env::var(CHILD) {
        let word = |i: usize| u64::from_str_radix(&handle[16 * i..16 * (i + 1)], 16).expect("digits");
        return child(std::array::from_fn(word));
    }
    let context = Context::new();
    assert_eq!(
        [0, 2].map(|flags| get(create(flags).1)),
        [Err(INVALID_HANDLE); 2],
        "they are of this process alone"
    );
    assert_eq!(create(4).0, INVALID_VALUE, "it would be timed");
    let (made, event) = create(SHARED);
    assert_eq!(made, 0);
    let handle = get(event).expect("it has one");
    assert_eq!(open(handle), Err(INVALID_CONTEXT), "not in the process that gave it");
    assert_eq!(answer("cuEventQuery", (event,)), 0, "never recorded");
    call("cuEventSynchronize", (event,));
    // Recorded, and the work before it waits.
    let (stream, flag) = held(&context);
    call("cuEventRecord", (event, stream));
    assert_eq!(answer("cuEventQuery", (event,)), NOT_READY);
    let name = std::thread::current().name().expect("tests have names").to_owned();
    let mut child = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", &name, "--nocapture"])
        .env(CHILD, handle.map(|word| format!("{word:016x}")).concat())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .expect("it starts");
    let mut said = BufReader::new(child.stdout.take().expect("a pipe")).lines();
    let mut hear = |word: &str| {
        let heard = said.by_ref().map_while(Result::ok).any(|line| line.ends_with(word));
        assert!(heard, "the child ended before it said {word}");
    };
    let mut to = child.stdin.take().expect("a pipe");
    hear("waiting");
    call("cuMemsetD32_v2", (flag, 1u32, 1usize));
    call("cuStreamSynchronize", (stream,));
    hear("reached");
    // The other way: the child has recorded it, behind work that waits.
    hear("recorded");
    assert_eq!(answer("cuEventQuery", (event,)), NOT_READY);
    call("cuStreamWaitEvent", (stream, event, 0u32));
    assert_eq!(answer("cuStreamQuery", (stream,)), NOT_READY);
    to.write_all(b"go on\n").expect("it listens");
    call("cuStreamSynchronize", (stream,));
    call("cuEventSynchronize", (event,));
    assert_eq!(answer("cuEventQuery", (event,)), 0);
    assert!(child.wait().expect("it ends").success());
    // What is no handle of an event.
    for (index, value) in [(0, 0), (1, u64::MAX), (2, 7), (3, 7)] {
        let mut wrong = handle;
        wrong[index] = value;
        assert!(open(wrong).is_err());
    }
    call("cuEventDestroy_v2", (event,));
    assert_eq!(get(event), Err(INVALID_HANDLE));
}

fn child(handle: EventHandle) {
    let context = Context::new();
    let mut changed = handle;
    changed[3] ^= 1;
    assert_eq!(open(changed), Err(INVALID_VALUE), "another file");
    let event = open(handle).expect("it is there");
    assert_eq!(answer("cuEventQuery", (event,)), NOT_READY);
    let (mut stream, mut time): (Handle, f32) = (0, 0.0);
    assert_eq!(answer("cuEventElapsedTime", (&raw mut time, event, event)), INVALID_HANDLE);
    call("cuStreamCreate", (&raw mut stream, 1u32));
    call("cuStreamWaitEvent", (stream, event, 0u32));
    assert_eq!(answer("cuStreamQuery", (stream,)), NOT_READY);
    println!("waiting");
    call("cuStreamSynchronize", (stream,));
    call("cuEventSynchronize", (event,));
    println!("reached");
    let (stream, flag) = held(&context);
    call("cuEventRecord", (event, stream));
    println!("recorded");
    std::io::stdin().lock().read_line(&mut String::new()).expect("the parent goes on");
    call("cuMemsetD32_v2", (flag, 1u32, 1usize));
    call("cuStreamSynchronize", (stream,));
    call("cuEventDestroy_v2", (event,));
}
