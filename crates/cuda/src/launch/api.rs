//! The entry points that launch kernels.

use std::sync::Arc;

use crate::abi::{Answer, CUresult, In};
use crate::entry::entry;
use crate::module::{CUfunction, Function};
use crate::stream::{CUstream, resolve};
use crate::work::{KernelLaunch, Operation};

/// `CU_LAUNCH_PARAM_BUFFER_POINTER`, `CU_LAUNCH_PARAM_BUFFER_SIZE`; 0 ends the list.
const BUFFER_POINTER: usize = 1;
const BUFFER_SIZE: usize = 2;

entry! {
    fn cuLaunchKernel [cuLaunchKernel_ptsz] (
        function: CUfunction,
        grid_x: u32, grid_y: u32, grid_z: u32,
        block_x: u32, block_y: u32, block_z: u32,
        shared: u32,
        stream: CUstream,
        parameters: In<In<u8>>,
        extra: In<usize>,
    ) {
        let stream = resolve(stream)?;
        let function = function.get()?;
        let parameters = collect(&function, parameters, extra)?;
        let (grid, block) = ([grid_x, grid_y, grid_z], [block_x, block_y, block_z]);
        let launch = KernelLaunch { function, grid, block, shared, parameters, cooperative: false };
        stream.submit(Operation::Kernel(launch), &[]).map(|_| ())
    }
}

/// Copies the parameters' values: from a pointer for each, or from one buffer that holds them all.
fn collect(function: &Arc<Function>, pointers: In<In<u8>>, extra: In<usize>) -> Answer<Vec<Vec<u8>>> {
    let parameters = function.kernel.parameters();
    if !pointers.is_null() {
        let each = parameters.iter().enumerate();
        return each.map(|(index, p)| pointers.at(index)?.list(p.size as usize)).collect();
    }
    if extra.is_null() {
        return if parameters.is_empty() { Ok(Vec::new()) } else { Err(CUresult::INVALID_VALUE) };
    }
    let (buffer, size) = buffer(extra)?;
    let mut offset = 0u64;
    let mut values = Vec::new();
    for parameter in parameters {
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
