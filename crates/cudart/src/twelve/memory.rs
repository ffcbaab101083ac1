//! Advice on managed memory, where a device's number stood in the place of a location.

use ptxvm_abi::Host;

use crate::driver::{cuMemAdvise, cuMemPrefetchAsync};
use crate::entry::of_12;
use crate::layout::{MemLocation, Stream};

/// `cudaCpuDeviceId`
const HOST: i32 = -1;

/// The location of a device, or of the host.
fn location(device: i32) -> MemLocation {
    if device == HOST { MemLocation { kind: 2, id: 0 } } else { MemLocation { kind: 1, id: device } }
}

of_12! {
    fn cudaMemAdvise(address: Host, bytes: usize, advice: u32, device: i32) {
        cuMemAdvise(address, bytes, advice, location(device))
    }

    fn cudaMemPrefetchAsync[cudaMemPrefetchAsync_ptsz](
        address: Host, bytes: usize, device: i32, stream: Stream,
    ) {
        cuMemPrefetchAsync(address, bytes, location(device), 0, stream)
    }
}
