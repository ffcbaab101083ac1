//! One sequence of calls, in the process that runs it.

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use libloading::Library;

use crate::arguments::{Arg, Arguments, Kind};
use crate::calls::{CALLS, Call};

/// Whether every call is written to standard error before it is made.
pub const LOGGED: &str = "PTXVM_FUZZ_LOGGED";

/// In the C calling conventions of our hosts a function may be called with more arguments than it takes.
type Function = unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64) -> u32;

/// The call that is being made, for the watchdog.
static MADE: AtomicU64 = AtomicU64::new(0);

/// Runs a sequence and checks what is left.
pub fn run(library: &Path, seed: u64, calls: u64) {
    // SAFETY: loading the library runs no code of its own.
    let library = unsafe { Library::new(library) }.expect("the library can be loaded");
    let mut fuzz = Fuzz {
        library,
        arguments: Arguments::new(seed),
        logged: std::env::var_os(LOGGED).is_some_and(|v| !v.is_empty()),
    };
    fuzz.watch();
    fuzz.open();
    for _ in 0..calls {
        let call = &CALLS[fuzz.arguments.random.below(CALLS.len() as u64) as usize];
        fuzz.make(call);
        if fuzz.arguments.random.below(40) == 0 {
            fuzz.open();
        }
    }
    fuzz.close();
}

struct Fuzz {
    library: Library,
    arguments: Arguments,
    logged: bool,
}

impl Fuzz {
    fn call(&self, name: &str, values: &[u64]) -> u32 {
        let mut padded = [0; 12];
        padded[..values.len()].copy_from_slice(values);
        let [a, b, c, d, e, f, g, h, i, j, k, l] = padded;
        // SAFETY: the symbol is an entry point of the driver API; the arguments are what the API allows a program to
        // pass, wrong values among them, and every pointer to host memory is null or one of ours.
        unsafe {
            let function = self.library.get::<Function>(name.as_bytes()).expect("the entry point is there");
            function(a, b, c, d, e, f, g, h, i, j, k, l)
        }
    }

    fn make(&mut self, call: &Call) {
        let values: Vec<u64> = call.1.iter().map(|arg| self.arguments.value(*arg)).collect();
        if self.logged {
            eprintln!(
                "{}({})",
                call.0,
                values.iter().map(|v| format!("{v:#x}")).collect::<Vec<_>>().join(", ")
            );
        }
        MADE.fetch_add(1, Ordering::Relaxed);
        let result = self.call(call.0, &values);
        if self.logged {
            eprintln!("  -> {result}");
        }
        assert!(known(result), "{} answered {result}, which is no CUresult", call.0);
        assert_ne!(result, 999, "{} met a bug of ours", call.0);
        if result == 0 {
            for (arg, value) in call.1.iter().zip(&values) {
                if let (Arg::Out(kind), true) = (arg, *value != 0) {
                    self.arguments.keep(*kind, *value);
                }
            }
        }
    }

    /// Makes sure that there is something to work with: a context, a module, memory, a stream.
    fn open(&mut self) {
        let device = 0u64;
        let mut slot = 0u64;
        let to = &raw mut slot as u64;
        self.call("cuInit", &[0]);
        // A context that a fault has made unusable is left behind.
        if self.call("cuCtxSynchronize", &[]) != 0 && self.call("cuCtxCreate_v2", &[to, 0, device]) == 0 {
            self.arguments.keep(Kind::Context, to);
        }
        let plain: [(&str, Kind, &[Arg]); 4] = [
            ("cuModuleLoadData", Kind::Module, &[Arg::Out(Kind::Module), Arg::Image]),
            ("cuMemAlloc_v2", Kind::Device, &[Arg::Out(Kind::Device), Arg::Bytes]),
            ("cuStreamCreate", Kind::Stream, &[Arg::Out(Kind::Stream), Arg::Null]),
            (
                "cuModuleGetFunction",
                Kind::Function,
                &[Arg::Out(Kind::Function), Arg::Of(Kind::Module), Arg::Name],
            ),
        ];
        for (name, _, arguments) in plain {
            self.make(&(name, arguments));
        }
    }

    /// Gives back what belongs to no context, destroys every context; then no device memory is in use.
    fn close(&mut self) {
        let mut slot = 0u64;
        let to = &raw mut slot as u64;
        let ends = [
            ("cuGraphExecDestroy", Kind::Exec),
            ("cuGraphDestroy", Kind::Graph),
            ("cuMemFree_v2", Kind::Device),
            ("cuLibraryUnload", Kind::Library),
            ("cuMemRelease", Kind::Generic),
        ];
        self.open();
        for (name, kind) in ends {
            for value in self.arguments.all(kind) {
                self.call(name, &[value]);
            }
        }
        while self.call("cuCtxPopCurrent_v2", &[to]) == 0 {
            self.call("cuCtxDestroy_v2", &[slot]);
        }
        for context in self.arguments.all(Kind::Context) {
            self.call("cuCtxDestroy_v2", &[context]);
        }
        self.call("cuDevicePrimaryCtxReset_v2", &[0]);
        assert_eq!(self.call("cuCtxCreate_v2", &[to, 0, 0]), 0, "a new context can be made");
        let (mut free, mut total) = (0u64, 0u64);
        assert_eq!(self.call("cuMemGetInfo_v2", &[&raw mut free as u64, &raw mut total as u64]), 0);
        assert_eq!(total - free, 0, "bytes of device memory are in use though every context is gone");
    }

    /// Ends the process when one call takes too long.
    fn watch(&self) {
        std::thread::spawn(|| {
            loop {
                let before = MADE.load(Ordering::Relaxed);
                std::thread::sleep(Duration::from_secs(30));
                if MADE.load(Ordering::Relaxed) == before {
                    eprintln!("a call has not returned for half a minute");
                    std::process::exit(3);
                }
            }
        });
    }
}

fn known(result: u32) -> bool {
    matches!(result, 0..=8 | 34..=47 | 100..=102 | 200..=227 | 300..=304 | 400..=402 | 500 | 600 | 700..=721 | 800..=812 | 900..=919 | 999)
}
