//! A device and what it loads.

use std::sync::Arc;

use ptxvm_profile::Profile;
use ptxvm_report::suppress::Suppressions;
use ptxvm_report::{Report, finding};
use ptxvm_settings::Said;
use ptxvm_vm::{Check, DeviceOptions, LoadError};
use pyo3::prelude::*;
use serde_json::{Value, json};

use crate::check;
use crate::failed::{bug, failed, shown, wrong};
use crate::lent::Lent;
use crate::module::Module;
use crate::options::{self, Place};
use crate::running;

/// A virtual GPU with options for all its launches.
#[pyclass(frozen, module = "ptxvm._ptxvm")]
pub struct Device {
    device: ptxvm_vm::Device,
    shared: Arc<Shared>,
}

/// What a device's launches need of it.
pub struct Shared {
    /// What the user has said, the environment included.
    pub said: Said,
    /// The findings that are not told.
    pub suppressions: Suppressions,
    /// The host's memory that launches use.
    pub lent: Lent,
}

#[pymethods]
impl Device {
    #[new]
    fn new(options: Vec<(String, String)>) -> PyResult<Device> {
        let said = options::read(&options, Place::Device)?.over(&options::from_environment()?);
        let choices = said.choices();
        let suppressions = choices.suppress.as_deref().map_or_else(
            || Ok(Suppressions::default()),
            |path| {
                let name = path.display();
                let text =
                    std::fs::read_to_string(path).map_err(|error| wrong(format!("{name}: {error}")))?;
                Suppressions::read(&text).map_err(|unreadable| {
                    let all: Vec<String> = unreadable.iter().map(|one| format!("{name}:{one}")).collect();
                    wrong(all.join("\n"))
                })
            },
        )?;
        let share = choices.memory.share(choices.profile.memory);
        let memory = DeviceOptions::default().memory(share.memory).max_memory(share.max_memory);
        let device = ptxvm_vm::Device::with_options(choices.profile, memory);
        if choices.settings.checks.has(Check::Init) {
            device.memory().unwritten().keep();
        }
        let _ = ptxvm_settings::code_cache(|_: &str| {}).map(ptxvm_vm::keep_code);
        Ok(Device { device, shared: Arc::new(Shared { said, suppressions, lent: Lent::default() }) })
    }

    /// Its numbers.
    fn properties(&self) -> String {
        properties(self.device.profile()).to_string()
    }

    /// Loads PTX; `name` is what messages call it.
    fn load(&self, py: Python<'_>, source: &str, name: &str) -> PyResult<Module> {
        match running::without_lock(py, || self.device.load(source))? {
            Ok(module) => Ok(Module { module, name: Arc::from(name), shared: Arc::clone(&self.shared) }),
            Err(error) => Err(not_loaded(error, source, name)),
        }
    }
}

/// Every device that there is.
#[pyfunction]
pub fn devices() -> String {
    Profile::ALL.iter().map(properties).collect::<Value>().to_string()
}

fn properties(profile: &Profile) -> Value {
    json!({
        "name": profile.name,
        "marketing": profile.marketing,
        "capability": profile.capability,
        "target": profile.target().to_string(),
        "multiprocessors": profile.sms,
        "threads_per_cta": profile.threads_per_cta,
        "shared_per_cta": profile.shared_per_cta,
        "memory": profile.memory,
    })
}

/// Why a text cannot be loaded.
fn not_loaded(error: LoadError, source: &str, name: &str) -> PyErr {
    match error {
        LoadError::Invalid(diagnostics) => {
            failed(&check::object(&Report::with(name, source.into(), diagnostics)))
        }
        LoadError::Unsupported(all) => {
            let report = Report::with(name, source.into(), Vec::new());
            let texts: Vec<String> =
                all.iter().map(|what| shown(finding::unsupported(what), &report)).collect();
            failed(&json!({ "kind": "unsupported", "message": error_text(&all), "text": texts.join("\n\n") }))
        }
        LoadError::Part { error, .. } => not_loaded(*error, source, name),
        LoadError::Memory(error) => failed(&json!({ "kind": "memory", "message": error.to_string() })),
        LoadError::Budget(_) => failed(&json!({ "kind": "memory", "message": error.to_string() })),
        LoadError::Bug(message) => bug(message),
        LoadError::Link(_) | LoadError::Target { .. } | LoadError::Unresolved(_) => {
            let text = error.to_string();
            failed(
                &json!({ "kind": "invalid", "file": name, "diagnostics": [], "text": text, "message": text }),
            )
        }
    }
}

fn error_text(all: &[ptxvm_vm::Unsupported]) -> String {
    all.iter().map(|what| what.what.as_str()).collect::<Vec<_>>().join("; ")
}
