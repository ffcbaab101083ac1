//! What a launch costs: an empty kernel through `libcuda.so`, beside what handing work to another thread costs in
//! Rust alone, in one run.
//!
//! Machines are noisy, so only the ratios count; each number is the best of several rounds.

use std::ffi::{CString, c_void};
use std::ptr::null;
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::time::{Duration, Instant};

use libloading::{Library, Symbol};

const ROUNDS: usize = 7;
const TRIPS: u32 = 2_000;
const LAUNCHES: u32 = 10_000;
/// The promise: microseconds for an empty kernel.
const LIMIT: f64 = 20.0;

const SOURCE: &str = ".version 8.0\n.target sm_80\n.address_size 64\n
.visible .entry empty() { ret; }\n
.visible .entry eight(.param .u64 a, .param .u64 b, .param .u64 c, .param .u64 d,
                      .param .u32 e, .param .u32 f, .param .f32 g, .param .f64 h) { ret; }\n";

type Handle = u64;
type Launch = unsafe extern "C" fn(
    Handle,
    u32,
    u32,
    u32,
    u32,
    u32,
    u32,
    u32,
    Handle,
    *const *const c_void,
    *const *const c_void,
) -> u32;

/// The few entry points that are needed.
struct Driver {
    launch: Launch,
    synchronize: unsafe extern "C" fn(Handle) -> u32,
    empty: Handle,
    eight: Handle,
    stream: Handle,
    _library: Library,
}

impl Driver {
    fn load(path: &str) -> Self {
        // SAFETY: the library is ours, and the types are those of the driver API.
        unsafe {
            let library = Library::new(path).unwrap_or_else(|error| panic!("{path}: {error}"));
            fn get<'a, T>(library: &'a Library, name: &str) -> Symbol<'a, T> {
                // SAFETY: as above.
                unsafe { library.get(name.as_bytes()) }.unwrap_or_else(|error| panic!("{name}: {error}"))
            }
            let init: Symbol<unsafe extern "C" fn(u32) -> u32> = get(&library, "cuInit");
            let create: Symbol<unsafe extern "C" fn(*mut Handle, u32, i32) -> u32> =
                get(&library, "cuCtxCreate_v2");
            let load: Symbol<unsafe extern "C" fn(*mut Handle, *const c_void) -> u32> =
                get(&library, "cuModuleLoadData");
            let find: Symbol<unsafe extern "C" fn(*mut Handle, Handle, *const i8) -> u32> =
                get(&library, "cuModuleGetFunction");
            let stream: Symbol<unsafe extern "C" fn(*mut Handle, u32) -> u32> =
                get(&library, "cuStreamCreate");
            let launch = *get::<Launch>(&library, "cuLaunchKernel");
            let synchronize = *get::<unsafe extern "C" fn(Handle) -> u32>(&library, "cuStreamSynchronize");
            let (mut context, mut module, mut made) = (0, 0, 0);
            good("cuInit", init(0));
            good("cuCtxCreate", create(&mut context, 0, 0));
            let source = CString::new(SOURCE).expect("no zeros");
            good("cuModuleLoadData", load(&mut module, source.as_ptr().cast()));
            let function = |name: &str| {
                let (mut function, name) = (0, CString::new(name).expect("no zeros"));
                good("cuModuleGetFunction", find(&mut function, module, name.as_ptr().cast()));
                function
            };
            good("cuStreamCreate", stream(&mut made, 1));
            let (empty, eight) = (function("empty"), function("eight"));
            Self { launch, synchronize, empty, eight, stream: made, _library: library }
        }
    }

    fn launch(&self, function: Handle, stream: Handle, parameters: *const *const c_void) {
        // SAFETY: the parameters are those of the kernel.
        let result = unsafe { (self.launch)(function, 1, 1, 1, 32, 1, 1, 0, stream, parameters, null()) };
        good("cuLaunchKernel", result);
    }

    fn synchronize(&self, stream: Handle) {
        // SAFETY: the stream is there.
        good("cuStreamSynchronize", unsafe { (self.synchronize)(stream) });
    }
}

fn good(what: &str, result: u32) {
    assert_eq!(result, 0, "{what} failed");
}

/// Microseconds of one of `count`, the best of some rounds.
fn best(count: u32, mut round: impl FnMut() -> Duration) -> f64 {
    (0..ROUNDS).map(|_| round().as_secs_f64() * 1e6 / f64::from(count)).fold(f64::INFINITY, f64::min)
}

/// A message to another thread and its answer.
fn channels() -> f64 {
    let (to, from) = mpsc::channel::<()>();
    let (back, answer) = mpsc::channel::<()>();
    let thread = std::thread::spawn(move || from.iter().for_each(|()| back.send(()).expect("a listener")));
    let time = best(TRIPS, || {
        let began = Instant::now();
        for _ in 0..TRIPS {
            to.send(()).expect("a listener");
            answer.recv().expect("an answer");
        }
        began.elapsed()
    });
    drop(to);
    thread.join().expect("the thread ends");
    time
}

/// The same with a lock and a condition, which always sleep.
fn condition() -> f64 {
    let turn = Arc::new((Mutex::new(0u32), Condvar::new()));
    let other = Arc::clone(&turn);
    let last = 2 * TRIPS * ROUNDS as u32;
    let play = |turn: &(Mutex<u32>, Condvar), mine: u32, until: u32| {
        let mut state = turn.0.lock().expect("no panic");
        while *state < until {
            if *state % 2 == mine {
                *state += 1;
                turn.1.notify_one();
            } else {
                state = turn.1.wait(state).expect("no panic");
            }
        }
    };
    let thread = std::thread::spawn(move || play(&other, 1, last));
    let mut until = 0;
    let time = best(TRIPS, || {
        until += 2 * TRIPS;
        let began = Instant::now();
        play(&turn, 0, until);
        began.elapsed()
    });
    thread.join().expect("the thread ends");
    time
}

fn main() {
    let built = concat!(env!("CARGO_MANIFEST_DIR"), "/../../target/release/libcuda.so").to_owned();
    let driver = Driver::load(&std::env::args().nth(1).unwrap_or(built));
    let (longs, integers, float, double) = ([1u64, 2, 3, 4], [5u32, 6], 7f32, 8f64);
    let parameters: [*const c_void; 8] = [
        (&raw const longs[0]).cast(),
        (&raw const longs[1]).cast(),
        (&raw const longs[2]).cast(),
        (&raw const longs[3]).cast(),
        (&raw const integers[0]).cast(),
        (&raw const integers[1]).cast(),
        (&raw const float).cast(),
        (&raw const double).cast(),
    ];
    let trip = |function, stream, parameters| {
        best(TRIPS, || {
            let began = Instant::now();
            for _ in 0..TRIPS {
                driver.launch(function, stream, parameters);
                driver.synchronize(stream);
            }
            began.elapsed()
        })
    };
    // The first launches start the stream's thread.
    trip(driver.empty, driver.stream, null());
    let channel = channels();
    let condition = condition();
    let call = best(TRIPS, || {
        let mut calls = Duration::ZERO;
        for _ in 0..TRIPS {
            let began = Instant::now();
            driver.launch(driver.empty, driver.stream, null());
            calls += began.elapsed();
            driver.synchronize(driver.stream);
        }
        calls
    });
    let many = best(LAUNCHES, || {
        let began = Instant::now();
        (0..LAUNCHES).for_each(|_| driver.launch(driver.empty, driver.stream, null()));
        driver.synchronize(driver.stream);
        began.elapsed()
    });
    let cold = best(20, || {
        let mut trips = Duration::ZERO;
        for _ in 0..20 {
            // The stream's thread has gone to sleep.
            std::thread::sleep(Duration::from_millis(2));
            let began = Instant::now();
            driver.launch(driver.empty, driver.stream, null());
            driver.synchronize(driver.stream);
            trips += began.elapsed();
        }
        trips
    });
    let rows = [
        ("hand-off and back, channels", channel),
        ("hand-off and back, condition variable", condition),
        ("the call of cuLaunchKernel alone", call),
        ("launch and cuStreamSynchronize", trip(driver.empty, driver.stream, null())),
        ("  with eight parameters", trip(driver.eight, driver.stream, parameters.as_ptr())),
        ("  on the default stream", trip(driver.empty, 0, null())),
        ("  after two idle milliseconds", cold),
        ("one of 10,000 launches, then synchronize", many),
    ];
    println!("{:44} {:>9} {:>14} {:>14}", "an empty kernel", "us", "of channels", "of condition");
    for (what, time) in rows {
        println!("{what:44} {time:9.2} {:14.2} {:14.2}", time / channel, time / condition);
    }
    let worst = rows[2..6].iter().chain(&rows[7..]).map(|(_, time)| *time).fold(0.0, f64::max);
    println!(
        "the dearest of a busy stream's launches takes {worst:.2} us: {} the promised {LIMIT} us",
        if worst < LIMIT { "under" } else { "OVER" }
    );
}
