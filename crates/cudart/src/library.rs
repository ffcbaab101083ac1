//! Libraries: code that a program loads itself.

use ptxvm_abi::{Host, In, Out, Text};

use crate::driver::{
    cuLibraryEnumerateKernels, cuLibraryGetGlobal, cuLibraryGetKernel, cuLibraryGetKernelCount,
    cuLibraryGetManaged, cuLibraryGetUnifiedFunction, cuLibraryLoadData, cuLibraryLoadFromFile,
    cuLibraryUnload,
};
use crate::entry::entry;
use crate::layout::Library;

// The runtime's JIT options, their values, and the options of libraries have the driver's numbers.
entry! {
    fn cudaLibraryLoadData(
        library: Out<Library>, code: Host, jit: In<u32>, jit_values: In<Host>, jit_count: u32, options: In<u32>,
        values: In<Host>, count: u32,
    ) {
        cuLibraryLoadData(library, code, jit, jit_values, jit_count, options, values, count)
    }

    fn cudaLibraryLoadFromFile(
        library: Out<Library>, file: Text, jit: In<u32>, jit_values: In<Host>, jit_count: u32, options: In<u32>,
        values: In<Host>, count: u32,
    ) {
        cuLibraryLoadFromFile(library, file, jit, jit_values, jit_count, options, values, count)
    }

    fn cudaLibraryUnload(library: Library) {
        cuLibraryUnload(library)
    }

    fn cudaLibraryGetKernel(kernel: Out<u64>, library: Library, name: Text) {
        cuLibraryGetKernel(kernel, library, name)
    }

    fn cudaLibraryGetGlobal(address: Out<u64>, bytes: Out<usize>, library: Library, name: Text) {
        cuLibraryGetGlobal(address, bytes, library, name)
    }

    fn cudaLibraryGetManaged(address: Out<u64>, bytes: Out<usize>, library: Library, name: Text) {
        cuLibraryGetManaged(address, bytes, library, name)
    }

    fn cudaLibraryGetUnifiedFunction(function: Out<Host>, library: Library, name: Text) {
        cuLibraryGetUnifiedFunction(function, library, name)
    }

    fn cudaLibraryGetKernelCount(count: Out<u32>, library: Library) {
        cuLibraryGetKernelCount(count, library)
    }

    fn cudaLibraryEnumerateKernels(kernels: Out<u64>, most: u32, library: Library) {
        cuLibraryEnumerateKernels(kernels, most, library)
    }
}
