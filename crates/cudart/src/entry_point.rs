//! The driver's functions, for programs that ask the runtime for them.

use ptxvm_abi::{In, Out, Text};

use crate::context;
use crate::driver::{VERSION, cuGetExportTable, cuGetProcAddress};
use crate::entry::{early, unsupported};
use crate::error::{Answer, CudaError};

/// Finds a function of the driver's. That there is none is no error: the status says it.
fn find(name: Text, place: Out<usize>, version: u32, flags: u64, status: Out<u32>) -> Answer {
    let version = i32::try_from(version).map_err(|_| CudaError::INVALID_VALUE)?;
    let (mut address, mut said) = (0, 0);
    match cuGetProcAddress(name, &mut address, version, flags, &mut said) {
        Ok(()) => {}
        Err(CudaError::SYMBOL_NOT_FOUND) => address = 0,
        Err(error) => return Err(error),
    }
    status.offer(said);
    Ok(place.set(address)?)
}

early! {
    fn cudaGetDriverEntryPoint(name: Text, place: Out<usize>, flags: u64, status: Out<u32>) {
        context::driver()?;
        find(name, place, VERSION as u32, flags, status)
    }

    fn cudaGetDriverEntryPoint_ptsz(name: Text, place: Out<usize>, flags: u64, status: Out<u32>) {
        context::driver()?;
        find(name, place, VERSION as u32, own(flags), status)
    }

    fn cudaGetDriverEntryPointByVersion(
        name: Text, place: Out<usize>, version: u32, flags: u64, status: Out<u32>,
    ) {
        context::driver()?;
        find(name, place, version, flags, status)
    }

    fn cudaGetDriverEntryPointByVersion_ptsz(
        name: Text, place: Out<usize>, version: u32, flags: u64, status: Out<u32>,
    ) {
        context::driver()?;
        find(name, place, version, own(flags), status)
    }

    /// The private tables of NVIDIA's libraries.
    fn cudaGetExportTable(table: Out<usize>, id: In<[u8; 16]>) {
        cuGetExportTable(table, id)
    }
}

/// The default is that of the program: the thread's own stream.
fn own(flags: u64) -> u64 {
    if flags == 0 { 2 } else { flags }
}

unsupported! {
    __cudaGetProcAddress
}
