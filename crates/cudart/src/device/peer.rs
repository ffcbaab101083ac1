//! Access to the memory of other devices, of which there are none: the device itself is nobody's peer.

use ptxvm_abi::Out;

use crate::context;
use crate::driver::{cuDeviceCanAccessPeer, cuDeviceGetP2PAttribute};
use crate::entry::{early, entry};
use crate::error::CudaError;

early! {
    fn cudaDeviceCanAccessPeer(can: Out<i32>, device: i32, peer: i32) {
        context::driver()?;
        cuDeviceCanAccessPeer(can, device, peer)
    }

    fn cudaDeviceGetP2PAttribute(value: Out<i32>, attribute: u32, from: i32, to: i32) {
        context::driver()?;
        cuDeviceGetP2PAttribute(value, attribute, from, to)
    }
}

entry! {
    fn cudaDeviceEnablePeerAccess(_peer: i32, flags: u32) {
        if flags != 0 {
            return Err(CudaError::INVALID_VALUE);
        }
        Err(CudaError::INVALID_DEVICE)
    }

    fn cudaDeviceDisablePeerAccess(_peer: i32) {
        Err(CudaError::INVALID_DEVICE)
    }
}
