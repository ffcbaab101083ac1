//! Explains to people why a launch or a module failed, and gives the `CUresult` that a GPU would give.

use ptxvm_report::finding::Reached;
use ptxvm_report::{Message, Report, finding, ptxas};
use ptxvm_vm::{Failure, Finding, Kernel, Kind, LaunchOptions, Limit, LoadError};
use serde_json::{Value, json};
use std::sync::atomic::Ordering;

use super::excerpt::Excerpt;
use super::{is_suppressed, ranges, record, say};
use crate::abi::CUresult;
use crate::memory::Refused;

/// The code of the diagnostic for a `.version` that is not known.
const UNKNOWN_VERSION: &str = "E0302";

/// Says why a launch did not end well, and what hardware answers to that. An access out of bounds may have been one to
/// memory of the host's that the launch was refused.
pub fn failure(kernel: &Kernel, launch: &LaunchOptions, failure: &Failure, refused: &[Refused]) -> CUresult {
    match failure {
        Failure::Finding(found) => {
            // The line that programs written for CUDA expect; what follows says more.
            if found.kind == Kind::Assert {
                ptxvm_host::say(format_args!("{}\n", ptxvm_report::plain(found.message.clone())));
            }
            let excerpt =
                Excerpt::of(kernel.module(), found.place.as_ref().map(|p| p.span).unwrap_or_default());
            let (mut found, report) = (excerpt.finding(found), excerpt.report());
            if found.kind == Kind::OutOfBounds {
                found.notes.extend(refused.iter().map(Refused::to_string));
            }
            let object = finding::object(&report, &found, launch.settings.seed);
            tell(finding::message(&found, launch.settings.seed), &report, object, kernel, launch);
            result(&found)
        }
        Failure::Unsupported(what) => {
            let excerpt = Excerpt::of(kernel.module(), what.span);
            let (what, report) = (excerpt.unsupported(what), excerpt.report());
            let object = finding::unsupported_object(&report, &what);
            tell(finding::unsupported(&what), &report, object, kernel, launch);
            CUresult::NOT_SUPPORTED
        }
        Failure::Limit(limit) => {
            let ctas = launch.grid.product();
            let done = launch.control.ctas_done.load(Ordering::Relaxed);
            let text = finding::limit(*limit, Reached::Ctas(done, ctas));
            let object = json!({ "kind": "limit", "code": finding::limit_name(*limit), "message": text });
            tell(Message::new(text).id("limit"), &nothing(), object, kernel, launch);
            match limit {
                Limit::Memory(_) => CUresult::OUT_OF_MEMORY,
                _ => CUresult::LAUNCH_TIMEOUT,
            }
        }
        Failure::Arguments(error) => {
            tell(Message::new(error.to_string()), &nothing(), Value::Null, kernel, launch);
            CUresult::INVALID_VALUE
        }
        Failure::TooLarge { .. } => {
            tell(Message::new(failure.to_string()), &nothing(), Value::Null, kernel, launch);
            CUresult::COOPERATIVE_LAUNCH_TOO_LARGE
        }
        Failure::Bug(message) => {
            let text = format!("internal error: {message}; this is a bug in ptxvm, please report it");
            let object = json!({ "kind": "bug", "message": message });
            tell(Message::new(text).id("bug"), &nothing(), object, kernel, launch);
            CUresult::UNKNOWN
        }
    }
}

/// A report for what has no place in any text.
fn nothing() -> Report<'static> {
    Report::with("", "".into(), Vec::new())
}

/// Tells of a finding after which the kernel went on, unless it is suppressed.
pub(super) fn tell_unless_suppressed(
    message: Message,
    report: &Report<'_>,
    mut object: Value,
    kernel: &Kernel,
    launch: &LaunchOptions,
) {
    object["kernel"] = json!(kernel.name());
    if !is_suppressed(&mut object) {
        tell(message, report, object, kernel, launch);
    }
}

/// Shows a message with the launch that it is about, and records the object.
pub(super) fn tell(
    mut message: Message,
    report: &Report<'_>,
    mut object: Value,
    kernel: &Kernel,
    launch: &LaunchOptions,
) {
    let ([gx, gy, gz], [bx, by, bz]) = (launch.grid.0, launch.block.0);
    let shared = match launch.shared {
        0 => String::new(),
        bytes => format!(", {bytes} bytes of dynamic shared memory"),
    };
    let cluster = launch.cluster.map(|size| size.0).map(|[x, y, z]| format!(", cluster ({x},{y},{z})"));
    let cluster = cluster.unwrap_or_default();
    let device = kernel.module().device().profile().name;
    message.notes.push(format!(
        "kernel `{}` was launched with grid ({gx},{gy},{gz}){cluster}, block ({bx},{by},{bz}){shared} on {device}",
        kernel.name()
    ));
    message.notes.extend(ranges::in_words().map(|ranges| format!("the launch was in {ranges}")));
    let said = say(message, report);
    if let Value::Object(fields) = &mut object {
        fields.insert("kernel".to_owned(), json!(kernel.name()));
        fields.insert("grid".to_owned(), json!(launch.grid.0));
        fields.insert("block".to_owned(), json!(launch.block.0));
        fields.extend(ranges::object().map(|ranges| ("ranges".to_owned(), ranges)));
        record::append_said(object, &said);
    }
}

/// What an H200 answers when a kernel does this (measured). Where it lets the kernel go on, as with writes to
/// constants, the answer is that of the nearest fault.
fn result(found: &Finding) -> CUresult {
    match found.kind {
        Kind::OutOfBounds | Kind::Null | Kind::UseAfterFree | Kind::ReadOnly | Kind::StackOverflow => {
            CUresult::ILLEGAL_ADDRESS
        }
        Kind::Misaligned => CUresult::MISALIGNED_ADDRESS,
        Kind::WrongSpace => CUresult::INVALID_ADDRESS_SPACE,
        // Instructions lie at multiples of 16; only where none can be is the program counter itself at fault.
        Kind::BadCall if found.registers.first().is_some_and(|(_, address)| address % 16 == 0) => {
            CUresult::ILLEGAL_ADDRESS
        }
        Kind::BadCall | Kind::BranchIndex => CUresult::INVALID_PC,
        Kind::Misuse => CUresult::ILLEGAL_INSTRUCTION,
        Kind::Assert => CUresult::ASSERT,
        Kind::Deadlock => CUresult::LAUNCH_TIMEOUT,
        Kind::Launch => CUresult::INVALID_VALUE,
        Kind::ForeignShared | Kind::Trap | Kind::Breakpoint | Kind::BadFree => CUresult::LAUNCH_FAILED,
        // A kernel goes on after what checks find.
        Kind::Divergent
        | Kind::Barrier
        | Kind::MemberMask
        | Kind::InactiveLane
        | Kind::ClusterLifetime
        | Kind::Mbarrier
        | Kind::Unawaited
        | Kind::OverlappingCopies
        | Kind::WgmmaRegisters
        | Kind::UndefinedResult
        | Kind::Leak
        | Kind::Uninitialised
        | Kind::OutsideObject => CUresult::LAUNCH_FAILED,
    }
}

/// Says why PTX cannot be loaded, and what the driver answers to that. `source` is the text that the error is in. What
/// is wrong with the PTX is not said again if the program has it in a log of its own.
pub fn not_loaded(error: &LoadError, source: &str, logged: bool) -> CUresult {
    match error {
        LoadError::Part { error, .. } => not_loaded(error, source, logged),
        LoadError::Invalid(diagnostics) => {
            if !logged {
                let report = Report::with(ptxas::IN_MEMORY, source.into(), diagnostics.clone());
                ptxvm_host::say(format_args!("{}", ptxas::log(&report)));
            }
            match diagnostics.iter().any(|d| d.code.0 == UNKNOWN_VERSION) {
                true => CUresult::UNSUPPORTED_PTX_VERSION,
                false => CUresult::INVALID_PTX,
            }
        }
        LoadError::Target { .. } | LoadError::Unresolved(_) => {
            if !logged {
                ptxvm_host::say(format_args!("ptxvm: {error}\n"));
            }
            CUresult::INVALID_PTX
        }
        LoadError::Unsupported(all) => {
            let report = Report::with(ptxas::IN_MEMORY, source.into(), Vec::new());
            for what in all {
                let said = say(finding::unsupported(what), &report);
                record::append_said(finding::unsupported_object(&report, what), &said);
            }
            CUresult::NOT_SUPPORTED
        }
        LoadError::Budget(_) => {
            ptxvm_host::say(format_args!("ptxvm: {error}\n"));
            CUresult::OUT_OF_MEMORY
        }
        LoadError::Memory(_) => {
            ptxvm_host::say(format_args!("ptxvm: the module's variables do not fit: {error}\n"));
            CUresult::OUT_OF_MEMORY
        }
        LoadError::Link(_) => {
            if !logged {
                ptxvm_host::say(format_args!("ptxvm: {error}\n"));
            }
            CUresult::UNKNOWN
        }
        LoadError::Bug(message) => {
            let said =
                format!("ptxvm: internal error: {message}; this is a bug in ptxvm, please report it\n");
            ptxvm_host::say(format_args!("{said}"));
            record::append_said(json!({ "kind": "bug", "message": message }), &said);
            CUresult::UNKNOWN
        }
    }
}
