//! What nvcc's and clang's code calls before `main`, around each launch, and at the end.
#![allow(unsafe_code)]

use std::cell::RefCell;

use ptxvm_abi::{Host, Out, Text};

use super::registry;
use crate::context;
use crate::driver::cuLibraryGetManaged;
use crate::entry::{early, no_result};
use crate::error::{Answer, CudaError};
use crate::last_error;
use crate::layout::{Dim3, Function, Stream, Symbol};

/// What `<<<…>>>` says, until the function that is called after it takes it.
#[derive(Clone, Copy)]
struct Configuration {
    grid: Dim3,
    block: Dim3,
    shared: usize,
    stream: Stream,
}

/// Launches whose arguments launch themselves lie on each other; no program has more of them.
const MOST: usize = 64;

/// The configurations that have not been taken yet. It has no destructor, so that handlers of `atexit` can launch, too:
/// what has one is gone by then.
struct Configurations {
    count: usize,
    all: [Option<Configuration>; MOST],
}

thread_local! {
    static CONFIGURATIONS: RefCell<Configurations> =
        const { RefCell::new(Configurations { count: 0, all: [None; MOST] }) };
}

no_result! {
    fn __cudaRegisterFatBinary(wrapper: Host) -> usize {
        registry::add_fatbin(wrapper)
    }

    fn __cudaRegisterFatBinaryEnd(_fatbin: usize) -> () {}

    fn __cudaUnregisterFatBinary(fatbin: usize) -> () {
        registry::remove_fatbin(fatbin);
    }

    fn __cudaRegisterFunction(
        fatbin: usize, function: Function, _device_function: Host, name: Text, _thread_limit: i32, _thread: Host,
        _block: Host, _block_size: Host, _grid_size: Host, _warp_size: Host,
    ) -> () {
        registry::add_kernel(fatbin, function, name);
    }

    fn __cudaRegisterVar(
        fatbin: usize, symbol: Symbol, _address: Host, name: Text, _external: i32, size: usize, _constant: i32,
        _global: i32,
    ) -> () {
        registry::add_variable(fatbin, symbol, name, size, false);
    }

    /// The host's variable is a pointer, which is set by [`__cudaInitModule`] before anything reads it.
    fn __cudaRegisterManagedVar(
        fatbin: usize, pointer: Out<Host>, _address: Host, name: Text, _external: i32, size: usize, _constant: i32,
        _global: i32,
    ) -> () {
        registry::add_variable(fatbin, pointer.pointer().number(), name, size, true);
        registry::add_managed(fatbin, name, pointer.pointer());
    }

    /// Variables of the host that kernels can name, on systems whose GPUs read the host's memory.
    fn __cudaRegisterHostVar(_fatbin: usize, _name: Text, _pointer: Host, _size: usize) -> () {}

    fn __cudaRegisterUnifiedTable(_fatbin: usize, _table: Host) -> () {}

    /// Sets the pointers of managed variables, and says whether it could.
    fn __cudaInitModule(_fatbin: usize) -> u8 {
        match set_managed() {
            Ok(()) => 1,
            Err(error) => {
                last_error::remember(error);
                0
            }
        }
    }

    /// Not an error code: 0, or that there is no room.
    fn __cudaPushCallConfiguration(grid: Dim3, block: Dim3, shared: usize, stream: Stream) -> u32 {
        let configuration = Configuration { grid, block, shared, stream };
        CONFIGURATIONS.with_borrow_mut(|Configurations { count, all }| match all.get_mut(*count) {
            Some(place) => {
                *place = Some(configuration);
                *count += 1;
                0
            }
            None => 1,
        })
    }
}

/// Sets the pointers of the managed variables that have been registered since the last time.
fn set_managed() -> Answer {
    let pending = registry::take_pending();
    if pending.is_empty() {
        return Ok(());
    }
    context::ready()?;
    for managed in pending {
        let (mut address, mut bytes) = (0, 0);
        cuLibraryGetManaged(&mut address, &mut bytes, managed.fatbin.library()?, managed.name)?;
        // SAFETY: the place is the program's variable, as it registered it.
        unsafe { Out::<Host>::new(managed.pointer.0.cast()) }.set(Host::at(address))?;
    }
    Ok(())
}

early! {
    fn __cudaPopCallConfiguration(grid: Out<Dim3>, block: Out<Dim3>, shared: Out<usize>, stream: Out<Stream>) {
        let popped = CONFIGURATIONS.with_borrow_mut(|Configurations { count, all }| {
            *count = count.checked_sub(1)?;
            all.get_mut(*count)?.take()
        });
        let configuration = popped.ok_or(CudaError::MISSING_CONFIGURATION)?;
        grid.set(configuration.grid)?;
        block.set(configuration.block)?;
        shared.set(configuration.shared)?;
        Ok(stream.set(configuration.stream)?)
    }
}
