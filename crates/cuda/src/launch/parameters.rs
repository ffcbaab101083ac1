//! The values of a launch's parameters: copied at the call, because the program's own may change right after it.

use crate::abi::{Answer, CUresult, In};
use crate::module::Function;

/// `CU_LAUNCH_PARAM_BUFFER_POINTER`, `CU_LAUNCH_PARAM_BUFFER_SIZE`; 0 ends the list.
const BUFFER_POINTER: usize = 1;
const BUFFER_SIZE: usize = 2;

/// Copies the parameters' values: from a pointer for each, or from one buffer that holds them all.
///
/// # Errors
/// There are none for a kernel that has parameters, both ways are used, or the buffer is too small.
pub fn collect(function: &Function, pointers: In<In<u8>>, extra: In<usize>) -> Answer<Vec<Vec<u8>>> {
    let parameters = function.kernel.parameters();
    match (pointers.is_null(), extra.is_null()) {
        (true, true) if parameters.is_empty() => Ok(Vec::new()),
        (false, true) => {
            let each = parameters.iter().enumerate();
            each.map(|(index, p)| pointers.at(index)?.list(p.size as usize)).collect()
        }
        (true, false) => packed(function, extra),
        _ => Err(CUresult::INVALID_VALUE),
    }
}

fn packed(function: &Function, extra: In<usize>) -> Answer<Vec<Vec<u8>>> {
    let (buffer, size) = buffer(extra)?;
    let mut offset = 0u64;
    let mut values = Vec::new();
    for parameter in function.kernel.parameters() {
        offset = offset.next_multiple_of(u64::from(parameter.align).max(1));
        if offset + parameter.size > size as u64 {
            return Err(CUresult::INVALID_VALUE);
        }
        let bytes = offset..offset + parameter.size;
        values.push(bytes.map(|at| buffer.at(at as usize)).collect::<Answer<_>>()?);
        offset += parameter.size;
    }
    Ok(values)
}

/// The buffer that a list of extra arguments names.
fn buffer(extra: In<usize>) -> Answer<(In<u8>, usize)> {
    let (mut pointer, mut size) = (None, None);
    for pair in 0.. {
        let value = || extra.at(2 * pair + 1);
        match extra.at(2 * pair)? {
            0 => break,
            BUFFER_POINTER => pointer = Some(In::new(value()? as *const u8)),
            BUFFER_SIZE => size = Some(In::new(value()? as *const usize).get()?),
            _ => return Err(CUresult::INVALID_VALUE),
        }
    }
    pointer.zip(size).ok_or(CUresult::INVALID_VALUE)
}
