//! The entry points for libraries and their kernels.

use std::ffi::c_char;

use super::function_api::{check_cache_config, parameter};
use super::jit::Jit;
use super::library::{CUkernel, CUlibrary, Library};
use super::settings::CUfunctionAttribute;
use super::{CUfunction, CUmodule, loading, variable};
use crate::abi::{Answer, CUdevice, CUdeviceptr, CUresult, Host, In, Out, Text};
use crate::context::current;
use crate::driver;
use crate::entry::entry;

/// `CU_LIBRARY_BINARY_IS_PRESERVED`: the code stays where it is. It is copied nevertheless.
const BINARY_IS_PRESERVED: u32 = 1;

entry! {
    fn cuLibraryLoadData(
        library: Out<CUlibrary>,
        code: Host,
        jit_options: In<u32>,
        jit_values: Out<Host>,
        jit_count: u32,
        options: In<u32>,
        _values: In<usize>,
        count: u32,
    ) {
        let device = &driver::get()?.device;
        if library.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        let mut jit = Jit::read(jit_count, jit_options, jit_values)?;
        check_options(options, count, BINARY_IS_PRESERVED)?;
        if code.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        let texts = loading::texts_at(code, device, &mut jit);
        library.set(Library::load(texts, &mut jit)?)
    }

    fn cuLibraryLoadFromFile(
        library: Out<CUlibrary>,
        file: Text,
        jit_options: In<u32>,
        jit_values: Out<Host>,
        jit_count: u32,
        options: In<u32>,
        _values: In<usize>,
        count: u32,
    ) {
        let device = &driver::get()?.device;
        if library.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        let mut jit = Jit::read(jit_count, jit_options, jit_values)?;
        // A file is nothing that could be preserved.
        check_options(options, count, BINARY_IS_PRESERVED - 1)?;
        let texts = match loading::texts_in(&file.get()?, device, &mut jit) {
            Err(CUresult::FILE_NOT_FOUND) => return Err(CUresult::FILE_NOT_FOUND),
            texts => texts,
        };
        library.set(Library::load(texts, &mut jit)?)
    }

    fn cuLibraryUnload(library: CUlibrary) {
        driver::get()?;
        Library::unload(library)
    }

    fn cuLibraryGetKernel(kernel: Out<CUkernel>, library: CUlibrary, name: Text) {
        driver::get()?;
        if kernel.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        let name = name.get()?;
        kernel.set(library.get()?.kernel(&name)?.handle)
    }

    fn cuLibraryGetKernelCount(count: Out<u32>, library: CUlibrary) {
        driver::get()?;
        if count.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        count.set(library.get()?.first()?.kernels().count() as u32)
    }

    fn cuLibraryEnumerateKernels(kernels: Out<CUkernel>, most: u32, library: CUlibrary) {
        driver::get()?;
        if kernels.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        let library = library.get()?;
        for (index, function) in library.first()?.kernels().take(most as usize).enumerate() {
            kernels.at(index).set(library.kernel(&function.name)?.handle)?;
        }
        Ok(())
    }

    fn cuLibraryGetModule(module: Out<CUmodule>, library: CUlibrary) {
        let context = current()?;
        module.set(library.get()?.module(&context)?.handle)
    }

    fn cuLibraryGetGlobal(address: Out<CUdeviceptr>, bytes: Out<usize>, library: CUlibrary, name: Text) {
        let context = current()?;
        let name = variable_name(name)?;
        let module = library.get()?.module(&context)?;
        // A kernel's name is another mistake than one that nothing has.
        if module.loaded.kernels().any(|kernel| kernel.name == name) {
            return Err(CUresult::INVALID_VALUE);
        }
        variable(&module.loaded, &name, address, bytes)
    }

    fn cuLibraryGetManaged(address: Out<CUdeviceptr>, bytes: Out<usize>, library: CUlibrary, name: Text) {
        let context = current()?;
        let name = variable_name(name)?;
        let module = library.get()?.module(&context)?;
        if !module.loaded.variables().any(|variable| variable.name == name && variable.managed) {
            return Err(CUresult::NOT_FOUND);
        }
        variable(&module.loaded, &name, address, bytes)
    }

    /// No device here can call functions of the host, which is what a unified function is.
    fn cuLibraryGetUnifiedFunction(function: Out<Host>, library: CUlibrary, _symbol: Text) {
        driver::get()?;
        if function.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        library.get()?;
        Err(CUresult::INVALID_VALUE)
    }

    fn cuKernelGetFunction(function: Out<CUfunction>, kernel: CUkernel) {
        let context = current()?;
        function.set(kernel.get()?.function(&context)?.handle)
    }

    fn cuKernelGetLibrary(library: Out<CUlibrary>, kernel: CUkernel) {
        driver::get()?;
        library.set(kernel.get()?.library)
    }

    fn cuKernelGetName(name: Out<*const c_char>, kernel: CUkernel) {
        driver::get()?;
        if kernel.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        name.set(kernel.get()?.name.as_ptr())
    }

    fn cuKernelGetAttribute(value: Out<i32>, attribute: CUfunctionAttribute, kernel: CUkernel, device: CUdevice) {
        let kernel = kernel.get()?;
        driver::device(device)?;
        value.set(kernel.attribute(attribute)?)
    }

    fn cuKernelSetAttribute(attribute: CUfunctionAttribute, value: i32, kernel: CUkernel, device: CUdevice) {
        let kernel = kernel.get()?;
        driver::device(device)?;
        kernel.settings.set(&kernel.first, attribute, value)
    }

    fn cuKernelSetCacheConfig(kernel: CUkernel, config: u32, device: CUdevice) {
        kernel.get()?;
        driver::device(device)?;
        check_cache_config(config)
    }

    fn cuKernelGetParamInfo(kernel: CUkernel, index: usize, offset: Out<usize>, size: Out<usize>) {
        current()?;
        parameter(&kernel.get()?.first, index, offset, size)
    }

    fn cuKernelGetParamCount(kernel: CUkernel, count: Out<usize>) {
        driver::get()?;
        count.set(kernel.get()?.first.parameters().len())
    }
}

/// The name of a variable, which is never empty.
fn variable_name(name: Text) -> Answer<String> {
    name.get().and_then(|name| if name.is_empty() { Err(CUresult::INVALID_VALUE) } else { Ok(name) })
}

/// Whether there are such options for loading a library.
fn check_options(options: In<u32>, count: u32, last: u32) -> Answer {
    for index in 0..count as usize {
        if options.at(index)? > last {
            return Err(CUresult::INVALID_VALUE);
        }
    }
    Ok(())
}
