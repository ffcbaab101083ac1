//! What is said of managed memory: where it is wanted, and what is known of that.

use ptxvm_abi::{Host, In, OutAny};

use crate::driver::{
    cuMemAdvise, cuMemDiscardAndPrefetchBatchAsync, cuMemDiscardBatchAsync, cuMemPrefetchAsync,
    cuMemPrefetchBatchAsync, cuMemRangeGetAttribute, cuMemRangeGetAttributes,
};
use crate::entry::{entry, of_13};
use crate::layout::{MemLocation, Stream};

entry! {
    fn cudaMemPrefetchBatchAsync[cudaMemPrefetchBatchAsync_ptsz](
        addresses: In<u64>, sizes: In<usize>, count: usize, locations: In<MemLocation>, indices: In<usize>,
        location_count: usize, flags: u64, stream: Stream,
    ) {
        cuMemPrefetchBatchAsync(addresses, sizes, count, locations, indices, location_count, flags, stream)
    }

    fn cudaMemDiscardBatchAsync[cudaMemDiscardBatchAsync_ptsz](
        addresses: In<u64>, sizes: In<usize>, count: usize, flags: u64, stream: Stream,
    ) {
        cuMemDiscardBatchAsync(addresses, sizes, count, flags, stream)
    }

    fn cudaMemDiscardAndPrefetchBatchAsync[cudaMemDiscardAndPrefetchBatchAsync_ptsz](
        addresses: In<u64>, sizes: In<usize>, count: usize, locations: In<MemLocation>, indices: In<usize>,
        location_count: usize, flags: u64, stream: Stream,
    ) {
        cuMemDiscardAndPrefetchBatchAsync(addresses, sizes, count, locations, indices, location_count, flags, stream)
    }

    fn cudaMemRangeGetAttribute(data: OutAny, size: usize, attribute: u32, address: Host, bytes: usize) {
        cuMemRangeGetAttribute(data, size, attribute, address, bytes)
    }

    fn cudaMemRangeGetAttributes(
        data: In<OutAny>, sizes: In<usize>, attributes: In<u32>, count: usize, address: Host, bytes: usize,
    ) {
        cuMemRangeGetAttributes(data, sizes, attributes, count, address, bytes)
    }
}

of_13! {
    fn cudaMemAdvise(address: Host, bytes: usize, advice: u32, location: MemLocation) {
        cuMemAdvise(address, bytes, advice, location)
    }

    fn cudaMemPrefetchAsync[cudaMemPrefetchAsync_ptsz](
        address: Host, bytes: usize, location: MemLocation, flags: u32, stream: Stream,
    ) {
        cuMemPrefetchAsync(address, bytes, location, flags, stream)
    }
}
