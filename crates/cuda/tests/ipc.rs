//! Device memory that another process maps. The answers are those of an H200 (`tests/golden/driver/ipc.txt`).
#![allow(unsafe_code)]
#![cfg(target_os = "linux")]

mod client;

use std::process::{Command, Stdio};

use client::{Context, Handle, answer, call, launch, read};

/// What a child is handed: handles in hexadecimal digits.
const CHILD: &str = "PTXVM_TEST_HANDLES";
const INVALID_VALUE: u32 = 1;
const INVALID_CONTEXT: u32 = 201;
/// `CU_IPC_MEM_LAZY_ENABLE_PEER_ACCESS`
const LAZY: u32 = 1;

/// `CUipcMemHandle`
#[repr(C)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct MemHandle([u64; 8]);

impl MemHandle {
    fn text(self) -> String {
        self.0.map(|word| format!("{word:016x}")).concat()
    }

    fn from_text(text: &str) -> Self {
        let word = |i: usize| u64::from_str_radix(&text[16 * i..16 * (i + 1)], 16).expect("digits");
        Self(std::array::from_fn(word))
    }
}

fn get(pointer: u64) -> Result<MemHandle, u32> {
    let mut handle = MemHandle([0; 8]);
    match answer("cuIpcGetMemHandle", (&raw mut handle, pointer)) {
        0 => Ok(handle),
        error => Err(error),
    }
}

/// The handle is a structure that travels by value, so that the call has a type of its own.
fn open(handle: MemHandle, flags: u32) -> Result<u64, u32> {
    type Open = unsafe extern "C" fn(*mut u64, MemHandle, u32) -> u32;
    let mut pointer = 0u64;
    // SAFETY: the library's function has this type.
    let result = unsafe {
        let function = client::library().get::<Open>(b"cuIpcOpenMemHandle_v2\0").expect("it is exported");
        function(&raw mut pointer, handle, flags)
    };
    if result == 0 { Ok(pointer) } else { Err(result) }
}

fn close(pointer: u64) -> u32 {
    answer("cuIpcCloseMemHandle", (pointer,))
}

fn range(pointer: u64) -> (u64, usize) {
    let (mut start, mut size) = (0u64, 0usize);
    call("cuMemGetAddressRange_v2", (&raw mut start, &raw mut size, pointer));
    (start, size)
}

fn word(pointer: u64, attribute: u32) -> u32 {
    let mut value = 99u32;
    call("cuPointerGetAttribute", (&raw mut value, attribute, pointer));
    value
}

#[test]
fn another_process_maps_device_memory() {
    if let Ok(handles) = std::env::var(CHILD) {
        return child(&handles.split(' ').map(MemHandle::from_text).collect::<Vec<_>>());
    }
    let context = Context::new();
    let (small, large, second) = (context.memory(1000), context.memory(3 << 20), context.memory(500));
    for pointer in [small, large, second] {
        call("cuMemsetD32_v2", (pointer, 0x1234u32, 100usize));
    }
    let handle = get(small).expect("device memory has one");
    assert_eq!(get(small), Ok(handle));
    assert_eq!(get(small + 16), Ok(handle), "it is that of the allocation");
    assert_eq!([0, 0x1234_5678_9000].map(get), [Err(INVALID_VALUE); 2]);
    assert_eq!(open(handle, LAZY), Err(INVALID_CONTEXT), "not in the process that gave it");
    let handles = [handle, get(large).expect("one"), get(second).expect("one")];
    assert_eq!(read(small, 2), [0x1234; 2], "the memory holds what it held");
    let name = std::thread::current().name().expect("tests have names").to_owned();
    let run = Command::new(std::env::current_exe().expect("this program"))
        .args(["--exact", &name, "--nocapture"])
        .env(CHILD, handles.map(MemHandle::text).join(" "))
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .output()
        .expect("it starts");
    assert!(run.status.success(), "{}", String::from_utf8_lossy(&run.stderr));
    // What the child's memset and kernel wrote.
    assert_eq!(read(small, 3), [0x77, 0x1234, 0x1234]);
    assert_eq!(read(large, 2), [0x1234, 0x77]);
    // Freed and given again, it is zero, though the pages are those of a file.
    for (pointer, bytes) in [(large, 3 << 20), (small, 1000)] {
        call("cuMemFree_v2", (pointer,));
        let all: Vec<Handle> = (0..64).map(|_| context.memory(bytes)).collect();
        assert!(all.iter().all(|again| read(*again, 100) == vec![0; 100]));
    }
}

fn child(handles: &[MemHandle]) {
    let context = Context::new();
    let [small, large, second] = *handles else { panic!("three handles") };
    let pointer = open(small, LAZY).expect("it is there");
    assert_eq!(open(small, LAZY), Ok(pointer), "the second time it is the same");
    assert_eq!(range(pointer), (pointer, 1000));
    assert_eq!(read(pointer, 100), vec![0x1234; 100]);
    // On the device, and no memory that could be given to a third process.
    assert_eq!((word(pointer, 2), word(pointer, 10), get(pointer)), (2, 0, Err(INVALID_VALUE)));
    let other = open(second, LAZY).expect("it is there");
    assert_eq!(other.abs_diff(pointer) % 512, 0, "both lie in one page");
    assert!(other.abs_diff(pointer) < 2 << 20);
    let big = open(large, LAZY).expect("it is there");
    assert_eq!(range(big), (big, 3 << 20));
    call("cuMemsetD32_v2", (pointer, 0x77u32, 1usize));
    let module = context.module(include_str!("kernels.ptx"));
    assert_eq!(launch(module.kernel("copy"), [1; 3], [1; 3], 0, &[big + 4, pointer]), 0);
    call("cuCtxSynchronize", ());
    assert_eq!(answer("cuMemFree_v2", (pointer,)), INVALID_VALUE);
    assert_eq!([close(pointer + 4), close(pointer)], [INVALID_VALUE, 0]);
    assert_eq!(read(pointer, 1), [0x77], "it has been opened twice");
    assert_eq!([close(pointer), close(pointer), close(big), close(other)], [0, INVALID_VALUE, 0, 0]);
    assert_eq!([close(0), close(context.memory(100))], [INVALID_VALUE; 2]);
    assert_eq!([0, 2].map(|flags| open(small, flags)), [Err(INVALID_VALUE); 2]);
    let again = open(small, 3).expect("the other flags are nobody's affair");
    assert_eq!((read(again, 1), close(again)), (vec![0x77], 0));
    // Nothing that another process, or anybody, writes into a handle leads elsewhere.
    for (place, value) in [
        (0, 0),
        (1, 1 << 32 | 1),
        (2, 1 << 40),
        (3, 1 << 60),
        (4, 1 << 50),
        (5, 1 << 40),
        (6, u64::MAX),
        (6, 0),
    ] {
        let mut wrong = small;
        wrong.0[place] = value;
        assert_eq!(open(wrong, LAZY), Err(INVALID_VALUE), "word {place}");
    }
    // Nor past the end of what is mapped already.
    let held = open(small, LAZY).expect("it is there");
    let mut wrong = small;
    (wrong.0[4], wrong.0[5]) = (4 << 20, 2 << 20);
    assert_eq!((open(wrong, LAZY), close(held)), (Err(INVALID_VALUE), 0));
}
