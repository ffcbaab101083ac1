//! The entry points of the driver's log: what calls have answered with an error, which programs read, write to files or are
//! told of (`cuLogs…`).

use crate::abi::{Answer, CUresult, Host, Out, Text};
use crate::entry::entry;
use crate::logged::{LogCallback, MOST_BYTES, log};

/// `CUlogsCallbackHandle`
pub type CUlogsCallbackHandle = u64;

/// What stands before messages some of which are gone or do not fit.
const TRUNCATED: &str = "[CUDA][W] the log is not whole: older messages are gone, or do not fit\n";

entry! {
    fn cuLogsRegisterCallback(function: Option<LogCallback>, data: Host, handle: Out<CUlogsCallbackHandle>) {
        let function = function.ok_or(CUresult::INVALID_VALUE)?;
        let mut log = log();
        log.given += 1;
        let number = log.given;
        log.callbacks.push((number, function, data));
        // Who takes no handle is told for ever.
        handle.offer(number);
        Ok(())
    }

    fn cuLogsUnregisterCallback(handle: CUlogsCallbackHandle) {
        let mut log = log();
        let before = log.callbacks.len();
        log.callbacks.retain(|(number, ..)| *number != handle);
        if log.callbacks.len() < before { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
    }

    fn cuLogsCurrent(iterator: Out<u32>, flags: u32) {
        no_flags(flags)?;
        iterator.set(log().next)
    }

    fn cuLogsDumpToFile(iterator: Out<u32>, path: Text, flags: u32) {
        no_flags(flags)?;
        let path = path.get()?;
        let text = {
            let log = log();
            let (messages, lost) = log.since(wanted(iterator)?);
            let text = if lost { TRUNCATED.to_owned() } else { String::new() } + &messages.concat();
            iterator.offer(log.next);
            text
        };
        std::fs::write(path, text).map_err(|_| CUresult::INVALID_VALUE)
    }

    fn cuLogsDumpToMemory(iterator: Out<u32>, buffer: Out<u8>, size: Out<usize>, flags: u32) {
        no_flags(flags)?;
        let room = size.get()?.min(MOST_BYTES);
        if buffer.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        let log = log();
        let (messages, lost) = log.since(wanted(iterator)?);
        if messages.is_empty() {
            iterator.offer(log.next);
            return size.set(0);
        }
        let Some(text) = that_fits(&messages, lost, room) else {
            size.set(0)?;
            return Err(CUresult::INVALID_VALUE);
        };
        text.bytes().chain([0]).enumerate().try_for_each(|(index, byte)| buffer.at(index).set(byte))?;
        iterator.offer(log.next);
        size.set(text.len())
    }
}

/// The newest messages for which there is room with a zero, the oldest of them first.
fn that_fits(messages: &[&str], lost: bool, room: usize) -> Option<String> {
    let all: usize = messages.iter().map(|message| message.len()).sum();
    let mark = if lost { TRUNCATED.len() } else { 0 };
    if all + mark < room {
        return Some(if lost { TRUNCATED.to_owned() } else { String::new() } + &messages.concat());
    }
    let mut left = room.checked_sub(TRUNCATED.len() + 1)?;
    let fits = messages.iter().rev().take_while(|message| {
        let fits = message.len() <= left;
        left = left.saturating_sub(message.len());
        fits
    });
    let count = fits.count();
    (count > 0).then(|| TRUNCATED.to_owned() + &messages[messages.len() - count..].concat())
}

/// Where a program wants to begin; with the first message where it says nothing.
fn wanted(iterator: Out<u32>) -> Answer<Option<u32>> {
    if iterator.is_null() { Ok(None) } else { iterator.get().map(Some) }
}

fn no_flags(flags: u32) -> Answer {
    if flags == 0 { Ok(()) } else { Err(CUresult::INVALID_VALUE) }
}
