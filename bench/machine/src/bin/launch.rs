//! What a launch costs besides its work: kernels that do next to nothing, launched many times, beside the native cost of
//! handing something to another thread and back.
//!
//! Machines are noisy, so the median of some rounds is shown. The memory of the process must not grow with the launches.

use std::sync::mpsc;
use std::time::Instant;

use ptxvm_vm::{Buffer, Device, LaunchOptions, Module, Settings};

const SOURCE: &str = "
.version 9.1
.target sm_80
.address_size 64
.visible .entry empty() { ret; }
.visible .entry three(.param .u64 a, .param .u64 b, .param .u32 n) { ret; }
.visible .entry shared() {
    .shared .align 4 .b8 tile[16384];
    .reg .b32 %r;
    mov.u32 %r, tile;
    st.shared.u32 [%r], 1;
    ret;
}
";

const LAUNCHES: u32 = 2000;
const ROUNDS: usize = 9;

/// The median over the rounds of what one call takes, in microseconds.
fn microseconds(mut call: impl FnMut()) -> f64 {
    let mut times: Vec<f64> = (0..ROUNDS)
        .map(|_| {
            let begin = Instant::now();
            (0..LAUNCHES).for_each(|_| call());
            begin.elapsed().as_secs_f64() * 1e6 / f64::from(LAUNCHES)
        })
        .collect();
    times.sort_by(f64::total_cmp);
    times[ROUNDS / 2]
}

fn launch(module: &Module, name: &str, options: &LaunchOptions) -> f64 {
    let kernel = module.kernel(name).expect("the kernel");
    microseconds(|| {
        kernel.launch(options).unwrap_or_else(|failure| panic!("{name}: {failure}"));
    })
}

/// A message to another thread and its answer.
fn hand_off() -> f64 {
    let (to, inbox) = mpsc::channel::<u32>();
    let (answer, back) = mpsc::channel();
    let other = std::thread::spawn(move || inbox.iter().for_each(|n| answer.send(n).expect("a reader")));
    let time = microseconds(|| {
        to.send(1).expect("a reader");
        back.recv().expect("an answer");
    });
    drop(to);
    other.join().expect("it ends");
    time
}

/// The memory that the process has now, in kilobytes.
fn memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmRSS:"));
    line.and_then(|l| l.trim().split(' ').next()?.parse().ok()).unwrap_or(0)
}

fn main() {
    let device = Device::default();
    let module = device.load(SOURCE).unwrap_or_else(|error| panic!("{error}"));
    let x = Buffer::new(&device, 1024).expect("memory");
    println!("a hand-off to another thread and back {:8.2} us", hand_off());
    let before = memory();
    for (name, grid, block, threads) in [
        ("empty", 1, 32, 1),
        ("empty", 1, 256, 1),
        ("empty", 1, 1024, 1),
        ("three", 1, 256, 1),
        ("shared", 1, 256, 1),
        ("empty", 64, 256, 1),
        ("empty", 1, 256, 2),
        ("empty", 4, 256, 2),
        ("empty", 64, 256, 2),
    ] {
        let mut options = LaunchOptions {
            settings: Settings { threads, ..Settings::default() },
            ..LaunchOptions::new(grid, block)
        };
        if name == "three" {
            options = options.argument(&x).argument(&x).argument(7u32);
        }
        let time = launch(&module, name, &options);
        println!("{name:8} {grid:3} x {block:4}, {threads} threads {time:18.2} us");
    }
    println!("memory grew by {} kB", memory().saturating_sub(before));
}
