//! The entry points for modules.

use std::ffi::{CStr, c_char};

use super::{CUfunction, CUmodule, Module};
use crate::abi::{CUdeviceptr, CUresult, Host, Out, Text};
use crate::context::current;
use crate::entry::entry;
use crate::report;

entry! {
    fn cuModuleLoadData(module: Out<CUmodule>, image: Host) {
        let context = current()?;
        if image.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        // SAFETY: the program promises an image, and the only images known here end with a zero.
        let text = unsafe { CStr::from_ptr(image.0.cast::<c_char>()) };
        let source = text.to_str().map_err(|_| CUresult::INVALID_IMAGE)?;
        let loaded = context.device.load(source).map_err(|error| report::not_loaded(&error, source))?;
        module.set(Module::insert(&context, loaded))
    }

    fn cuModuleUnload(module: CUmodule) {
        current()?;
        Module::remove(module)
    }

    fn cuModuleGetFunction(function: Out<CUfunction>, module: CUmodule, name: Text) {
        current()?;
        function.set(module.get()?.function(&name.get()?)?.handle)
    }

    fn cuModuleGetGlobal_v2(address: Out<CUdeviceptr>, bytes: Out<usize>, module: CUmodule, name: Text) {
        current()?;
        let (at, size) = module.get()?.loaded.variable(&name.get()?).ok_or(CUresult::NOT_FOUND)?;
        address.offer(at);
        bytes.offer(size as usize);
        Ok(())
    }
}
