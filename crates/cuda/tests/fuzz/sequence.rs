//! One sequence of calls, in the process that runs it.
#![allow(
    clippy::print_stderr,
    reason = "the calls before a crash are wanted, and nothing is captured of a crash"
)]
#![allow(unsafe_code)]

use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use libloading::Library;

use crate::arguments::{Arg, Arguments, Kind};
use crate::calls::{CALLS, Call};

/// Whether every call is written to standard error before it is made.
pub const LOGGED: &str = "PTXVM_FUZZ_LOGGED";

/// The only size of physical memory that the calls get.
const MAPPED: u64 = 2 << 20;

/// In the C calling conventions of our hosts a function may be called with more arguments than it takes.
type Function = unsafe extern "C" fn(u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64, u64) -> u32;

/// The call that is being made, for the watchdog.
static MADE: AtomicU64 = AtomicU64::new(0);

/// Of so many sequences one is made by several threads.
const SHARED: u64 = 4;
/// How many they are.
const THREADS: u64 = 3;

/// Runs a sequence and checks what is left.
pub fn run(library: &Path, seed: u64, calls: u64) {
    // SAFETY: loading the library runs no code of its own.
    let library = unsafe { Library::new(library) }.expect("the library can be loaded");
    let logged = std::env::var_os(LOGGED).is_some_and(|v| !v.is_empty());
    let mut fuzz = Fuzz { library: &library, arguments: Arguments::new(seed), logged };
    watch();
    fuzz.open();
    let others = if seed.is_multiple_of(SHARED) { 1..THREADS } else { 0..0 };
    std::thread::scope(|scope| {
        let each = calls / (1 + others.end.saturating_sub(others.start));
        for other in others {
            let arguments = fuzz.arguments.share(seed.wrapping_add(other << 32));
            let mut fuzz = Fuzz { library: &library, arguments, logged };
            scope.spawn(move || fuzz.calls(each));
        }
        fuzz.calls(each);
    });
    fuzz.close();
}

/// One thread of a sequence.
struct Fuzz<'a> {
    library: &'a Library,
    arguments: Arguments,
    logged: bool,
}

impl Fuzz<'_> {
    fn calls(&mut self, count: u64) {
        for _ in 0..count {
            let call = &CALLS[self.arguments.random.below(CALLS.len() as u64) as usize];
            self.make(call);
            if self.arguments.random.below(40) == 0 {
                self.open();
            }
        }
    }

    fn call(&self, name: &str, values: &[u64]) -> u32 {
        let mut padded = [0; 12];
        padded[..values.len()].copy_from_slice(values);
        let [a, b, c, d, e, f, g, h, i, j, k, l] = padded;
        MADE.fetch_add(1, Ordering::Relaxed);
        if self.logged {
            let shown: Vec<String> = values.iter().map(|v| format!("{v:#x}")).collect();
            eprintln!("{name}({})", shown.join(", "));
        }
        // SAFETY: the symbol is an entry point of the driver API; the arguments are what the API allows a program to
        // pass, wrong values among them, and every pointer to host memory is null or one of ours.
        let result = unsafe {
            let function = self.library.get::<Function>(name.as_bytes()).expect("the entry point is there");
            function(a, b, c, d, e, f, g, h, i, j, k, l)
        };
        if self.logged {
            eprintln!("  {name} -> {result}");
        }
        result
    }

    /// The name of a call, or sometimes that of its variant for programs whose default stream is the thread's own.
    fn variant(&mut self, name: &str) -> String {
        let variant = format!("{name}{}", self.arguments.random.pick(&["", "", "", "", "_ptsz", "_ptds"]));
        // SAFETY: the symbol is only looked for.
        let known = unsafe { self.library.get::<Function>(variant.as_bytes()) }.is_ok();
        if known { variant } else { name.to_owned() }
    }

    fn make(&mut self, call: &Call) {
        let values: Vec<u64> = call.1.iter().map(|arg| self.arguments.value(*arg)).collect();
        let name = self.variant(call.0);
        let result = self.call(&name, &values);
        assert!(known(result), "{name} answered {result}, which is no CUresult");
        // A link of names that do not go together is answered so, too.
        assert!(result != 999 || name == "cuLinkComplete", "{name} met a bug of ours");
        if result == 0 {
            for (arg, value) in call.1.iter().zip(&values) {
                match arg {
                    // What is gone is mostly forgotten, or most handles would soon be stale.
                    Arg::Of(kind) if is_end(call.0) && self.arguments.random.below(8) != 0 => {
                        self.arguments.forget(*kind, *value);
                    }
                    Arg::Out(kind) if *value != 0 => self.arguments.keep(*kind, *value),
                    Arg::Structure(shape) if call.0.starts_with("cuGraphAdd") => {
                        self.arguments.keep_told(*shape, *value);
                    }
                    _ => {}
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
        // A context that a fault has made unusable is not used again.
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

    /// Destroys every context and gives back what belongs to none; then no device memory is in use.
    fn close(&mut self) {
        let mut slot = 0u64;
        let to = &raw mut slot as u64;
        while self.call("cuCtxPopCurrent_v2", &[to]) == 0 {}
        for context in self.arguments.all(Kind::Context) {
            self.call("cuCtxDestroy_v2", &[context]);
        }
        self.call("cuDevicePrimaryCtxReset_v2", &[0]);
        assert_eq!(self.call("cuCtxCreate_v2", &[to, 0, 0]), 0, "a new context can be made");
        let ends = [
            ("cuGraphExecDestroy", Kind::Exec),
            ("cuGraphDestroy", Kind::Graph),
            // Memory of pools and of launches that have left it.
            ("cuMemFree_v2", Kind::Device),
            ("cuLibraryUnload", Kind::Library),
            ("cuMemRelease", Kind::Generic),
        ];
        for (name, kind) in ends {
            for value in self.arguments.all(kind) {
                self.call(name, &[value]);
            }
        }
        for range in self.arguments.all(Kind::Range) {
            self.call("cuMemUnmap", &[range, MAPPED]);
        }
        let (mut free, mut total) = (0u64, 0u64);
        assert_eq!(self.call("cuMemGetInfo_v2", &[&raw mut free as u64, &raw mut total as u64]), 0);
        assert_eq!(total - free, 0, "bytes of device memory are in use though every context is gone");
    }
}

/// Ends the process when one call takes too long.
fn watch() {
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

/// Whether a call ends what its argument names. A free in the order of a stream names the stream, too, which stays.
fn is_end(name: &str) -> bool {
    let one = ["Destroy", "Unload", "cuMemFree_v2", "cuMemFreeHost", "cuMemAddressFree"];
    one.iter().any(|end| name.contains(end))
}

fn known(result: u32) -> bool {
    matches!(result, 0..=8 | 34..=47 | 100..=102 | 200..=227 | 300..=304 | 400..=402 | 500 | 600 | 700..=721 | 800..=812 | 900..=919 | 999)
}
