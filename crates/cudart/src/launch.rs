//! Launches of kernels and of functions of the host's.

use ptxvm_abi::{Host, In, Out};

use crate::driver::{cuLaunchCooperativeKernel, cuLaunchHostFunc, cuLaunchKernel, cuLaunchKernelEx};
use crate::entry::{entry, unsupported};
use crate::error::{Answer, CudaError};
use crate::layout::{Dim3, Function, HostFunction, LaunchConfig, RuntimeLaunchConfig, Stream};
use crate::registration;

/// Launches a kernel of the driver's.
fn launch(kernel: u64, grid: Dim3, block: Dim3, arguments: Host, shared: usize, stream: Stream) -> Answer {
    let shared = u32::try_from(shared).map_err(|_| CudaError::INVALID_VALUE)?;
    cuLaunchKernel(
        kernel,
        grid.x,
        grid.y,
        grid.z,
        block.x,
        block.y,
        block.z,
        shared,
        stream,
        arguments,
        Host::NULL,
    )
}

/// A launch as the driver describes it.
///
/// # Errors
/// It has none, or asks for more shared memory than the driver can be asked for.
pub fn config(config: In<RuntimeLaunchConfig>) -> Answer<LaunchConfig> {
    let RuntimeLaunchConfig { grid, block, shared, stream, attributes, count } = config.get()?;
    let shared = u32::try_from(shared).map_err(|_| CudaError::INVALID_VALUE)?;
    Ok(LaunchConfig { grid, block, shared, stream, attributes, count })
}

entry! {
    fn cudaLaunchKernel[cudaLaunchKernel_ptsz](
        function: Function, grid: Dim3, block: Dim3, arguments: Host, shared: usize, stream: Stream,
    ) {
        launch(registration::kernel(function)?, grid, block, arguments, shared, stream)
    }

    /// The kernel that a function stands for, which nvcc's code keeps. It ignores what this answers and launches nothing;
    /// the error is found again then.
    fn __cudaGetKernel(kernel: Out<u64>, function: Function) {
        match registration::kernel(function) {
            Ok(found) => Ok(kernel.set(found)?),
            // A handle that is the function itself makes the launch look again, and fail with the same error.
            Err(error) => {
                kernel.set(function as u64)?;
                Err(error)
            }
        }
    }

    fn __cudaLaunchKernel[__cudaLaunchKernel_ptsz](
        kernel: u64, grid: Dim3, block: Dim3, arguments: Host, shared: usize, stream: Stream,
    ) {
        // What a fatbin that could not be loaded left is no kernel.
        let kernel = if kernel == 0 { Err(CudaError::INVALID_DEVICE_FUNCTION)? } else { kernel };
        match launch(kernel, grid, block, arguments, shared, stream) {
            Err(CudaError::INVALID_RESOURCE_HANDLE) => {
                launch(registration::kernel(kernel as Function)?, grid, block, arguments, shared, stream)
            }
            answered => answered,
        }
    }

    fn cudaLaunchKernelExC[cudaLaunchKernelExC_ptsz](
        described: In<RuntimeLaunchConfig>, function: Function, arguments: Host,
    ) {
        let kernel = registration::kernel(function)?;
        cuLaunchKernelEx(&config(described)?, kernel, arguments, Host::NULL)
    }

    fn cudaLaunchCooperativeKernel[cudaLaunchCooperativeKernel_ptsz](
        function: Function, grid: Dim3, block: Dim3, arguments: Host, shared: usize, stream: Stream,
    ) {
        let kernel = registration::kernel(function)?;
        let shared = u32::try_from(shared).map_err(|_| CudaError::INVALID_VALUE)?;
        cuLaunchCooperativeKernel(
            kernel, grid.x, grid.y, grid.z, block.x, block.y, block.z, shared, stream, arguments,
        )
    }

    fn cudaLaunchHostFunc[cudaLaunchHostFunc_ptsz](stream: Stream, function: HostFunction, data: Host) {
        cuLaunchHostFunc(stream, function, data, 0)
    }

    fn cudaLaunchHostFunc_v2[cudaLaunchHostFunc_v2_ptsz](
        stream: Stream, function: HostFunction, data: Host, sync: u32,
    ) {
        cuLaunchHostFunc(stream, function, data, sync)
    }

    fn cudaGetKernel(kernel: Out<u64>, function: Function) {
        if kernel.is_null() {
            return Err(CudaError::INVALID_VALUE);
        }
        Ok(kernel.set(registration::known_kernel(function)?)?)
    }
}

unsupported! {
    cudaSubgridCreate
    cudaSubgridWorkerGridCreate
    cudaSubgridWorksetCreate
}
