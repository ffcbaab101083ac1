//! cudaVDPAU.h: a VDPAU device needs a GPU that drives a display, and this one does not.

use super::CUgraphicsResource;
use crate::abi::{Answer, CUdevice, CUresult, Host, Out};
use crate::context::CUcontext;
use crate::driver;
use crate::entry::{entry, refuse};

entry! {
    fn cuVDPAUGetDevice(device: Out<CUdevice>, _vdpau: u32, look_up: Host) {
        driver::get()?;
        if device.is_null() || look_up.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        Err(refuse("cuVDPAUGetDevice"))
    }

    fn cuVDPAUCtxCreate(context: Out<CUcontext>, _flags: u32, device: CUdevice, _vdpau: u32, look_up: Host) {
        create("cuVDPAUCtxCreate", context, device, look_up)
    }

    fn cuVDPAUCtxCreate_v2(context: Out<CUcontext>, _flags: u32, device: CUdevice, _vdpau: u32, look_up: Host) {
        create("cuVDPAUCtxCreate_v2", context, device, look_up)
    }

    fn cuGraphicsVDPAURegisterVideoSurface(_resource: Out<CUgraphicsResource>, _surface: u32, _flags: u32) {
        not_shared()
    }

    fn cuGraphicsVDPAURegisterOutputSurface(_resource: Out<CUgraphicsResource>, _surface: u32, _flags: u32) {
        not_shared()
    }
}

/// A driver that is given no way to look VDPAU's functions up dies; it is a wrong argument here.
fn create(name: &'static str, context: Out<CUcontext>, device: CUdevice, look_up: Host) -> Answer {
    driver::get()?;
    if context.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    driver::device(device)?;
    if look_up.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    Err(refuse(name))
}

/// Surfaces belong to contexts that were made for VDPAU, of which there is none.
fn not_shared() -> Answer {
    driver::get()?;
    Err(CUresult::INVALID_CONTEXT)
}
