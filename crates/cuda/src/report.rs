//! What the library says to people, on standard error: findings in full, the trace of calls, our own bugs.

use std::io::Write;
use std::time::Duration;

use ptxvm_vm::{Failure, Kernel, Kind, LoadError};

use crate::abi::CUresult;

/// Says that an entry point met a bug of ours.
pub fn bug(entry: &str) {
    eprintln!("ptxvm: internal error in {entry}: this is a bug in ptxvm; please report it");
}

/// A line of `--api-trace`.
pub fn trace(entry: &str, arguments: &str, result: CUresult, took: Duration) {
    eprintln!("ptxvm: {entry}({arguments}) -> {result:?} in {:.1} us", took.as_secs_f64() * 1e6);
}

/// Says that a program has called an entry point that ptxvm does not have yet.
pub fn unsupported(entry: &str) {
    eprintln!("ptxvm: {entry} is not supported and answers CUDA_ERROR_NOT_SUPPORTED");
}

/// Says that a program has asked for one of the driver's private tables.
pub fn no_export_table(id: &str) {
    eprintln!(
        "ptxvm: cuGetExportTable: the driver's private table {id} is not there. The CUDA runtime (libcudart) takes \
         its functions from such tables and checks by them that the driver is NVIDIA's own; ptxvm does not imitate \
         that check, so a program built on libcudart stops here with an error, while one that calls the driver API \
         goes on"
    );
}

/// Passes on what the guest prints.
pub fn guest_output(text: &[u8]) {
    let mut out = std::io::stdout().lock();
    // A reader that has gone away is no reason to stop the kernel.
    let _ = out.write_all(text).and_then(|()| out.flush());
}

/// Says why a launch did not end well, and what hardware would answer.
pub fn failure(kernel: &Kernel, failure: &Failure) -> CUresult {
    eprintln!("ptxvm: kernel `{}`: {failure}", kernel.name());
    match failure {
        Failure::Finding(finding) => match finding.kind {
            Kind::OutOfBounds | Kind::Null | Kind::UseAfterFree | Kind::ReadOnly => CUresult::ILLEGAL_ADDRESS,
            Kind::Misaligned => CUresult::MISALIGNED_ADDRESS,
            Kind::WrongSpace => CUresult::INVALID_ADDRESS_SPACE,
            Kind::BadCall | Kind::BranchIndex => CUresult::INVALID_PC,
            Kind::Assert => CUresult::ASSERT,
            Kind::Deadlock => CUresult::LAUNCH_TIMEOUT,
            Kind::Launch => CUresult::INVALID_VALUE,
            _ => CUresult::LAUNCH_FAILED,
        },
        Failure::Unsupported(_) => CUresult::NOT_SUPPORTED,
        Failure::Limit(_) => CUresult::LAUNCH_TIMEOUT,
        Failure::Arguments(_) => CUresult::INVALID_VALUE,
        Failure::TooLarge { .. } => CUresult::COOPERATIVE_LAUNCH_TOO_LARGE,
        Failure::Bug(_) => CUresult::UNKNOWN,
    }
}

/// Says why a module cannot be loaded.
pub fn not_loaded(error: &LoadError) -> CUresult {
    eprintln!("ptxvm: {error}");
    match error {
        LoadError::Invalid(_) => CUresult::INVALID_PTX,
        LoadError::Target { .. } => CUresult::NO_BINARY_FOR_GPU,
        LoadError::Unresolved(_) => CUresult::NOT_FOUND,
        LoadError::Unsupported(_) => CUresult::NOT_SUPPORTED,
        LoadError::Memory(_) => CUresult::OUT_OF_MEMORY,
        LoadError::Part { .. } | LoadError::Link(_) => CUresult::INVALID_PTX,
        LoadError::Bug(_) => CUresult::UNKNOWN,
    }
}
