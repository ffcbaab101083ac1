//! A loaded module: its kernels and variables.

use std::sync::Arc;

use ptxvm_vm::KernelError;
use pyo3::prelude::*;
use pyo3::types::PyBytes;

use crate::device::Shared;
use crate::failed::{bug, wrong};
use crate::kernel::Kernel;

/// PTX that a device has taken.
#[pyclass(frozen, module = "ptxvm._ptxvm")]
pub struct Module {
    pub module: ptxvm_vm::Module,
    /// What messages call it.
    pub name: Arc<str>,
    pub shared: Arc<Shared>,
}

#[pymethods]
impl Module {
    /// The names of its kernels.
    fn kernels(&self) -> Vec<String> {
        self.module.kernels().map(|kernel| kernel.name.clone()).collect()
    }

    /// One of them.
    fn kernel(&self, name: &str) -> PyResult<Kernel> {
        match self.module.kernel(name) {
            Ok(kernel) => {
                Ok(Kernel { kernel, name: Arc::clone(&self.name), shared: Arc::clone(&self.shared) })
            }
            Err(error @ (KernelError::Unknown { .. } | KernelError::Load(_))) => Err(wrong(error)),
            Err(KernelError::Bug(message)) => Err(bug(message)),
        }
    }

    /// The name, size and address of each variable, and whether the kernel cannot write it.
    fn variables(&self) -> Vec<(String, u64, u64, bool)> {
        let all = self.module.variables();
        all.map(|variable| (variable.name.to_owned(), variable.size, variable.address, variable.constant))
            .collect()
    }

    /// Bytes of a variable.
    fn read<'py>(&self, py: Python<'py>, address: u64, bytes: usize) -> PyResult<Bound<'py, PyBytes>> {
        PyBytes::new_with(py, bytes, |to| self.module.device().read(address, to).map_err(wrong))
    }

    /// Writes bytes of a variable.
    fn write(&self, address: u64, from: &[u8]) -> PyResult<()> {
        self.module.device().write(address, from).map_err(wrong)
    }

    /// The text that it was made from.
    fn source(&self) -> &str {
        self.module.source()
    }
}
