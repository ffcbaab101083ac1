//! Modules: loading PTX, and what is in it.

use std::sync::Arc;

use ptxvm_report::{Message, Report, finding};
use ptxvm_vm::LoadError;
use serde_json::json;

use crate::answer::answer;
use crate::device::{Device, DeviceHandle};
use crate::pointer::{Handle, Out, Text};
use crate::status::{Status, Told};

/// What messages call a module's text: C programs have no file for it.
pub const NAME: &str = "PTX";

/// What a handle of a module stands for.
pub struct Module {
    pub module: ptxvm_vm::Module,
    /// The device that it was loaded on, whose options its launches have.
    pub device: Arc<Device>,
}

/// # Safety
/// As `ptxvm.h` says.
#[allow(unsafe_code, reason = "the name is for C programs, and so is the promise")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptxvm_module_load(
    device: DeviceHandle,
    ptx: Text,
    module: Out<Handle<Module>>,
) -> Status {
    answer(|| {
        let on = device.get("the device")?;
        let source = ptx.get("the PTX")?;
        if module.is_null() {
            return Err(Told::usage("the place for the module is null"));
        }
        let loaded = on.device.load(source).map_err(|error| not_loaded(source, error))?;
        module
            .set(Handle::give(Module { module: loaded, device: Arc::clone(on) }), "the place for the module")
    })
}

/// # Safety
/// As `ptxvm.h` says.
#[allow(unsafe_code, reason = "the name is for C programs, and so is the promise")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptxvm_module_free(module: Handle<Module>) {
    answer(|| {
        module.free();
        Ok(())
    });
}

/// # Safety
/// As `ptxvm.h` says.
#[allow(unsafe_code, reason = "the name is for C programs, and so is the promise")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptxvm_variable(
    module: Handle<Module>,
    name: Text,
    address: Out<u64>,
    bytes: Out<usize>,
) -> Status {
    answer(|| {
        let module = &module.get("the module")?.module;
        let name = name.get("the variable's name")?;
        let Some((start, size)) = module.variable(name) else {
            let known: Vec<&str> = module.variables().map(|variable| variable.name).collect();
            let known = if known.is_empty() {
                "nor any other".to_owned()
            } else {
                format!("available: {}", known.join(", "))
            };
            return Err(Told::usage(format!("there is no variable `{name}`; {known}")));
        };
        address.set_if_wanted(start);
        bytes.set_if_wanted(size as usize);
        Ok(())
    })
}

/// Why a module cannot be loaded, as the command shows it.
fn not_loaded(source: &str, error: LoadError) -> Told {
    match error {
        LoadError::Invalid(diagnostics) => {
            let report = Report::with(NAME, source.into(), diagnostics);
            let text = plain(|out| report.write(100, out));
            Told { status: Status::Invalid, object: json!({ "message": text }), text }
        }
        LoadError::Unsupported(all) => {
            let report = Report::with(NAME, source.into(), Vec::new());
            let text: Vec<String> =
                all.iter().map(|what| shown(finding::unsupported(what), &report)).collect();
            Told::new(Status::Unsupported, text.join("\n"))
        }
        LoadError::Bug(message) => Told::bug(message),
        LoadError::Memory(_) | LoadError::Budget(_) => Told::usage(error.to_string()),
        _ => Told::new(Status::Invalid, error.to_string()),
    }
}

/// A message as people read it, without colours.
pub fn shown(message: Message, report: &Report<'_>) -> String {
    plain(|out| message.write(report, out))
}

/// What is written with colours, without them.
fn plain(write: impl FnOnce(&mut dyn std::io::Write) -> std::io::Result<()>) -> String {
    let mut out = anstream::StripStream::new(Vec::new());
    // A vector takes everything.
    let _ = write(&mut out);
    String::from_utf8_lossy(&out.into_inner()).trim_end().to_owned()
}
