//! The entry points for functions.

use std::ffi::c_char;
use std::sync::atomic::Ordering;

use super::settings::CUfunctionAttribute;
use super::{CUfunction, CUmodule};
use crate::abi::{Answer, CUresult, Out};
use crate::driver;
use crate::entry::entry;

/// `CU_FUNCTION_LOADING_STATE_LOADED`
const LOADED: u32 = 1;
/// `CU_FUNC_CACHE_PREFER_EQUAL`, the last of its kind.
const LAST_CACHE_CONFIG: u32 = 3;
/// `CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE`, the last of its kind.
const LAST_SHARED_MEM_CONFIG: u32 = 2;

entry! {
    fn cuFuncGetAttribute(value: Out<i32>, attribute: CUfunctionAttribute, function: CUfunction) {
        driver::get()?;
        value.set(function.get()?.attribute(attribute)?)
    }

    fn cuFuncSetAttribute(function: CUfunction, attribute: CUfunctionAttribute, value: i32) {
        driver::get()?;
        let function = function.get()?;
        function.settings.set(&function.kernel, attribute, value)
    }

    fn cuFuncSetCacheConfig(function: CUfunction, config: u32) {
        driver::get()?;
        function.get()?;
        check_cache_config(config)
    }

    fn cuFuncSetSharedMemConfig(function: CUfunction, config: u32) {
        driver::get()?;
        function.get()?;
        if config > LAST_SHARED_MEM_CONFIG { Err(CUresult::INVALID_VALUE) } else { Ok(()) }
    }

    fn cuFuncSetBlockShape(function: CUfunction, x: i32, y: i32, z: i32) {
        driver::get()?;
        let function = function.get()?;
        for (slot, size) in function.block_shape.iter().zip([x, y, z]) {
            slot.store(u32::try_from(size).map_err(|_| CUresult::INVALID_VALUE)?, Ordering::Relaxed);
        }
        Ok(())
    }

    fn cuFuncSetSharedSize(function: CUfunction, bytes: u32) {
        driver::get()?;
        function.get()?.shared_size.store(bytes, Ordering::Relaxed);
        Ok(())
    }

    fn cuFuncGetModule(module: Out<CUmodule>, function: CUfunction) {
        driver::get()?;
        module.set(function.get()?.module)
    }

    fn cuFuncGetName(name: Out<*const c_char>, function: CUfunction) {
        driver::get()?;
        if function.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        name.set(function.get()?.name.as_ptr())
    }

    fn cuFuncGetParamInfo(function: CUfunction, index: usize, offset: Out<usize>, size: Out<usize>) {
        driver::get()?;
        parameter(&function.get()?.kernel, index, offset, size)
    }

    fn cuFuncGetParamCount(function: CUfunction, count: Out<usize>) {
        driver::get()?;
        count.set(function.get()?.kernel.parameters().len())
    }

    fn cuFuncIsLoaded(state: Out<u32>, function: CUfunction) {
        driver::get()?;
        function.get()?;
        state.set(LOADED)
    }

    fn cuFuncLoad(function: CUfunction) {
        driver::get()?;
        function.get().map(|_| ())
    }
}

/// Whether there is such a preference; the machine has no caches to divide.
///
/// # Errors
/// There is not.
pub fn check_cache_config(config: u32) -> Answer {
    if config > LAST_CACHE_CONFIG { Err(CUresult::INVALID_VALUE) } else { Ok(()) }
}

/// Tells where a parameter lies, and its size if that is wanted.
///
/// # Errors
/// There is no such parameter.
pub fn parameter(kernel: &ptxvm_vm::Kernel, index: usize, offset: Out<usize>, size: Out<usize>) -> Answer {
    let layout = kernel.parameter_block_layout();
    let (at, bytes) = layout.get(index).ok_or(CUresult::INVALID_VALUE)?;
    offset.set(*at as usize)?;
    size.offer(*bytes as usize);
    Ok(())
}
