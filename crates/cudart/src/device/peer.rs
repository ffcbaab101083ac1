//! Access to the memory of other devices, of which there are none: the device itself is nobody's peer.

use ptxvm_abi::Out;

use crate::context::{self, DEVICE};
use crate::driver::{cuDeviceCanAccessPeer, cuDeviceGetP2PAttribute};
use crate::entry::{early, entry};
use crate::error::{Answer, CudaError};

early! {
    fn cudaDeviceCanAccessPeer(can: Out<i32>, device: i32, peer: i32) {
        context::driver()?;
        cuDeviceCanAccessPeer(can, device, peer)
    }

    fn cudaDeviceGetP2PAttribute(value: Out<i32>, attribute: u32, from: i32, to: i32) {
        context::driver()?;
        if value.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        cuDeviceGetP2PAttribute(value, attribute, from, to)
    }
}

/// What is answered where a peer is wanted.
fn no_peer(peer: i32, of_itself: CudaError) -> Answer {
    Err(if peer == DEVICE { of_itself } else { CudaError::INVALID_DEVICE })
}

entry! {
    fn cudaDeviceEnablePeerAccess(peer: i32, flags: u32) {
        no_peer(peer, if flags == 0 { CudaError::PEER_ACCESS_UNSUPPORTED } else { CudaError::INVALID_VALUE })
    }

    fn cudaDeviceDisablePeerAccess(peer: i32) {
        no_peer(peer, CudaError::PEER_ACCESS_NOT_ENABLED)
    }
}
