//! The entry points for modules.

use std::sync::Arc;

use super::jit::Jit;
use super::{CUfunction, CUmodule, Module, loading, variable};
use crate::abi::{Answer, CUdeviceptr, CUresult, Host, In, Out, Text};
use crate::context::current;
use crate::driver;
use crate::entry::entry;
use crate::texture::{CUsurfref, CUtexref};

/// `CU_MODULE_LAZY_LOADING`: functions are made ready when they are asked for.
const LAZY_LOADING: u32 = 2;

entry! {
    fn cuModuleLoad(module: Out<CUmodule>, file: Text) {
        let context = current()?;
        if module.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        let mut jit = Jit::default();
        let parts = loading::texts_in(&file.get()?, &context.device, &mut jit)?;
        let loaded = loading::load(&context.device, &parts, &mut jit)?;
        module.set(Module::insert(&context, loaded, None, jit.max_registers)?)
    }

    fn cuModuleLoadData(module: Out<CUmodule>, image: Host) {
        load(module, image, Jit::default())
    }

    fn cuModuleLoadDataEx(
        module: Out<CUmodule>,
        image: Host,
        count: u32,
        options: In<u32>,
        values: Out<Host>,
    ) {
        current()?;
        load(module, image, Jit::read(count, options, values)?)
    }

    fn cuModuleLoadFatBinary(module: Out<CUmodule>, image: Host) {
        load(module, image, Jit::default())
    }

    fn cuModuleUnload(module: CUmodule) {
        driver::get()?;
        if module.get()?.library.is_some() {
            return Err(CUresult::NOT_PERMITTED);
        }
        Module::remove(module)
    }

    fn cuModuleGetFunction(function: Out<CUfunction>, module: CUmodule, name: Text) {
        driver::get()?;
        let (module, name) = (module.get()?, name.get()?);
        if name.is_empty() || function.is_null() {
            return Err(CUresult::INVALID_VALUE);
        }
        function.set(module.function(&name)?.handle)
    }

    fn cuModuleGetFunctionCount(count: Out<u32>, module: CUmodule) {
        driver::get()?;
        count.set(module.get()?.loaded.kernels().count() as u32)
    }

    fn cuModuleEnumerateFunctions(functions: Out<CUfunction>, most: u32, module: CUmodule) {
        driver::get()?;
        let module = module.get()?;
        for (index, function) in module.loaded.kernels().take(most as usize).enumerate() {
            functions.at(index).set(module.function(&function.name)?.handle)?;
        }
        Ok(())
    }

    fn cuModuleGetGlobal_v2(address: Out<CUdeviceptr>, bytes: Out<usize>, module: CUmodule, name: Text) {
        driver::get()?;
        let (module, name) = (module.get()?, name.get()?);
        let is_kernel = module.loaded.kernels().any(|function| function.name == name);
        // A texture or surface has no bytes.
        if is_kernel || module.loaded.reference(&name).is_some() {
            return Err(CUresult::INVALID_VALUE);
        }
        variable(&module.loaded, &name, address, bytes)
    }

    fn cuModuleGetTexRef(reference: Out<CUtexref>, module: CUmodule, name: Text) {
        let (module, name) = named(reference.is_null(), module, name)?;
        reference.set(module.texture(&name)?)
    }

    fn cuModuleGetSurfRef(reference: Out<CUsurfref>, module: CUmodule, name: Text) {
        let (module, name) = named(reference.is_null(), module, name)?;
        reference.set(module.surface(&name)?)
    }

    fn cuModuleGetLoadingMode(mode: Out<u32>) {
        driver::get()?;
        mode.set(LAZY_LOADING)
    }
}

fn load(module: Out<CUmodule>, image: Host, mut jit: Jit) -> Answer {
    let context = current()?;
    if module.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    let parts = loading::texts_at(image, &context.device, &mut jit)?;
    let loaded = loading::load(&context.device, &parts, &mut jit)?;
    module.set(Module::insert(&context, loaded, None, jit.max_registers)?)
}

/// What a program asks a module for, and whether it has a place for it.
fn named(nowhere: bool, module: CUmodule, name: Text) -> Answer<(Arc<Module>, String)> {
    driver::get()?;
    let (module, name) = (module.get()?, name.get()?);
    if nowhere || name.is_empty() { Err(CUresult::INVALID_VALUE) } else { Ok((module, name)) }
}
