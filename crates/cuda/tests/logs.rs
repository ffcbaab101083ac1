//! The driver's log: what calls have answered with an error can be read, written to a file, and told of.
#![allow(unsafe_code)]

mod client;

use std::ffi::{CStr, CString, c_char, c_void};
use std::sync::Mutex;

use client::{answer, call};

/// What the callback was told: the level and the message.
static TOLD: Mutex<Vec<(u32, String)>> = Mutex::new(Vec::new());

/// Keeps the message, and makes a mistake of its own, of which nobody is told.
extern "C" fn told(data: *mut c_void, level: u32, message: *const c_char, length: usize) {
    assert_eq!(data.addr(), 7);
    // SAFETY: the driver promises a text that ends with a zero.
    let text = unsafe { CStr::from_ptr(message) };
    assert_eq!(text.to_bytes().len(), length);
    TOLD.lock().expect("no panic").push((level, text.to_string_lossy().into_owned()));
    answer("cuMemFree_v2", (3u64,));
}

/// What the log has from an iterator on, with so much room.
fn dump(iterator: Option<&mut u32>, room: usize) -> (u32, String) {
    let (mut text, mut size) = (vec![0x55u8; room + 1], room);
    let iterator = iterator.map_or(std::ptr::null_mut(), std::ptr::from_mut);
    let answered = answer("cuLogsDumpToMemory", (iterator, text.as_mut_ptr(), &raw mut size, 0u32));
    assert_eq!(text[room], 0x55, "nothing is written behind the room");
    assert!(size < room.max(1));
    (answered, String::from_utf8_lossy(&text[..size]).into_owned())
}

#[test]
fn errors_are_kept_told_and_read() {
    call("cuInit", (0u32,));
    let mut current = 77u32;
    call("cuLogsCurrent", (&raw mut current, 0u32));
    let first = current;
    let function: extern "C" fn(*mut c_void, u32, *const c_char, usize) = told;
    let mut handle = 0u64;
    call("cuLogsRegisterCallback", (function, 7usize, &raw mut handle));
    assert_eq!(answer("cuDeviceGet", (std::ptr::null_mut::<i32>(), 0i32)), 1);
    assert_eq!(answer("cuDeviceGetCount", (std::ptr::null_mut::<i32>(),)), 1);
    {
        let told = TOLD.lock().expect("no panic");
        assert_eq!(told.len(), 2, "{told:?}");
        assert!(
            told[0].0 == 0 && told[0].1.contains("cuDeviceGet answered CUDA_ERROR_INVALID_VALUE"),
            "{told:?}"
        );
    }
    // What is read once is not read again by the same iterator.
    let (answered, text) = dump(Some(&mut current), 4096);
    assert!(answered == 0 && text.lines().count() == 2 && text.contains("cuDeviceGetCount"), "{text}");
    assert_eq!((dump(Some(&mut current), 4096), current), ((0, String::new()), first + 2));
    // Where there is no room for all, the newest are there, and it is said.
    let (answered, text) = dump(Some(&mut { first }), 170);
    assert!(answered == 0 && text.contains("not whole") && text.contains("cuDeviceGetCount"), "{text}");
    assert!(!text.contains("cuDeviceGet answered"), "{text}");
    for room in [0, 1, 20, 80] {
        assert_eq!(dump(Some(&mut { first }), room), (1, String::new()), "room for {room}");
    }
    // A file, from the beginning.
    let path = std::env::temp_dir().join(format!("ptxvm-logs-{}", std::process::id()));
    let name = CString::new(path.to_str().expect("a path")).expect("no zero");
    call("cuLogsDumpToFile", (std::ptr::null_mut::<u32>(), name.as_ptr(), 0u32));
    let written = std::fs::read_to_string(&path).expect("the file");
    assert!(
        written.contains("cuDeviceGetCount answered CUDA_ERROR_INVALID_VALUE: invalid argument\n"),
        "{written}"
    );
    let _ = std::fs::remove_file(&path);
    // Nobody is told any more.
    call("cuLogsUnregisterCallback", (handle,));
    let before = TOLD.lock().expect("no panic").len();
    assert_eq!(answer("cuLogsUnregisterCallback", (handle,)), 1);
    assert_eq!(TOLD.lock().expect("no panic").len(), before);
    // Wrong calls.
    assert_eq!(answer("cuLogsCurrent", (std::ptr::null_mut::<u32>(), 0u32)), 1);
    assert_eq!(answer("cuLogsCurrent", (&raw mut current, 1u32)), 1);
    assert_eq!(answer("cuLogsRegisterCallback", (0usize, 0usize, &raw mut handle)), 1);
    assert_eq!(answer("cuLogsDumpToFile", (0usize, c"/nowhere/at/all".as_ptr(), 0u32)), 1);
    assert_eq!(answer("cuLogsDumpToFile", (0usize, 0usize, 0u32)), 1);
    assert_eq!(answer("cuLogsDumpToMemory", (0usize, 0usize, 0usize, 0u32)), 1);
    // The log does not grow without end.
    for _ in 0..10_000 {
        answer("cuDeviceGetCount", (std::ptr::null_mut::<i32>(),));
    }
    let (answered, text) = dump(None, 100_000);
    assert!(
        answered == 0 && text.lines().count() <= 101 && text.contains("not whole"),
        "{}",
        text.lines().count()
    );
}
