//! The options of the compiler and the linker (`CU_JIT_*`): the caller's numbers and buffers, some of which we fill in.
//!
//! Each option has a slot of pointer size in an array: the number itself, the address of a log buffer, or the place for a
//! result. Most options have no effect here, since we make no machine code.
#![allow(unsafe_code)]

use std::time::Duration;

use crate::abi::{Answer, CUresult, Host, In, Out};

const MAX_REGISTERS: u32 = 0;
const WALL_TIME: u32 = 2;
const INFO_LOG_BUFFER: u32 = 3;
const INFO_LOG_BUFFER_SIZE_BYTES: u32 = 4;
const ERROR_LOG_BUFFER: u32 = 5;
const ERROR_LOG_BUFFER_SIZE_BYTES: u32 = 6;
/// `CU_JIT_NUM_OPTIONS`
const COUNT: u32 = 36;
/// More options than there are, even if each came several times.
const MOST: u32 = 4096;

/// The options of a call.
#[derive(Debug, Default)]
pub struct Jit {
    /// Warnings.
    pub info: Log,
    /// Errors.
    pub error: Log,
    /// The most registers of a thread.
    pub max_registers: Option<u32>,
    /// The slot that the time taken is written to.
    time: Option<Host>,
}

/// A buffer of the caller's for messages.
#[derive(Debug, Default)]
pub struct Log {
    /// Where it is, if there is one.
    buffer: Option<Host>,
    /// Its size with the zero at the end.
    size: u32,
    /// The slot that the number of bytes written goes to.
    filled: Option<Host>,
    /// The bytes written so far.
    length: u32,
}

impl Jit {
    /// Reads the options.
    ///
    /// # Errors
    /// There are no such options, or no values for them.
    pub fn read(count: u32, options: In<u32>, values: Out<Host>) -> Answer<Self> {
        let mut jit = Self::default();
        if count > MOST {
            return Err(CUresult::INVALID_VALUE);
        }
        for index in 0..count as usize {
            let slot = values.at(index);
            let number = || slot.get().map(|value| value.number() as u32);
            match options.at(index)? {
                MAX_REGISTERS => jit.max_registers = Some(number()?).filter(|most| *most != 0),
                WALL_TIME => jit.time = Some(slot.pointer()),
                INFO_LOG_BUFFER => jit.info.buffer = Some(slot.get()?).filter(|buffer| !buffer.is_null()),
                ERROR_LOG_BUFFER => jit.error.buffer = Some(slot.get()?).filter(|buffer| !buffer.is_null()),
                INFO_LOG_BUFFER_SIZE_BYTES => {
                    (jit.info.size, jit.info.filled) = (number()?, Some(slot.pointer()));
                }
                ERROR_LOG_BUFFER_SIZE_BYTES => {
                    (jit.error.size, jit.error.filled) = (number()?, Some(slot.pointer()));
                }
                // The others ask for other code, not for other results.
                option if option < COUNT => _ = slot.get()?,
                _ => return Err(CUresult::INVALID_VALUE),
            }
        }
        // Who reads a log without having looked at the answer must find an empty one.
        jit.info.append("");
        jit.error.append("");
        Ok(jit)
    }

    /// Says how long it took.
    pub fn took(&self, time: Duration) {
        if let Some(slot) = self.time {
            // SAFETY: a slot of the array of values, which is as large as a pointer, and which the program keeps as long as the
            // call lasts, or the linker that it was given to.
            unsafe { Out::new(slot.0.cast::<f32>()) }.offer(time.as_secs_f32() * 1e3);
        }
    }
}

impl Log {
    /// Whether the caller wants to have the messages.
    pub fn is_wanted(&self) -> bool {
        self.buffer.is_some() && self.size != 0
    }

    /// Adds lines to the messages, as far as there is room.
    pub fn append(&mut self, text: &str) {
        if let Some(buffer) = self.buffer.filter(|_| self.size != 0) {
            let room = (self.size - 1 - self.length) as usize;
            // SAFETY: the program has said where the buffer is and how long, and keeps it as long as the slot of `took`.
            let buffer = unsafe { Out::new(buffer.byte()) };
            let between = if self.length == 0 || text.is_empty() { "" } else { "\n" };
            for byte in between.bytes().chain(text.bytes()).take(room) {
                buffer.at(self.length as usize).offer(byte);
                self.length += 1;
            }
            buffer.at(self.length as usize).offer(0);
        }
        if let Some(slot) = self.filled {
            // The slot is as large as a pointer, the number is not.
            // SAFETY: a slot as that of `took`.
            unsafe { Out::new(slot.0.cast::<u32>()) }.offer(self.length);
        }
    }
}
