//! The entry points that make a stream wait for values in memory, or write them.

use std::sync::Arc;

use super::{CUstream, resolve};
use crate::abi::{Answer, CUdeviceptr, CUresult, In};
use crate::context::Context;
use crate::entry::entry;
use crate::work::{Cell, Condition, Operation, ValueOperation};

/// `CU_STREAM_WAIT_VALUE_FLUSH`: writes of other devices come first; there are none.
const FLUSH: u32 = 1 << 30;
/// `CU_STREAM_WRITE_VALUE_NO_MEMORY_BARRIER`: a permission that is not used.
const NO_BARRIER: u32 = 1;
/// The most operations of a batch.
const MOST: u32 = 256;

/// `CUstreamBatchMemOpParams`: the operation's kind, its address, its value and its flags.
#[repr(C)]
#[derive(Clone, Copy)]
pub struct CUstreamBatchMemOpParams {
    operation: u32,
    /// The flags of those operations that have nothing else.
    early_flags: u32,
    address: CUdeviceptr,
    value: u64,
    flags: u32,
    pad: [u32; 5],
}

entry! {
    fn cuStreamWaitValue32 [cuStreamWaitValue32_ptsz] (
        stream: CUstream, address: CUdeviceptr, value: u32, flags: u32,
    ) {
        single(stream, address, 4, u64::from(value), flags, wait)
    }

    fn cuStreamWaitValue32_v2 [cuStreamWaitValue32_v2_ptsz] (
        stream: CUstream, address: CUdeviceptr, value: u32, flags: u32,
    ) {
        single(stream, address, 4, u64::from(value), flags, wait)
    }

    fn cuStreamWaitValue64 [cuStreamWaitValue64_ptsz] (
        stream: CUstream, address: CUdeviceptr, value: u64, flags: u32,
    ) {
        single(stream, address, 8, value, flags, wait)
    }

    fn cuStreamWaitValue64_v2 [cuStreamWaitValue64_v2_ptsz] (
        stream: CUstream, address: CUdeviceptr, value: u64, flags: u32,
    ) {
        single(stream, address, 8, value, flags, wait)
    }

    fn cuStreamWriteValue32 [cuStreamWriteValue32_ptsz] (
        stream: CUstream, address: CUdeviceptr, value: u32, flags: u32,
    ) {
        single(stream, address, 4, u64::from(value), flags, write)
    }

    fn cuStreamWriteValue32_v2 [cuStreamWriteValue32_v2_ptsz] (
        stream: CUstream, address: CUdeviceptr, value: u32, flags: u32,
    ) {
        single(stream, address, 4, u64::from(value), flags, write)
    }

    fn cuStreamWriteValue64 [cuStreamWriteValue64_ptsz] (
        stream: CUstream, address: CUdeviceptr, value: u64, flags: u32,
    ) {
        single(stream, address, 8, value, flags, write)
    }

    fn cuStreamWriteValue64_v2 [cuStreamWriteValue64_v2_ptsz] (
        stream: CUstream, address: CUdeviceptr, value: u64, flags: u32,
    ) {
        single(stream, address, 8, value, flags, write)
    }

    fn cuStreamBatchMemOp [cuStreamBatchMemOp_ptsz] (
        stream: CUstream, count: u32, operations: In<CUstreamBatchMemOpParams>, flags: u32,
    ) {
        batch(stream, count, operations, flags)
    }

    fn cuStreamBatchMemOp_v2 [cuStreamBatchMemOp_v2_ptsz] (
        stream: CUstream, count: u32, operations: In<CUstreamBatchMemOpParams>, flags: u32,
    ) {
        batch(stream, count, operations, flags)
    }
}

/// Makes an operation of its parts.
type Make = fn(Cell, u64, u32) -> Answer<ValueOperation>;

fn single(stream: CUstream, address: u64, bytes: usize, value: u64, flags: u32, make: Make) -> Answer {
    let stream = resolve(stream)?;
    let at = Cell { address, bytes };
    let operation = checked(make(at, value, flags)?, &*stream.context()?)?;
    stream.submit(Operation::Values(Arc::new([operation])), &[]).map(|_| ())
}

fn batch(stream: CUstream, count: u32, list: In<CUstreamBatchMemOpParams>, flags: u32) -> Answer {
    if flags != 0 || count > MOST {
        return Err(CUresult::INVALID_VALUE);
    }
    let stream = resolve(stream)?;
    let operations = read(list, count, &*stream.context()?)?;
    stream.submit(Operation::Values(operations.into()), &[]).map(|_| ())
}

/// Reads the operations of a batch and checks them.
///
/// # Errors
/// One of them is unknown, or its memory or its flags are wrong.
pub fn read(
    list: In<CUstreamBatchMemOpParams>,
    count: u32,
    context: &Context,
) -> Answer<Vec<ValueOperation>> {
    let one = |given: CUstreamBatchMemOpParams| {
        let CUstreamBatchMemOpParams { address, value, flags, early_flags, .. } = given;
        let (narrow, wide) = (Cell { address, bytes: 4 }, Cell { address, bytes: 8 });
        let operation = match given.operation {
            1 => wait(narrow, u64::from(value as u32), flags)?,
            2 => write(narrow, u64::from(value as u32), flags)?,
            4 => wait(wide, value, flags)?,
            5 => write(wide, value, flags)?,
            // A flush of remote writes, and a barrier of the system or of the device.
            3 if early_flags == 0 => ValueOperation::Barrier,
            6 if early_flags <= 1 => ValueOperation::Barrier,
            _ => return Err(CUresult::INVALID_VALUE),
        };
        checked(operation, context)
    };
    list.list(count as usize)?.into_iter().map(one).collect()
}

fn wait(at: Cell, value: u64, flags: u32) -> Answer<ValueOperation> {
    let condition = match flags & !FLUSH {
        0 => Condition::GreaterOrEqual,
        1 => Condition::Equal,
        2 => Condition::And,
        3 => Condition::Nor,
        _ => return Err(CUresult::INVALID_VALUE),
    };
    Ok(ValueOperation::Wait { at, condition, value })
}

fn write(at: Cell, value: u64, flags: u32) -> Answer<ValueOperation> {
    if flags & !NO_BARRIER != 0 {
        return Err(CUresult::INVALID_VALUE);
    }
    Ok(ValueOperation::Write { at, value })
}

fn checked(operation: ValueOperation, context: &Context) -> Answer<ValueOperation> {
    match operation {
        ValueOperation::Wait { at, .. } | ValueOperation::Write { at, .. } if !at.is_valid(context) => {
            Err(CUresult::INVALID_VALUE)
        }
        _ => Ok(operation),
    }
}
