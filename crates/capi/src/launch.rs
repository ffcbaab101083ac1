//! Launches, and everything that is found in them.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use ptxvm_report::finding::Reached;
use ptxvm_report::{Report, finding, race};
use ptxvm_vm::{Failure, Kernel, KernelError, Kind, LaunchOptions};
use serde_json::{Value, json};

use crate::answer::answer;
use crate::module::{Module, NAME, shown};
use crate::pointer::{Handle, Text, Values};
use crate::status::{Status, Told};

/// Three dimensions.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Dim3 {
    pub x: u32,
    pub y: u32,
    pub z: u32,
}

impl From<Dim3> for [u32; 3] {
    fn from(Dim3 { x, y, z }: Dim3) -> [u32; 3] {
        [x, y, z]
    }
}

/// # Safety
/// As `ptxvm.h` says.
#[allow(unsafe_code, reason = "the name is for C programs, and so is the promise")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ptxvm_launch(
    module: Handle<Module>,
    kernel: Text,
    grid: Dim3,
    block: Dim3,
    shared: u32,
    arguments: Values,
    count: usize,
) -> Status {
    answer(|| {
        let module = module.get("the module")?;
        let kernel = module.module.kernel(kernel.get("the kernel's name")?).map_err(|error| match error {
            KernelError::Bug(message) => Told::bug(message),
            error => Told::usage(error.to_string()),
        })?;
        let sizes: Vec<u64> = kernel.parameters().iter().map(|parameter| parameter.size).collect();
        if sizes.len() != count {
            let has = sizes.len();
            return Err(Told::usage(format!(
                "`{}` has {has} parameters, and {count} arguments are given",
                kernel.name()
            )));
        }
        let mut launch = LaunchOptions {
            shared,
            settings: module.device.said().choices().settings,
            mistakes: Some(Arc::default()),
            races: Some(Arc::default()),
            ..LaunchOptions::new(<[u32; 3]>::from(grid), <[u32; 3]>::from(block))
        };
        for value in arguments.get(&sizes)? {
            launch.arguments.push(value);
        }
        if let Some(printer) = module.device.printer() {
            launch = launch.on_print(move |text| printer.print(text));
        }
        let failure = kernel.launch(&launch).err();
        told(&kernel, &launch, failure)
    })
}

/// Everything that a launch is told of, as one message.
fn told(kernel: &Kernel, launch: &LaunchOptions, failure: Option<Failure>) -> Result<(), Told> {
    let report = Report::with(NAME, kernel.module().source().into(), Vec::new());
    let seed = launch.settings.seed;
    let (mut texts, mut findings) = (Vec::new(), Vec::new());
    for mistake in launch.mistakes.as_ref().map(|mistakes| mistakes.take()).unwrap_or_default() {
        texts.push(shown(finding::mistake(&mistake, seed), &report));
        findings.push(finding::mistake_object(&report, &mistake, seed));
    }
    for found in launch.races.as_ref().map(|races| races.take()).unwrap_or_default() {
        let name = kernel.place_name(found.space, found.address);
        texts.push(shown(race::message(&report, &found, name.as_deref()), &report));
        findings.push(race::object(&report, &found, (kernel.name(), name.as_deref())));
    }
    let (status, object) = match failure {
        None if findings.is_empty() => return Ok(()),
        None => (Status::Finding, Value::Null),
        Some(failure) => {
            let (status, text, object) = failed(&report, launch, failure);
            texts.push(text);
            (status, object)
        }
    };
    Err(Told { status, text: texts.join("\n"), object: json!({ "findings": findings, "failure": object }) })
}

/// Why a launch did not end well.
fn failed(report: &Report<'_>, launch: &LaunchOptions, failure: Failure) -> (Status, String, Value) {
    let sentence = |status, text: String| (status, text.clone(), json!({ "message": text }));
    match failure {
        Failure::Finding(found) => {
            let seed = launch.settings.seed;
            let status = if found.kind == Kind::Trap { Status::Trap } else { Status::Finding };
            let text = shown(finding::message(&found, seed), report);
            (status, text, finding::object(report, &found, seed))
        }
        Failure::Unsupported(what) => {
            let text = shown(finding::unsupported(&what), report);
            (Status::Unsupported, text, finding::unsupported_object(report, &what))
        }
        Failure::Limit(limit) => {
            let done = launch.control.ctas_done.load(Ordering::Relaxed);
            let text = finding::limit(limit, Reached::Ctas(done, launch.grid.product()));
            let object = json!({ "kind": "limit", "code": finding::limit_name(limit), "message": text });
            (Status::Finding, text, object)
        }
        Failure::TooLarge { .. } | Failure::Arguments(_) => sentence(Status::Usage, failure.to_string()),
        Failure::Bug(message) => {
            let told = Told::bug(message);
            (told.status, told.text, told.object)
        }
    }
}
