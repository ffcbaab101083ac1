//! Variables of the device that programs name by their variables of the host.

use ptxvm_abi::{Host, Out};

use crate::copy::{Kind, linear, linear_async};
use crate::entry::entry;
use crate::error::{Answer, CudaError};
use crate::layout::{Stream, Symbol};
use crate::registration;

/// The address of a part of a variable.
///
/// # Errors
/// There is no such variable, or it ends before.
pub fn part(symbol: Symbol, count: usize, offset: usize) -> Answer<Host> {
    let (address, size) = registration::variable(symbol)?;
    match offset.checked_add(count) {
        Some(end) if end <= size => Ok(Host::at(address + offset as u64)),
        _ => Err(CudaError::INVALID_VALUE),
    }
}

entry! {
    fn cudaGetSymbolAddress(place: Out<u64>, symbol: Symbol) {
        Ok(place.set(registration::variable(symbol)?.0)?)
    }

    fn cudaGetSymbolSize(place: Out<usize>, symbol: Symbol) {
        Ok(place.set(registration::variable(symbol)?.1)?)
    }

    fn cudaMemcpyToSymbol[cudaMemcpyToSymbol_ptds](
        symbol: Symbol, data: Host, count: usize, offset: usize, kind: u32,
    ) {
        if count == 0 {
            return Ok(());
        }
        linear(part(symbol, count, offset)?, data, count, Kind::into_device(kind)?)
    }

    fn cudaMemcpyFromSymbol[cudaMemcpyFromSymbol_ptds](
        data: Host, symbol: Symbol, count: usize, offset: usize, kind: u32,
    ) {
        if count == 0 {
            return Ok(());
        }
        linear(data, part(symbol, count, offset)?, count, Kind::out_of_device(kind)?)
    }

    fn cudaMemcpyToSymbolAsync[cudaMemcpyToSymbolAsync_ptsz](
        symbol: Symbol, data: Host, count: usize, offset: usize, kind: u32, stream: Stream,
    ) {
        if count == 0 {
            return Ok(());
        }
        linear_async(part(symbol, count, offset)?, data, count, Kind::into_device(kind)?, stream)
    }

    fn cudaMemcpyFromSymbolAsync[cudaMemcpyFromSymbolAsync_ptsz](
        data: Host, symbol: Symbol, count: usize, offset: usize, kind: u32, stream: Stream,
    ) {
        if count == 0 {
            return Ok(());
        }
        linear_async(data, part(symbol, count, offset)?, count, Kind::out_of_device(kind)?, stream)
    }
}
