//! What the runtime adds: a launch through `cudaLaunchKernel` beside `cuLaunchKernel` of the same kernel, and a program with
//! 500 fatbins and 25,000 functions before its first launch.
//!
//! usage: runtime [FOLDER]     the folder of libcuda.so and libcudart.so (target/release)

use std::ffi::{c_char, c_void};
use std::hint::black_box;
use std::ptr::{null, null_mut};
use std::time::{Duration, Instant};

use libloading::Library;

const ROUNDS: usize = 15;
const TRIPS: u32 = 2_000;
const FATBINS: usize = 500;
const FUNCTIONS: usize = 50;
/// The promises: microseconds that the runtime adds to a launch, and milliseconds before the first launch.
const ADDED: f64 = 1.0;
const LOADING: f64 = 300.0;

/// A fatbin with PTX of a kernel `add` that adds 1 to a number.
static IMAGE: &[u8] = include_bytes!("../../../../crates/cuda/tests/images/plain.fatbin");

#[repr(C)]
struct Dim3(u32, u32, u32);

/// `__fatBinC_Wrapper_t`
#[repr(C)]
struct Wrapper {
    magic: u32,
    version: u32,
    data: *const u8,
    parts: *const c_void,
}

type Launch = unsafe extern "C" fn(*const c_void, Dim3, Dim3, *const *mut c_void, usize, *mut c_void) -> u32;
type DriverLaunch = unsafe extern "C" fn(
    *mut c_void,
    u32,
    u32,
    u32,
    u32,
    u32,
    u32,
    u32,
    *mut c_void,
    *const *mut c_void,
    *const *mut c_void,
) -> u32;
type Register = unsafe extern "C" fn(
    *const c_void,
    *const c_void,
    *const c_char,
    *const c_char,
    i32,
    *mut c_void,
    *mut c_void,
    *mut c_void,
    *mut c_void,
    *mut i32,
);

fn main() {
    let built = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/release").to_owned();
    let folder = std::env::args().nth(1).unwrap_or(built);
    // SAFETY: the libraries are ours, and every function is called as its header declares it.
    unsafe { measure(&folder) }
}

unsafe fn measure(folder: &str) {
    let open = |name: &str| {
        let path = format!("{folder}/{name}");
        // SAFETY: loading our own libraries runs nothing of note.
        unsafe { Library::new(&path) }.unwrap_or_else(|error| panic!("{path}: {error}"))
    };
    let (driver, runtime) = (open("libcuda.so"), open("libcudart.so"));
    // SAFETY: the types are those of the headers.
    unsafe {
        let add: libloading::Symbol<unsafe extern "C" fn(*const Wrapper) -> *const c_void> =
            runtime.get(b"__cudaRegisterFatBinary").expect("a function");
        let end: libloading::Symbol<unsafe extern "C" fn(*const c_void)> =
            runtime.get(b"__cudaRegisterFatBinaryEnd").expect("a function");
        let register: libloading::Symbol<Register> =
            runtime.get(b"__cudaRegisterFunction").expect("a function");
        let remove: libloading::Symbol<unsafe extern "C" fn(*const c_void)> =
            runtime.get(b"__cudaUnregisterFatBinary").expect("a function");
        let launch: libloading::Symbol<Launch> = runtime.get(b"cudaLaunchKernel").expect("a function");
        let malloc: libloading::Symbol<unsafe extern "C" fn(*mut *mut c_void, usize) -> u32> =
            runtime.get(b"cudaMalloc").expect("a function");
        let find: libloading::Symbol<unsafe extern "C" fn(*mut *mut c_void, *const c_void) -> u32> =
            runtime.get(b"cudaGetFuncBySymbol").expect("a function");
        let synchronize: libloading::Symbol<unsafe extern "C" fn() -> u32> =
            runtime.get(b"cudaDeviceSynchronize").expect("a function");
        let below: libloading::Symbol<DriverLaunch> = driver.get(b"cuLaunchKernel").expect("a function");

        let wrappers: Vec<Wrapper> = (0..FATBINS)
            .map(|_| Wrapper { magic: 0x4662_43b1, version: 1, data: IMAGE.as_ptr(), parts: null() })
            .collect();
        // Functions of the host are known by their addresses alone.
        let functions = vec![0u64; FATBINS * FUNCTIONS];
        let began = Instant::now();
        let fatbins: Vec<*const c_void> = wrappers
            .iter()
            .enumerate()
            .map(|(number, wrapper)| {
                let fatbin = add(wrapper);
                for function in &functions[number * FUNCTIONS..][..FUNCTIONS] {
                    let (name, none) = (c"add".as_ptr(), null_mut());
                    register(
                        fatbin,
                        (&raw const *function).cast(),
                        name,
                        name,
                        -1,
                        none,
                        none,
                        none,
                        none,
                        null_mut(),
                    );
                }
                end(fatbin);
                fatbin
            })
            .collect();
        let registered = began.elapsed();

        let mut memory = null_mut();
        assert_eq!(malloc(&raw mut memory, 64), 0);
        let kernel: *const c_void = (&raw const functions[12_345]).cast();
        let parameters = [(&raw mut memory).cast::<c_void>()];
        let through_runtime = || {
            let one = || Dim3(1, 1, 1);
            assert_eq!(launch(kernel, one(), one(), parameters.as_ptr(), 0, null_mut()), 0);
        };
        let began = Instant::now();
        through_runtime();
        assert_eq!(synchronize(), 0);
        let first = began.elapsed();
        let mut function = null_mut();
        assert_eq!(find(&raw mut function, kernel), 0);
        let through_driver = || {
            let answer = below(function, 1, 1, 1, 1, 1, 1, 0, null_mut(), parameters.as_ptr(), null());
            assert_eq!(answer, 0);
        };
        let calls = |call: &dyn Fn()| {
            let mut all = Duration::ZERO;
            for _ in 0..TRIPS {
                let began = Instant::now();
                call();
                all += began.elapsed();
                synchronize();
            }
            black_box(all).as_secs_f64() * 1e6 / f64::from(TRIPS)
        };
        // In turn, so that a machine that becomes slower does so for both.
        let (mut above, mut under) = (Vec::new(), Vec::new());
        for _ in 0..ROUNDS {
            above.push(calls(&through_runtime));
            under.push(calls(&through_driver));
        }
        let best = |times: &[f64]| times.iter().copied().fold(f64::INFINITY, f64::min);
        let (above, under) = (best(&above), best(&under));
        let began = Instant::now();
        fatbins.iter().for_each(|fatbin| remove(*fatbin));
        let removed = began.elapsed();

        println!("the call of cuLaunchKernel              {under:8.2} us");
        println!("the call of cudaLaunchKernel            {above:8.2} us");
        let verdict = |holds: bool| if holds { "within" } else { "OVER" };
        println!(
            "added by the runtime                    {:8.2} us, {} {ADDED} us",
            above - under,
            verdict(above - under < ADDED)
        );
        let milliseconds = registered.as_secs_f64() * 1e3;
        println!(
            "{FATBINS} fatbins, {} functions registered {milliseconds:6.1} ms, {} {LOADING} ms",
            FATBINS * FUNCTIONS,
            verdict(milliseconds < LOADING)
        );
        println!("the first launch of one of them         {:8.1} ms", first.as_secs_f64() * 1e3);
        println!("all of them taken back                  {:8.1} ms", removed.as_secs_f64() * 1e3);
    }
}
