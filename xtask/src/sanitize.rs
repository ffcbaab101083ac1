//! `cargo xtask sanitize`: runs tests under one of the compiler's sanitizers, or in Miri, to check what `unsafe` code does.
//!
//! Sanitizers are options of the nightly compiler, but the stable one has their runtimes too and takes the options with
//! `RUSTC_BOOTSTRAP`. The cfg `sanitized` replaces inline assembly, which no sanitizer can look into, by plain accesses. It
//! also tells AddressSanitizer which bytes around a guest's memory nobody may touch (`crates/memory/src/slack.rs`).

use std::path::Path;
use std::process::Command;

/// The sanitizers need a target by name, so that build scripts and macros are built without them.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Blocks of the host's heap lie as near to one another as the sanitizer can have them, as they do without it. Leaks are
/// not looked for: a driver library keeps what it has until the process ends.
const ADDRESS: &str = "redzone=16:max_redzone=16:detect_leaks=0:allocator_may_return_null=1:exitcode=99";

/// What runs in Miri, each with its words for `cargo test`. Not the tests of where allocations lie: Miri has no other
/// process to ask, and gives addresses of its own.
const MIRI: &[&[&str]] = &[
    &["-p", "ptxvm-memory", "--lib"],
    &["-p", "ptxvm-memory", "--test", "access", "--test", "atomic", "--test", "budget", "--test", "explain"],
    &["-p", "ptxvm-memory", "--test", "global", "--test", "lent", "--test", "row"],
    &["-p", "ptxvm-memory", "--test", "threads", "--test", "windows"],
    &["-p", "ptxvm-num", "--lib", "--test", "matrix"],
    &["-p", "ptxvm-ir", "--lib", "--test", "address_words"],
    &["-p", "ptxvm-machine", "--lib", "--test", "descriptor"],
];

/// Tests read files, and device addresses are exposed addresses of the process. Guest memory is read and written by
/// atomics of several sizes, which Miri's emulation of weak memory cannot follow (it ends with an error of its own).
const MIRI_FLAGS: &str =
    "-Zmiri-disable-isolation -Zmiri-permissive-provenance -Zmiri-disable-weak-memory-emulation";

/// For `machine`, whose crew and watchdog are threads that wait for a further launch when the tests end. Miri takes them for
/// a leak.
const MIRI_WITH_THREADS: &str = "-Zmiri-ignore-leaks";

/// For `num`, whose `unsafe` code is the vector instructions of matrix products: the processor that Miri plays has AVX2. Of
/// AVX-512 Miri lacks some; the code for that is the same with other instructions.
const MIRI_WITH_VECTORS: &str = "-Ctarget-feature=+avx2,+fma,+bmi1,+bmi2,+lzcnt,+popcnt,+f16c";

/// One way to build and run.
struct Build<'a> {
    sanitizer: &'a str,
    /// Its own folder in `target/sanitize`.
    folder: &'a str,
    flags: String,
    /// Options of the environment's variable of that name.
    options: (&'a str, &'a str),
    /// Whether the standard library is built with the sanitizer too.
    with_std: bool,
}

/// Runs the tests of one sanitizer; `None` if there is none of this name. What follows the name goes to the tests, as a
/// filter of their names.
pub fn command(root: &Path, arguments: &[&str]) -> Option<Result<(), String>> {
    match arguments {
        ["address", filter @ ..] => Some(address(root, filter)),
        ["thread", filter @ ..] => Some(thread(root, filter)),
        ["miri", filter @ ..] => Some(miri(root, filter)),
        _ => None,
    }
}

/// Every program of `tests/run` and every kernel that an H200 has answered for, with the vector loops that the host has and
/// without those of AVX-512, and the fuzzers of descriptors and images.
fn address(root: &Path, filter: &[&str]) -> Result<(), String> {
    let tests: [&[&str]; 4] = [
        &["-p", "ptxvm", "--test", "programs"],
        &["-p", "ptxvm-vm", "--test", "golden"],
        &["-p", "xtask", "descriptors_at_the_edge"],
        &["-p", "ptxvm-cuda", "--test", "image_fuzz"],
    ];
    let mut failed = Vec::new();
    for (folder, level) in [("address", ""), ("address-without-avx512", " --cfg no_avx512")] {
        let build = Build {
            sanitizer: "address",
            folder,
            flags: format!(r#"--cfg sanitized --cfg sanitized="address"{level}"#),
            options: ("ASAN_OPTIONS", ADDRESS),
            with_std: false,
        };
        failed.extend(tests.into_iter().filter_map(|tests| build.run(root, tests, filter).err()));
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

/// The tests that load the driver library and call it, many of them from several threads.
///
/// The sanitizer takes what it does not see for a race: the standard library's locks have to be built with it, from the
/// sources that `rustup component add rust-src` brings.
fn thread(root: &Path, filter: &[&str]) -> Result<(), String> {
    let build = Build {
        sanitizer: "thread",
        folder: "thread",
        flags: "--cfg sanitized".into(),
        options: ("TSAN_OPTIONS", "exitcode=99"),
        with_std: true,
    };
    build.run(root, &["-p", "ptxvm-cuda"], filter)
}

/// The tests of `memory`, and those parts of the tests of `num`, `ir` and `machine` that are short: Miri is
/// some thousand times slower than a processor. It knows neither inline assembly nor most calls of the system; the cfg
/// `miri` puts plain code in their place.
fn miri(root: &Path, filter: &[&str]) -> Result<(), String> {
    let there = Command::new("cargo").args(["+nightly", "miri", "--version"]).output();
    if !there.is_ok_and(|output| output.status.success()) {
        return Err(
            "Miri is not installed: `rustup toolchain install nightly --component miri,rust-src`".into()
        );
    }
    let mut failed = Vec::new();
    for tests in MIRI {
        let keeps_threads = tests.contains(&"ptxvm-machine");
        let flags = [MIRI_FLAGS, if keeps_threads { MIRI_WITH_THREADS } else { "" }].join(" ");
        let vectors = if tests.contains(&"ptxvm-num") { MIRI_WITH_VECTORS } else { "" };
        let words = [*tests, filter].concat().join(" ");
        println!("$ RUSTFLAGS='{vectors}' MIRIFLAGS='{flags}' cargo +nightly miri test {words}");
        // Not the cargo that runs this: rustup's, which knows other toolchains.
        let status = Command::new("cargo")
            .args(["+nightly", "miri", "test", "--no-fail-fast", "--target-dir"])
            .arg(root.join("target/sanitize/miri"))
            .args(*tests)
            .args(filter)
            .env("MIRIFLAGS", flags)
            .env("RUSTFLAGS", vectors)
            .current_dir(root)
            .status()
            .map_err(|e| format!("cargo: {e}"))?;
        if !status.success() {
            failed.push(format!("tests failed in Miri ({status}): {}", tests.join(" ")));
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(failed.join("\n")) }
}

impl Build<'_> {
    fn run(&self, root: &Path, tests: &[&str], filter: &[&str]) -> Result<(), String> {
        let folder = root.join("target/sanitize").join(self.folder);
        // The tests load our library, which looks for the sanitizer in the program that loads it.
        let flags = format!("-Zsanitizer={} -Clink-arg=-rdynamic {}", self.sanitizer, self.flags);
        println!("$ RUSTFLAGS='{flags}' cargo test {} {}", tests.join(" "), filter.join(" "));
        let status = Command::new(env!("CARGO"))
            .args(["test", "--profile", "ci", "--no-fail-fast", "--target", TARGET, "--target-dir"])
            .arg(folder)
            .args(self.with_std.then_some("-Zbuild-std"))
            .args(tests)
            .arg("--")
            .args(filter)
            .env("RUSTC_BOOTSTRAP", "1")
            .env("RUSTFLAGS", flags)
            .env(self.options.0, self.options.1)
            .current_dir(root)
            .status()
            .map_err(|e| format!("cargo: {e}"))?;
        match status.success() {
            true => Ok(()),
            false => Err(format!("tests failed under the {} sanitizer ({status})", self.sanitizer)),
        }
    }
}
