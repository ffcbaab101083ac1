//! The entry points that copy one-dimensional ranges of bytes from and to arrays.

use super::object::CUarray;
use super::side::{line, side};
use crate::abi::{Answer, CUdeviceptr, Host};
use crate::entry::entry;
use crate::memory::copy;
use crate::stream::CUstream;
use crate::work::{Copy, InArray, Place, Side};

entry! {
    fn cuMemcpyHtoA_v2 [cuMemcpyHtoA_v2_ptds] (to: CUarray, offset: usize, from: Host, bytes: usize) {
        transfer(End::Array(line(to, offset)), End::host(from), bytes, None)
    }

    fn cuMemcpyAtoH_v2 [cuMemcpyAtoH_v2_ptds] (to: Host, from: CUarray, offset: usize, bytes: usize) {
        transfer(End::host(to), End::Array(line(from, offset)), bytes, None)
    }

    fn cuMemcpyDtoA_v2 [cuMemcpyDtoA_v2_ptds] (to: CUarray, offset: usize, from: CUdeviceptr, bytes: usize) {
        transfer(End::Array(line(to, offset)), End::device(from), bytes, None)
    }

    fn cuMemcpyAtoD_v2 [cuMemcpyAtoD_v2_ptds] (to: CUdeviceptr, from: CUarray, offset: usize, bytes: usize) {
        transfer(End::device(to), End::Array(line(from, offset)), bytes, None)
    }

    fn cuMemcpyAtoA_v2 [cuMemcpyAtoA_v2_ptds] (
        to: CUarray, to_offset: usize, from: CUarray, from_offset: usize, bytes: usize,
    ) {
        transfer(End::Array(line(to, to_offset)), End::Array(line(from, from_offset)), bytes, None)
    }

    fn cuMemcpyHtoAAsync_v2 [cuMemcpyHtoAAsync_v2_ptsz] (
        to: CUarray, offset: usize, from: Host, bytes: usize, stream: CUstream,
    ) {
        transfer(End::Array(line(to, offset)), End::host(from), bytes, Some(stream))
    }

    fn cuMemcpyAtoHAsync_v2 [cuMemcpyAtoHAsync_v2_ptsz] (
        to: Host, from: CUarray, offset: usize, bytes: usize, stream: CUstream,
    ) {
        transfer(End::host(to), End::Array(line(from, offset)), bytes, Some(stream))
    }
}

/// One end of a line.
enum End {
    Memory(Side),
    Array(InArray),
}

impl End {
    fn host(host: Host) -> Self {
        End::Memory(Side::line(Place::Host(host)))
    }

    fn device(address: CUdeviceptr) -> Self {
        End::Memory(Side::line(Place::Device(address)))
    }

    fn side(self, bytes: usize) -> Answer<Side> {
        match self {
            End::Memory(side) => Ok(side),
            End::Array(place) => side(place, [bytes as u64, 1, 1]),
        }
    }
}

fn transfer(to: End, from: End, bytes: usize, stream: Option<CUstream>) -> Answer {
    let describe = || match bytes {
        // A copy of nothing is looked at no further.
        0 => Ok(Copy::NOTHING),
        _ => Ok(Copy::line(to.side(bytes)?, from.side(bytes)?, bytes as u64)),
    };
    copy(describe, stream)
}
