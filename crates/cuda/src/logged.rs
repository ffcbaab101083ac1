//! What calls have answered with an error: the messages that are kept, and those who are told of new ones. Programs ask for
//! them by the entry points in `logs.rs`.
#![allow(unsafe_code)]

use std::cell::Cell;
use std::collections::VecDeque;
use std::ffi::{CStr, CString, c_char};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::abi::{CUresult, Host};

/// How many messages are kept, and how many bytes of them at most, as the driver says of itself.
const MOST: usize = 100;
pub const MOST_BYTES: usize = 25_600;

/// `CU_LOG_LEVEL_ERROR`
const ERROR: u32 = 0;

/// `CUlogsCallback`: what a program wants to be called with each message.
pub type LogCallback = unsafe extern "C" fn(Host, u32, *const c_char, usize);

/// The log.
pub struct Log {
    /// The newest at the end, each with its newline.
    messages: VecDeque<String>,
    bytes: usize,
    /// The number of the next message: an iterator is the number of one.
    pub next: u32,
    pub callbacks: Vec<(u64, LogCallback, Host)>,
    pub given: u64,
}

static LOG: Mutex<Log> =
    Mutex::new(Log { messages: VecDeque::new(), bytes: 0, next: 0, callbacks: Vec::new(), given: 0 });

thread_local! {
    /// Whether this thread is telling of a message: what a callback does wrong itself is not told to it.
    static TELLING: Cell<bool> = const { Cell::new(false) };
}

pub fn log() -> MutexGuard<'static, Log> {
    LOG.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Log {
    /// The messages from a number on, and whether some before them are gone.
    pub fn since(&self, number: Option<u32>) -> (Vec<&str>, bool) {
        let first = self.next.wrapping_sub(self.messages.len() as u32);
        let wanted = number.unwrap_or(0);
        let lost = first > wanted;
        let skip = (wanted.saturating_sub(first) as usize).min(self.messages.len());
        (self.messages.iter().skip(skip).map(String::as_str).collect(), lost)
    }

    fn add(&mut self, message: String) {
        self.bytes += message.len();
        self.messages.push_back(message);
        self.next = self.next.saturating_add(1);
        while self.messages.len() > MOST || self.bytes > MOST_BYTES {
            let Some(oldest) = self.messages.pop_front() else { break };
            self.bytes -= oldest.len();
        }
    }
}

/// Keeps that a call has answered with an error, and tells those that want to know.
pub fn error(call: &str, result: CUresult) {
    if TELLING.replace(true) {
        return;
    }
    let words = result.words().map(|words| words.to_string_lossy()).unwrap_or_default();
    let message = format!("[{}][CUDA][E] {call} answered {result:?}: {words}\n", time());
    let callbacks = {
        let mut log = log();
        log.add(message.clone());
        log.callbacks.clone()
    };
    // Without the lock: a callback may read the log.
    if let Some(text) = (!callbacks.is_empty()).then(|| CString::new(message.trim_end()).ok()).flatten() {
        for (_, function, data) in callbacks {
            tell(function, data, &text);
        }
    }
    TELLING.set(false);
}

/// Calls a program's function with a message.
fn tell(function: LogCallback, data: Host, message: &CStr) {
    // SAFETY: the program has registered the function to be called so, and the text stays for the call.
    unsafe { function(data, ERROR, message.as_ptr(), message.to_bytes().len()) };
}

/// The time of day, by the world's clock.
fn time() -> String {
    let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
    let seconds = since.as_secs() % 86_400;
    let (hour, minute, second) = (seconds / 3600, seconds / 60 % 60, seconds % 60);
    format!("{hour:02}:{minute:02}:{second:02}.{:03}", since.subsec_millis())
}
