//! `ptxvm._ptxvm`: what the Python package `ptxvm` asks of ptxvm. The package's own files (`python/ptxvm`) make objects and
//! exceptions of what is given here as JSON, and look after what they pass: nothing here is meant for users.

mod check;
mod device;
mod failed;
mod isa;
mod kernel;
mod launch;
mod lent;
mod module;
mod options;
mod outcome;
mod running;

use pyo3::prelude::*;

/// The module.
#[pymodule]
fn _ptxvm(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("Failed", module.py().get_type::<failed::Failed>())?;
    module.add("VERSION", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<device::Device>()?;
    module.add_class::<module::Module>()?;
    module.add_class::<kernel::Kernel>()?;
    module.add_function(wrap_pyfunction!(check::check, module)?)?;
    module.add_function(wrap_pyfunction!(check::fmt, module)?)?;
    module.add_function(wrap_pyfunction!(check::explain, module)?)?;
    module.add_function(wrap_pyfunction!(isa::isa, module)?)?;
    module.add_function(wrap_pyfunction!(device::devices, module)?)?;
    module.add_function(wrap_pyfunction!(options::options, module)?)?;
    module.add_function(wrap_pyfunction!(running::stop_all, module)?)?;
    Ok(())
}
