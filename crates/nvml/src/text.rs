//! Texts in rooms that programs give.

use ptxvm_abi::Out;

use crate::result::{Answer, NvmlReturn};

/// Writes a text and a zero.
///
/// # Errors
/// There is no room, or too little.
pub fn write(room: Out<u8>, length: u32, text: &str) -> Answer {
    if room.is_null() {
        return Err(NvmlReturn::INVALID_ARGUMENT);
    }
    if (length as usize) <= text.len() {
        return Err(NvmlReturn::INSUFFICIENT_SIZE);
    }
    let mut all = text.bytes().chain([0]).enumerate();
    Ok(all.try_for_each(|(index, byte)| room.at(index).set(byte))?)
}

/// The same in an array of a structure.
pub fn array<const N: usize>(text: &str) -> [u8; N] {
    let mut all = [0; N];
    all[..N - 1].iter_mut().zip(text.bytes()).for_each(|(to, from)| *to = from);
    all
}

/// What stands before the first zero.
pub fn until_zero(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes.split(|&byte| byte == 0).next().unwrap_or_default()).into_owned()
}
