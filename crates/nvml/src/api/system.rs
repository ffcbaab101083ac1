//! Beginning and end, versions, words for errors.

use std::ffi::{CStr, c_char};

use ptxvm_abi::Out;

use crate::entry::{early, entry};
use crate::facts::facts;
use crate::result::{Answer, NvmlReturn};
use crate::state;
use crate::text::write;

/// The driver branch that belongs to the version of CUDA, as NVIDIA numbers them (PyPI's nvidia-ml-py 13.615 is for 13.4).
const BRANCH: &str = "615";

early! {
    fn nvmlInit() {
        state::begin()
    }

    fn nvmlInit_v2() {
        state::begin()
    }

    fn nvmlInitWithFlags(_flags: u32) {
        state::begin()
    }

    fn nvmlShutdown() {
        state::end()
    }

    fn nvmlSystemGetDriverVersion(version: Out<u8>, length: u32) {
        state::ready()?;
        write(version, length, &format!("{BRANCH}.0"))
    }

    fn nvmlSystemGetNVMLVersion(version: Out<u8>, length: u32) {
        write(version, length, &format!("{}.{BRANCH}.0", facts()?.cuda_version / 1000))
    }

    fn nvmlSystemGetCudaDriverVersion(version: Out<i32>) {
        cuda_version(version)
    }

    fn nvmlSystemGetCudaDriverVersion_v2(version: Out<i32>) {
        cuda_version(version)
    }
}

entry! {
    fn nvmlUnitGetCount(count: Out<u32>) {
        // Units are NVIDIA's S-class boxes of several boards.
        Ok(count.set(0)?)
    }

    fn nvmlGetExcludedDeviceCount(count: Out<u32>) {
        Ok(count.set(0)?)
    }
}

/// # Safety
/// There is nothing that it trusts.
#[allow(unsafe_code, non_snake_case, reason = "the name is for C programs")]
#[unsafe(no_mangle)]
pub extern "C" fn nvmlErrorString(result: NvmlReturn) -> *const c_char {
    CStr::as_ptr(result.words())
}

fn cuda_version(version: Out<i32>) -> Answer {
    Ok(version.set(facts()?.cuda_version)?)
}
