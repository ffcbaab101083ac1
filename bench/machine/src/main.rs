//! The six kernels of `kernels.cu` on the machine, beside the same work in C (`native.c`), in one run.
//!
//! Machines are noisy, so only the ratios count. The results are checked against those that the C program prints.

use std::process::Command;
use std::rc::Rc;
use std::time::Instant;

use ptxvm_vm::{Buffer, Device, LaunchOptions, Module, Profile, Settings};

const VECTOR: usize = 1 << 24;
const MATRIX: usize = 512;
const BODIES: usize = 4096;
const PICTURE: usize = 1024;

/// One kernel: its name, the line of the C program it stands beside, and what it computes that can be compared.
struct Kernel {
    name: &'static str,
    native: &'static str,
    launch: LaunchOptions,
    /// Undoes what a run changed.
    reset: Box<dyn Fn()>,
    /// The number that the C program prints as its check.
    check: Box<dyn Fn() -> f64>,
}

/// The pseudo-random numbers of `common.h`.
fn frnd(i: u32) -> f32 {
    let mut i = i.wrapping_mul(2_654_435_761).wrapping_add(12345);
    i ^= i >> 15;
    i = i.wrapping_mul(2_246_822_519);
    i ^= i >> 13;
    (i & 0xffff) as f32 / 65536.0 - 0.5
}

fn room(device: &Device, bytes: usize) -> Rc<Buffer> {
    Rc::new(Buffer::new(device, bytes).expect("memory"))
}

fn kernels(device: &Device) -> (Vec<Kernel>, Vec<Rc<Buffer>>) {
    let vector = |shift: u32| {
        let values: Vec<f32> = (0..VECTOR as u32).map(|i| frnd(i + shift)).collect();
        Rc::new(Buffer::from_slice(device, &values).expect("memory"))
    };
    let (a, b) = (vector(0), vector(77));
    let c = room(device, VECTOR * 4);
    let bodies: Vec<f32> =
        (0..4 * BODIES as u32).map(|i| frnd(i) + if i % 4 == 3 { 1.0 } else { 0.0 }).collect();
    let positions = Rc::new(Buffer::from_slice(device, &bodies).expect("memory"));
    let velocities = room(device, BODIES * 16);
    let picture = room(device, PICTURE * PICTURE * 4);
    let tiles = (MATRIX / 16) as u32;
    let at = |buffer: &Rc<Buffer>, index: usize| {
        let buffer = buffer.clone();
        Box::new(move || f64::from(buffer.to_vec::<f32>()[index])) as Box<dyn Fn() -> f64>
    };
    let nothing = || Box::new(|| ()) as Box<dyn Fn()>;
    let square = || {
        LaunchOptions::new((tiles, tiles), (16, 16))
            .argument(&*a)
            .argument(&*b)
            .argument(&*c)
            .argument(MATRIX as i32)
    };
    let (sums, count, still) = (c.clone(), picture.clone(), velocities.clone());
    // A buffer is freed when its last owner goes.
    let buffers = [&a, &b, &c, &positions, &velocities, &picture].map(Rc::clone).to_vec();
    let kernels = vec![
        Kernel {
            name: "vadd",
            native: "vadd",
            launch: LaunchOptions::new(VECTOR as u32 / 256, 256)
                .argument(&*a)
                .argument(&*b)
                .argument(&*c)
                .argument(VECTOR as i32),
            reset: nothing(),
            check: at(&c, 12345),
        },
        Kernel {
            name: "sgemm_naive",
            native: "sgemm_ikj",
            launch: square(),
            reset: nothing(),
            check: at(&c, 1000),
        },
        Kernel {
            name: "sgemm_tiled",
            native: "sgemm_tiled",
            launch: square(),
            reset: nothing(),
            check: at(&c, 1000),
        },
        Kernel {
            name: "reduce",
            native: "reduce",
            launch: LaunchOptions::new(VECTOR as u32 / 256, 256)
                .argument(&*a)
                .argument(&*c)
                .argument(VECTOR as i32),
            reset: nothing(),
            check: Box::new(move || sums.to_vec::<f32>()[..VECTOR / 256].iter().map(|v| f64::from(*v)).sum()),
        },
        Kernel {
            name: "nbody",
            native: "nbody",
            launch: LaunchOptions::new(BODIES as u32 / 256, 256)
                .argument(&*positions)
                .argument(&*velocities)
                .argument(BODIES as i32)
                .argument(0.01f32),
            reset: Box::new(move || still.fill(0)),
            check: at(&velocities, 400),
        },
        Kernel {
            name: "mandel",
            native: "mandel_simd16",
            launch: LaunchOptions::new((PICTURE as u32 / 16, PICTURE as u32 / 16), (16, 16))
                .argument(&*picture)
                .argument(PICTURE as i32)
                .argument(256i32),
            reset: nothing(),
            check: Box::new(move || count.to_vec::<i32>().iter().map(|v| f64::from(*v)).sum()),
        },
    ];
    (kernels, buffers)
}

/// The median time of some runs with so many host threads, and the lane instructions of one.
fn measure(module: &Module, kernel: &Kernel, threads: usize, runs: usize) -> (f64, u64) {
    let entry = module.kernel(kernel.name).expect("the kernel");
    let launch =
        LaunchOptions { settings: Settings { threads, ..kernel.launch.settings }, ..kernel.launch.clone() };
    let mut times = Vec::new();
    let mut lanes = 0;
    for _ in 0..runs {
        (kernel.reset)();
        let begin = Instant::now();
        let statistics = entry.launch(&launch).unwrap_or_else(|failure| panic!("{}: {failure}", kernel.name));
        times.push(begin.elapsed().as_secs_f64());
        lanes = statistics.lanes();
    }
    times.sort_by(f64::total_cmp);
    (times[runs / 2], lanes)
}

/// Builds and runs the C program on one thread: its lines `name seconds check … value`.
fn native(runs: usize) -> Vec<(String, f64, f64)> {
    let folder = env!("CARGO_MANIFEST_DIR");
    let binary = format!("{folder}/target/native");
    let built = Command::new("gcc")
        .args(["-O3", "-march=native", "-fopenmp", "native.c", "-o", &binary, "-lm"])
        .current_dir(folder)
        .status();
    assert!(built.is_ok_and(|s| s.success()), "gcc could not build native.c");
    let output =
        Command::new(binary).arg(runs.to_string()).env("OMP_NUM_THREADS", "1").output().expect("native");
    let line = |line: &str| -> Option<(String, f64, f64)> {
        let words: Vec<&str> = line.split_whitespace().collect();
        Some((words.first()?.to_string(), words.get(1)?.parse().ok()?, words.last()?.parse().ok()?))
    };
    String::from_utf8_lossy(&output.stdout).lines().filter_map(line).collect()
}

/// The same kernel on parts of its grid: time must grow with it, memory must not.
fn growth(module: &Module, kernel: &Kernel) {
    let entry = module.kernel(kernel.name).expect("the kernel");
    println!("\n{} on parts of its grid, one thread:", kernel.name);
    for part in [64, 16, 4, 1] {
        let mut launch = kernel.launch.clone();
        launch.grid.0[0] /= part;
        let begin = Instant::now();
        entry.launch(&launch).unwrap_or_else(|failure| panic!("{}: {failure}", kernel.name));
        let time = begin.elapsed().as_secs_f64();
        let ctas = launch.grid.0.iter().map(|n| f64::from(*n)).product::<f64>();
        println!(
            "{ctas:9.0} CTAs {time:9.4} s {:9.2} us a CTA, peak memory {} MB",
            time / ctas * 1e6,
            peak_memory()
        );
    }
}

/// The most memory that the process has had, in megabytes.
fn peak_memory() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|l| l.strip_prefix("VmHWM:"));
    line.and_then(|l| l.trim().split(' ').next()?.parse::<u64>().ok()).unwrap_or(0) / 1024
}

fn main() {
    let runs = std::env::args().nth(1).and_then(|a| a.parse().ok()).unwrap_or(3);
    let only = std::env::args().nth(2);
    let native = native(runs);
    let device = Device::new(Profile::named("h200").expect("the default profile"));
    let source = include_str!("../kernels_sm70.ptx");
    let module = device.load(source).unwrap_or_else(|error| panic!("{error}"));
    println!(
        "{:12} {:>9} {:>9} {:>9} {:>8} {:>8} {:>10} {:>10}",
        "kernel", "C, 1 thr", "1 thread", "2 threads", "2 vs C", "scaling", "Glane/s 1", "Glane/s 2"
    );
    let mut product = 1.0;
    let mut count = 0;
    let (kernels, _buffers) = kernels(&device);
    for kernel in &kernels {
        if only.as_ref().is_some_and(|o| o != kernel.name) {
            continue;
        }
        let (_, c, check) = native.iter().find(|n| n.0 == kernel.native).expect("a line of the C program");
        let (one, lanes) = measure(&module, kernel, 1, runs);
        let (two, _) = measure(&module, kernel, 2, runs);
        let ours = (kernel.check)();
        let off = (ours - check).abs() / check.abs().max(1e-9);
        let verdict = if off < 1e-3 { "" } else { "  RESULT DIFFERS" };
        let rate = |t: f64| lanes as f64 / t / 1e9;
        println!(
            "{:12} {c:9.4} {one:9.4} {two:9.4} {:8.1} {:8.2} {:10.2} {:10.2}{verdict}",
            kernel.name,
            two / c,
            one / two,
            rate(one),
            rate(two)
        );
        product *= two / c;
        count += 1;
    }
    println!(
        "geometric mean of two threads against C on one: {:.1}",
        f64::powf(product, 1.0 / f64::from(count))
    );
    if only.is_none()
        && let Some(kernel) = kernels.iter().find(|k| k.name == "reduce")
    {
        growth(&module, kernel);
    }
}
