//! A kernel: what it takes, and its launches.

use std::sync::Arc;

use ptxvm_vm::Parameter;
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::device::Shared;
use crate::launch::{self, Shape};
use crate::lent::Array;

/// An entry of a module.
#[pyclass(frozen, module = "ptxvm._ptxvm")]
pub struct Kernel {
    pub kernel: ptxvm_vm::Kernel,
    /// What messages call its module.
    pub name: Arc<str>,
    pub shared: Arc<Shared>,
}

#[pymethods]
impl Kernel {
    /// Its name.
    fn name(&self) -> &str {
        self.kernel.name()
    }

    /// Its parameters: name, type, size, and whether its first eight bytes are used as an address.
    fn parameters(&self) -> String {
        let words = self.kernel.address_words();
        let one = |(index, parameter): (usize, &Parameter)| {
            json!({
                "name": parameter.name,
                "type": parameter.ty.name(),
                "size": parameter.size,
                "align": parameter.pointer.map_or(1, |(_, align)| align),
                "address": parameter.pointer.is_some()
                    || words.get(index).is_some_and(|words| words.contains(&true)),
            })
        };
        self.kernel.parameters().iter().enumerate().map(one).collect::<Value>().to_string()
    }

    /// What a launch must keep to.
    fn limits(&self) -> String {
        let limits = self.kernel.limits();
        json!({
            "required_block": limits.reqntid,
            "max_threads": self.kernel.max_threads(),
            "cluster": self.kernel.cluster(),
            "shared_bytes": self.kernel.shared_bytes(),
            "registers": self.kernel.register_estimate(),
        })
        .to_string()
    }

    /// Launches it and waits for its end. `arrays` are ranges of the host's memory that the arguments point to (address,
    /// bytes, whether they may be written): the caller keeps them where they are until this returns.
    #[allow(clippy::too_many_arguments, reason = "the package passes them by name")]
    #[pyo3(signature = (*, grid, block, cluster, shared, cooperative, arguments, arrays, options, write))]
    fn launch(
        &self,
        py: Python<'_>,
        grid: [u32; 3],
        block: [u32; 3],
        cluster: Option<[u32; 3]>,
        shared: u32,
        cooperative: bool,
        arguments: Vec<Vec<u8>>,
        arrays: Vec<(u64, u64, bool)>,
        options: Vec<(String, String)>,
        write: Py<PyAny>,
    ) -> PyResult<String> {
        let arrays =
            arrays.into_iter().map(|(start, bytes, writable)| Array { start, bytes, writable }).collect();
        let shape = Shape { grid, block, cluster, shared, cooperative };
        launch::run(py, self, &shape, arguments, arrays, &options, &write)
    }
}
