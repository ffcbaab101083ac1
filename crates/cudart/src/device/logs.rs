//! The driver's log, which needs no context.

use ptxvm_abi::{Host, Out, Text};

use crate::context;
use crate::driver::{
    cuLogsCurrent, cuLogsDumpToFile, cuLogsDumpToMemory, cuLogsRegisterCallback, cuLogsUnregisterCallback,
};
use crate::entry::early;

early! {
    fn cudaLogsRegisterCallback(function: usize, data: Host, handle: Out<u64>) {
        context::driver()?;
        cuLogsRegisterCallback(function, data, handle)
    }

    fn cudaLogsUnregisterCallback(handle: u64) {
        context::driver()?;
        cuLogsUnregisterCallback(handle)
    }

    fn cudaLogsCurrent(iterator: Out<u32>, flags: u32) {
        context::driver()?;
        cuLogsCurrent(iterator, flags)
    }

    fn cudaLogsDumpToFile(iterator: Out<u32>, path: Text, flags: u32) {
        context::driver()?;
        cuLogsDumpToFile(iterator, path, flags)
    }

    fn cudaLogsDumpToMemory(iterator: Out<u32>, buffer: Out<u8>, size: Out<usize>, flags: u32) {
        context::driver()?;
        cuLogsDumpToMemory(iterator, buffer, size, flags)
    }
}
