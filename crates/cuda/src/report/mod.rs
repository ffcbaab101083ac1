//! What the library prints on standard error: findings in full, the trace of calls, our own bugs.

mod excerpt;
mod failure;
pub mod leak;
mod mistake;
mod race;
mod ranges;
mod record;
mod stale;
mod statistics;
mod told;

use std::io::Write;
use std::time::Duration;

use ptxvm_image::Refusal;
use ptxvm_report::{Message, Report};
use ptxvm_vm::{Event, Module};
use serde_json::{Value, json};

pub use failure::{failure, not_loaded};
pub use mistake::mistakes;
pub use race::{meetings_with_the_host, races, races_between};
pub use stale::stale;
pub use statistics::launched;

use crate::abi::CUresult;
use crate::options;

/// Says that an entry point met a bug of ours.
pub fn bug(entry: &str) {
    let said = format!("ptxvm: internal error in {entry}: this is a bug in ptxvm; please report it\n");
    ptxvm_host::say(format_args!("{said}"));
    record::append_said(json!({ "kind": "bug", "message": format!("internal error in {entry}") }), &said);
}

/// Tells again what has been told once in this process.
pub fn forget_told() {
    mistake::TOLD.forget();
    race::TOLD.forget();
    stale::TOLD.forget();
}

/// Tells `ptxvm exec` that so many launches are being stopped because the user has interrupted.
pub fn interrupted(launches: usize) {
    record::append(&json!({ "kind": "interrupt", "launches": launches }));
}

/// A line of `--api-trace`.
pub fn trace(entry: &str, arguments: &str, result: CUresult, took: Duration) {
    ptxvm_host::say(format_args!(
        "ptxvm: {entry}({arguments}) -> {result:?} in {:.1} us\n",
        took.as_secs_f64() * 1e6
    ));
}

/// A line of `--events`.
pub fn event(module: &Module, event: &Event) {
    ptxvm_host::say(format_args!("ptxvm: {}\n", ptxvm_report::event::line(module, event)));
}

/// Says that a program has called an entry point that ptxvm does not have yet.
pub fn unsupported(entry: &str) {
    ptxvm_host::say(format_args!("ptxvm: {entry} is not supported and answers CUDA_ERROR_NOT_SUPPORTED\n"));
}

/// Says why a call is refused whose answer is the same for many reasons.
pub fn refused(entry: &str, why: &str) {
    ptxvm_host::say(format_args!("ptxvm: {entry} answers CUDA_ERROR_INVALID_VALUE: {why}\n"));
}

/// Says that a program has asked for one of the driver's private tables.
pub fn no_export_table(id: &str) {
    ptxvm_host::say(format_args!(
        "ptxvm: cuGetExportTable: the driver's private table {id} does not exist here. NVIDIA's CUDA runtime \
         (libcudart) takes its functions from such tables, and uses them to check that the driver is NVIDIA's own. ptxvm \
         does not imitate that check, so the program's runtime stops here with an error. ptxvm has a runtime of its own: \
         `ptxvm exec` gives it to programs that load libcudart.so, but this one carries NVIDIA's inside. Link it with \
         `nvcc -cudart shared`, or with ptxvm's libcudart_static.a (docs/clients/cuda-cpp.md)\n"
    ));
}

/// Says why an image cannot be loaded, and what to do about it.
pub fn image(refusal: &Refusal) {
    ptxvm_host::say(format_args!("ptxvm: {refusal}\n"));
}

/// Whether the user wants no report of a finding; then it is recorded, with the reason.
fn is_suppressed(object: &mut Value) -> bool {
    let Some(suppression) = options::get().suppressions.of(object) else { return false };
    object["suppressed"] = json!(suppression.reason);
    record::append(object);
    true
}

/// Shows a message, with the lines that it concerns, and gives what was said, with its colours. Nothing is to be done for
/// a reader that has gone away.
fn say(message: Message, report: &Report<'_>) -> String {
    let mut said = Vec::new();
    let mut out = ptxvm_report::stderr(options::get().choices.color);
    let _ = message.write(report, &mut said).and_then(|()| out.write_all(&said)).and_then(|()| out.flush());
    String::from_utf8_lossy(&said).into_owned()
}
