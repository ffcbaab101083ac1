//! The values of a launch's parameters, copied during the call, because the program may change its own right after it.
#![allow(unsafe_code)]

use crate::abi::{Answer, CUresult, Host, In};
use crate::module::Function;

/// `CU_LAUNCH_PARAM_BUFFER_POINTER`, `CU_LAUNCH_PARAM_BUFFER_SIZE`; 0 ends the list.
const BUFFER_POINTER: usize = 1;
const BUFFER_SIZE: usize = 2;

/// Copies the parameters' values: from a pointer for each, or from one buffer that holds them all.
///
/// # Errors
/// There are none for a kernel that has parameters, or the buffer is too large for them.
pub fn collect(function: &Function, pointers: In<In<u8>>, extra: In<Host>) -> Answer<Vec<Vec<u8>>> {
    let parameters = function.kernel.parameters();
    if !pointers.is_null() {
        let each = parameters.iter().enumerate();
        return each.map(|(index, p)| pointers.at(index)?.list(p.size as usize)).collect();
    }
    if !extra.is_null() {
        return unpack(function, extra);
    }
    if parameters.is_empty() { Ok(Vec::new()) } else { Err(CUresult::INVALID_VALUE) }
}

/// Takes the values out of a buffer, which is laid out like a C structure. What a short one lacks is zero, as the
/// driver has it.
fn unpack(function: &Function, extra: In<Host>) -> Answer<Vec<Vec<u8>>> {
    let (buffer, size) = buffer(extra)?;
    let parameters = function.kernel.parameters();
    let mut end = 0u64;
    let mut starts = Vec::new();
    for parameter in parameters {
        let start = end.next_multiple_of(u64::from(parameter.align).max(1));
        starts.push(start);
        end = start + parameter.size;
    }
    let alignment = parameters.iter().map(|p| u64::from(p.align)).max().unwrap_or(1).max(1);
    if size as u64 > end.next_multiple_of(alignment) {
        return Err(CUresult::LAUNCH_OUT_OF_RESOURCES);
    }
    let byte = |at: u64| if at < size as u64 { buffer.at(at as usize) } else { Ok(0) };
    let value = |(&start, size): (&u64, u64)| (start..start + size).map(byte).collect::<Answer<Vec<u8>>>();
    starts.iter().zip(parameters.iter().map(|p| p.size)).map(value).collect()
}

/// The buffer that a list of extra arguments names.
fn buffer(extra: In<Host>) -> Answer<(In<u8>, usize)> {
    let (mut pointer, mut size) = (None, None);
    for pair in 0.. {
        let value = || extra.at(2 * pair + 1);
        match extra.at(2 * pair)?.number() {
            0 => break,
            // SAFETY: the program says by the number before it that this is the buffer, as long as it says beside it.
            BUFFER_POINTER => pointer = Some(unsafe { In::new(value()?.byte()) }),
            // SAFETY: the same, of the place where the buffer's size is.
            BUFFER_SIZE => size = Some(unsafe { In::new(value()?.0.cast::<usize>()) }.get()?),
            _ => return Err(CUresult::INVALID_VALUE),
        }
    }
    pointer.zip(size).ok_or(CUresult::INVALID_VALUE)
}
