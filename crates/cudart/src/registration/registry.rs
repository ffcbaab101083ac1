//! The functions and variables that are registered, by their addresses in the host's code.

use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, LazyLock, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use ptxvm_abi::{Host, Text};

use super::fatbin::FatBinary;
use crate::driver::{cuKernelGetFunction, cuLibraryGetGlobal, cuLibraryGetKernel, cuLibraryGetManaged};
use crate::error::{Answer, CudaError};
use crate::layout::{Function, Symbol};

/// A kernel by its name in a fatbin.
struct Kernel {
    fatbin: Arc<FatBinary>,
    name: Text,
    /// The driver's handle, once it is known.
    handle: AtomicU64,
}

/// A variable by its name in a fatbin.
struct Variable {
    fatbin: Arc<FatBinary>,
    name: Text,
    size: usize,
    managed: bool,
}

/// A fatbin with what was registered of it, which goes when it goes.
struct Registered {
    fatbin: Arc<FatBinary>,
    kernels: Vec<Function>,
    variables: Vec<Symbol>,
}

/// Everything that is registered.
#[derive(Default)]
pub struct Registry {
    fatbins: HashMap<usize, Registered>,
    given: usize,
    kernels: HashMap<Function, Kernel>,
    variables: HashMap<Symbol, Variable>,
    /// Managed variables whose pointers are not set yet.
    pending: Vec<Managed>,
    /// The functions of the kernels that have been asked for, by the driver's handles.
    functions: HashMap<u64, Function>,
}

/// A managed variable: the host reads it through a pointer.
#[derive(Clone)]
pub struct Managed {
    pub fatbin: Arc<FatBinary>,
    pub name: Text,
    /// Where the host has it.
    pub pointer: Host,
}

static REGISTRY: LazyLock<RwLock<Registry>> = LazyLock::new(RwLock::default);

fn read() -> RwLockReadGuard<'static, Registry> {
    REGISTRY.read().unwrap_or_else(PoisonError::into_inner)
}

fn write() -> RwLockWriteGuard<'static, Registry> {
    REGISTRY.write().unwrap_or_else(PoisonError::into_inner)
}

/// A number is not an address, so that whoever follows a handle as a pointer stops at once.
const STEP: usize = 16;

/// Keeps a fatbin and gives it a number.
pub fn add_fatbin(wrapper: Host) -> usize {
    let mut registry = write();
    registry.given += STEP;
    let number = registry.given;
    let fatbin = Arc::new(FatBinary::new(wrapper));
    registry.fatbins.insert(number, Registered { fatbin, kernels: Vec::new(), variables: Vec::new() });
    number
}

/// Keeps a function of the host as the one that stands for a kernel.
pub fn add_kernel(fatbin: usize, function: Function, name: Text) {
    let registry = &mut *write();
    if let Some(registered) = registry.fatbins.get_mut(&fatbin) {
        registered.kernels.push(function);
        let fatbin = Arc::clone(&registered.fatbin);
        registry.kernels.insert(function, Kernel { fatbin, name, handle: AtomicU64::new(0) });
    }
}

/// Keeps a variable of the host as the one that stands for one of the device.
pub fn add_variable(fatbin: usize, symbol: Symbol, name: Text, size: usize, managed: bool) {
    let registry = &mut *write();
    if let Some(registered) = registry.fatbins.get_mut(&fatbin) {
        registered.variables.push(symbol);
        let fatbin = Arc::clone(&registered.fatbin);
        registry.variables.insert(symbol, Variable { fatbin, name, size, managed });
    }
}

/// Keeps the pointer of a managed variable.
pub fn add_managed(fatbin: usize, name: Text, pointer: Host) {
    let mut registry = write();
    if let Some(fatbin) = registry.fatbins.get(&fatbin).map(|registered| Arc::clone(&registered.fatbin)) {
        registry.pending.push(Managed { fatbin, name, pointer });
    }
}

/// The managed variables whose pointers are not set yet; they are forgotten here.
pub fn take_pending() -> Vec<Managed> {
    std::mem::take(&mut write().pending)
}

/// Takes a fatbin back, with everything that was registered of it.
pub fn remove_fatbin(number: usize) {
    let mut guard = write();
    let registry = &mut *guard;
    let Some(Registered { fatbin, kernels, variables }) = registry.fatbins.remove(&number) else { return };
    // Another fatbin may have registered the same address since.
    for function in kernels {
        let of_fatbin = |kernel: &Kernel| Arc::ptr_eq(&kernel.fatbin, &fatbin);
        if registry.kernels.get(&function).is_some_and(of_fatbin) {
            registry.kernels.remove(&function);
        }
    }
    for symbol in variables {
        let of_fatbin = |variable: &Variable| Arc::ptr_eq(&variable.fatbin, &fatbin);
        if registry.variables.get(&symbol).is_some_and(of_fatbin) {
            registry.variables.remove(&symbol);
        }
    }
    registry.pending.retain(|managed| !Arc::ptr_eq(&managed.fatbin, &fatbin));
    drop(guard);
    fatbin.unload();
}

/// The kernel of a function of the host. What is no such function may be a kernel's handle itself.
///
/// # Errors
/// It is neither, or its fatbin cannot be loaded, or has no such kernel for this device.
pub fn kernel(function: Function) -> Answer<u64> {
    let registry = read();
    let Some(kernel) = registry.kernels.get(&function) else {
        drop(registry);
        return handle(function);
    };
    let known = kernel.handle.load(Ordering::Relaxed);
    if known != 0 {
        return Ok(known);
    }
    let (fatbin, name) = (Arc::clone(&kernel.fatbin), kernel.name);
    // Loading takes its time, and may run code of the program's.
    drop(registry);
    let mut handle = 0;
    cuLibraryGetKernel(&mut handle, fatbin.library()?, name).map_err(|error| {
        if error == CudaError::SYMBOL_NOT_FOUND { CudaError::INVALID_DEVICE_FUNCTION } else { error }
    })?;
    let mut registry = write();
    if let Some(kernel) = registry.kernels.get(&function) {
        kernel.handle.store(handle, Ordering::Relaxed);
        registry.functions.insert(handle, function);
    }
    Ok(handle)
}

/// The same for those who ask which kernel it is: what stands for none is no function of the device's.
///
/// # Errors
/// As above.
pub fn known_kernel(function: Function) -> Answer<u64> {
    kernel(function).map_err(|error| match error {
        CudaError::INVALID_RESOURCE_HANDLE => CudaError::INVALID_DEVICE_FUNCTION,
        error => error,
    })
}

/// What is a kernel of the driver's, it knows itself.
fn handle(function: Function) -> Answer<u64> {
    let (kernel, mut found) = (function as u64, 0u64);
    match cuKernelGetFunction(&mut found, kernel) {
        Ok(()) => Ok(kernel),
        Err(CudaError::INVALID_RESOURCE_HANDLE | CudaError::INVALID_VALUE) => Err(if function == 0 {
            CudaError::INVALID_DEVICE_FUNCTION
        } else {
            CudaError::INVALID_RESOURCE_HANDLE
        }),
        Err(error) => Err(error),
    }
}

/// The function of the host that stands for a kernel; the kernel itself if none does.
pub fn function_of(kernel: u64) -> Function {
    read().functions.get(&kernel).copied().unwrap_or(kernel as Function)
}

/// The address and the size of a variable.
///
/// # Errors
/// There is no such symbol, or its fatbin cannot be loaded.
pub fn variable(symbol: Symbol) -> Answer<(u64, usize)> {
    let registry = read();
    let variable = registry.variables.get(&symbol).ok_or(CudaError::INVALID_SYMBOL)?;
    let (fatbin, name, size, managed) =
        (Arc::clone(&variable.fatbin), variable.name, variable.size, variable.managed);
    drop(registry);
    let library = fatbin.library()?;
    let (mut address, mut bytes) = (0, 0);
    let found = if managed {
        cuLibraryGetManaged(&mut address, &mut bytes, library, name)
    } else {
        cuLibraryGetGlobal(&mut address, &mut bytes, library, name)
    };
    match found {
        Ok(()) => Ok((address, if size == 0 { bytes } else { size })),
        Err(CudaError::SYMBOL_NOT_FOUND) => Err(CudaError::INVALID_SYMBOL),
        Err(error) => Err(error),
    }
}
