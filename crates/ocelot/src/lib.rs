//! `libgpuocelot.so`: the one function of gpuocelot that tinygrad's mock GPU calls, on ptxvm.
//!
//! The mock has no device memory: kernels are handed addresses of the process itself, and each argument stands in the
//! place of a pointer, whatever its type. The function can answer nothing, so a kernel that does not end well ends the
//! process, with the exit status that `ptxvm run` has for it.

mod host_memory;

use std::ffi::{CStr, c_char, c_int, c_void};
use std::io::Write;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::OnceLock;

use host_memory::Adopted;
use ptxvm_host::Share;
use ptxvm_report::{Message, Report, finding};
use ptxvm_settings::{Choices, Said};
use ptxvm_vm::{Device, DeviceOptions, Failure, Kernel, LaunchOptions, LoadError};

/// Exit statuses, as `ptxvm run` has them.
const INVALID: i32 = 2;
const FINDING: i32 = 3;
const UNSUPPORTED: i32 = 4;
const BUG: i32 = 101;

/// Runs the first kernel of a module in blocks and grids of these sizes.
///
/// # Safety
/// `ptx` is a text that ends with a zero, and `args` has `n_args` values. Those that are addresses of buffers stay
/// valid for the call, and nobody else touches these.
#[allow(unsafe_code, reason = "the name is for C programs, and so is the promise")]
#[unsafe(no_mangle)]
#[allow(clippy::too_many_arguments, reason = "gpuocelot's")]
pub unsafe extern "C" fn ptx_run(
    ptx: *const c_char,
    n_args: c_int,
    args: *const *mut c_void,
    block_x: c_int,
    block_y: c_int,
    block_z: c_int,
    grid_x: c_int,
    grid_y: c_int,
    grid_z: c_int,
    shared: c_int,
) {
    let count = usize::try_from(n_args).unwrap_or(0);
    if ptx.is_null() || (args.is_null() && count > 0) {
        end(INVALID, "ptx_run was called with a null pointer");
    }
    // SAFETY: the caller promises a text that ends with a zero.
    let source = unsafe { CStr::from_ptr(ptx) }.to_string_lossy();
    let values: Vec<u64> = (0..count)
        // SAFETY: the caller promises so many values.
        .map(|index| unsafe { args.add(index).read() }.expose_provenance() as u64)
        .collect();
    let size = |n: c_int| u32::try_from(n).unwrap_or(0);
    let grid = [grid_x, grid_y, grid_z].map(size);
    let block = [block_x, block_y, block_z].map(size);
    let settings = choices().settings;
    let launch = LaunchOptions { shared: size(shared), settings, ..LaunchOptions::new(grid, block) };
    // SAFETY: the caller promises that buffers stay for the call.
    let run = || unsafe { run(&source, &values, launch) };
    // A panic that left a C function would abort, and that looks like the guest's own `trap`.
    if catch_unwind(AssertUnwindSafe(run)).is_err() {
        end(BUG, "internal error: this is a bug in ptxvm; please report it");
    }
}

/// # Safety
/// Those of the values that are addresses of buffers stay valid for the call, and nobody else touches the buffers.
#[allow(unsafe_code, reason = "it passes the promise on")]
unsafe fn run(source: &str, values: &[u64], mut launch: LaunchOptions) {
    let device = device();
    // Before anything of the module is placed: its own blocks may come to lie between the buffers.
    // SAFETY: what the caller promises; they are given back before this returns.
    let adopted = unsafe { Adopted::new(&device, values) };
    let module = device.load(source).unwrap_or_else(|error| not_loaded(source, error));
    let name = module.kernels().next().map(|kernel| kernel.name.clone());
    let name = name.unwrap_or_else(|| end(INVALID, "the PTX has no kernel"));
    let kernel = module.kernel(&name).unwrap_or_else(|error| end(BUG, &error.to_string()));
    for (parameter, value) in kernel.parameters().iter().zip(values) {
        let bytes = value.to_le_bytes();
        let taken = bytes.get(..parameter.size as usize);
        launch.arguments.push(taken.unwrap_or_else(|| end(INVALID, "a parameter has more than eight bytes")));
    }
    let launch = launch.on_print(|text| {
        // A reader that has gone away is no reason to stop the kernel.
        let _ = std::io::stdout().lock().write_all(text);
    });
    if let Err(failure) = kernel.launch(&launch) {
        failed(&kernel, &failure);
    }
    drop(adopted);
}

/// What the environment says, read at the first call.
fn choices() -> &'static Choices {
    static CHOICES: OnceLock<Choices> = OnceLock::new();
    CHOICES.get_or_init(|| {
        let cache = |why: &str| ptxvm_host::say(format_args!("ptxvm: ptx_run: {why}\n"));
        if let Ok(cache) = ptxvm_settings::code_cache(cache) {
            ptxvm_vm::keep_code(cache);
        }
        let told = |why| ptxvm_host::say(format_args!("ptxvm: ptx_run: {why}; it is ignored\n"));
        Said::from_environment(|_| true, told).choices()
    })
}

/// The device that `PTXVM_DEVICE` names, with the memory that `PTXVM_MEMORY` and `PTXVM_MAX_MEMORY` say, or that the host
/// could give at the first call.
fn device() -> Device {
    static SHARE: OnceLock<Share> = OnceLock::new();
    let profile = choices().profile;
    let share = SHARE.get_or_init(|| choices().memory.share(profile.memory));
    let memory = DeviceOptions::default().memory(share.memory).max_memory(share.max_memory);
    Device::with_options(profile, memory)
}

/// Says why a module cannot be loaded, and ends the process.
fn not_loaded(source: &str, error: LoadError) -> ! {
    match error {
        LoadError::Invalid(diagnostics) => {
            let report = Report::with("PTX", source.into(), diagnostics);
            let mut out = ptxvm_report::stderr(choices().color);
            let _ = report.write(100, &mut out).and_then(|()| out.flush());
            std::process::exit(INVALID)
        }
        LoadError::Unsupported(all) => {
            let report = Report::with("PTX", source.into(), Vec::new());
            all.iter().for_each(|what| say(finding::unsupported(what), &report));
            std::process::exit(UNSUPPORTED)
        }
        LoadError::Bug(_) => end(BUG, &error.to_string()),
        _ => end(INVALID, &error.to_string()),
    }
}

/// Says why a launch did not end well, and ends the process.
fn failed(kernel: &Kernel, failure: &Failure) -> ! {
    let report = Report::with("PTX", kernel.module().source().into(), Vec::new());
    match failure {
        Failure::Finding(found) => {
            say(finding::message(found, choices().settings.seed), &report);
            std::process::exit(FINDING)
        }
        Failure::Unsupported(what) => {
            say(finding::unsupported(what), &report);
            std::process::exit(UNSUPPORTED)
        }
        Failure::Bug(_) => end(BUG, &failure.to_string()),
        _ => end(FINDING, &failure.to_string()),
    }
}

fn say(message: Message, report: &Report<'_>) {
    let mut out = ptxvm_report::stderr(choices().color);
    // Nothing is to be done for a reader that has gone away.
    let _ = message.write(report, &mut out).and_then(|()| out.flush());
}

fn end(status: i32, why: &str) -> ! {
    ptxvm_host::say(format_args!("ptxvm: ptx_run: {why}\n"));
    std::process::exit(status)
}
