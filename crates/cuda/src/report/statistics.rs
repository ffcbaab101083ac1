//! `--stats`: a line for every launch, and the sum when the program ends.
#![allow(unsafe_code)]

use std::sync::{Mutex, Once, PoisonError};
use std::time::Duration;

use ptxvm_report::number::{bytes, grouped, rate, time};
use ptxvm_vm::{Checks, Kernel, LaunchOptions, Statistics};
use serde_json::json;

use super::{ranges, record};
use crate::driver;

/// What all launches did together.
#[derive(Clone, Copy, Debug)]
struct Sum {
    launches: u64,
    instructions: u64,
    lanes: u64,
    time: Duration,
}

static SUM: Mutex<Sum> = Mutex::new(Sum { launches: 0, instructions: 0, lanes: 0, time: Duration::ZERO });

/// Tells of a launch that has ended, if that was asked for.
pub fn launched(kernel: &Kernel, launch: &LaunchOptions, statistics: &Statistics) {
    if !launch.settings.statistics {
        return;
    }
    let (instructions, lanes) = (statistics.instructions(), statistics.lanes());
    let ([gx, gy, gz], [bx, by, bz]) = (launch.grid.0, launch.block.0);
    let checked = match kernel.checked(launch.settings.checks) {
        Checks::NONE => String::new(),
        checks => format!(", checked for {checks}"),
    };
    let newer = match kernel.binary_target().meets(kernel.target()) {
        true => String::new(),
        false => format!(", PTX for {}, which is newer than {}", kernel.target(), kernel.binary_target()),
    };
    ptxvm_host::say(format_args!(
        "ptxvm: {} grid ({gx},{gy},{gz}) block ({bx},{by},{bz}): {} warp instructions, {} lane instructions, {}{checked}{newer}{}\n",
        kernel.name(),
        grouped(instructions),
        grouped(lanes),
        time(statistics.time),
        ranges::in_words().map(|ranges| format!(", in {ranges}")).unwrap_or_default(),
    ));
    record::append(&json!({
        "kind": "launch", "kernel": kernel.name(), "grid": launch.grid.0, "block": launch.block.0,
        "warp_instructions": instructions, "lane_instructions": lanes, "seconds": statistics.time.as_secs_f64(),
    }));
    {
        let mut sum = SUM.lock().unwrap_or_else(PoisonError::into_inner);
        sum.launches += 1;
        sum.instructions += instructions;
        sum.lanes += lanes;
        sum.time += statistics.time;
    }
    static AT_EXIT: Once = Once::new();
    AT_EXIT.call_once(|| {
        // SAFETY: the function takes nothing, gives nothing and does not unwind.
        unsafe { libc::atexit(total) };
    });
}

/// Tells of all launches.
extern "C" fn total() {
    let sum = *SUM.lock().unwrap_or_else(PoisonError::into_inner);
    ptxvm_host::say(format_args!(
        "ptxvm: {} launch{}: {} warp instructions, {} lane instructions ({} a second), {}, {} of host memory at most\n",
        grouped(sum.launches),
        if sum.launches == 1 { "" } else { "es" },
        grouped(sum.instructions),
        grouped(sum.lanes),
        rate(sum.lanes as f64 / sum.time.as_secs_f64().max(1e-9)),
        time(sum.time),
        bytes(driver::get().map_or(0, |driver| driver.device.budget().peak())),
    ));
}
