//! `cargo xtask sanitize`: tests under a sanitizer of the compiler's, which sees what `unsafe` code and inline assembly do
//! behind the language's back.
//!
//! Sanitizers are options of the nightly compiler, but the stable one has their runtimes too and takes the options with
//! `RUSTC_BOOTSTRAP`. The cfg `sanitized` puts plain accesses in the place of inline assembly, which no sanitizer sees
//! into, and tells AddressSanitizer of the bytes around a guest's memory that nobody may touch (`crates/memory/src/slack.rs`).

use std::path::Path;
use std::process::Command;

/// The sanitizers need a target by name, so that build scripts and macros are built without them.
const TARGET: &str = "x86_64-unknown-linux-gnu";

/// Blocks of the host's heap lie as near to one another as the sanitizer can have them, as they do without it. Leaks are
/// not looked for: a driver library keeps what it has until the process ends.
const ADDRESS: &str = "redzone=16:max_redzone=16:detect_leaks=0:allocator_may_return_null=1:exitcode=99";

/// One way to build and run.
struct Build<'a> {
    sanitizer: &'a str,
    /// Its own folder in `target/sanitize`.
    folder: &'a str,
    flags: &'a str,
    /// What cargo tests.
    tests: &'a [&'a str],
    options: (&'a str, String),
}

/// Runs the tests of one sanitizer; `None` if there is none of this name. What follows the name goes to the tests, as a
/// filter of their names.
pub fn command(root: &Path, arguments: &[&str]) -> Option<Result<(), String>> {
    match arguments {
        ["address", filter @ ..] => Some(address(root, filter)),
        ["thread", filter @ ..] => Some(thread(root, filter)),
        _ => None,
    }
}

/// Every program of `tests/run`, with the vector loops that the host has and without those of AVX-512.
fn address(root: &Path, filter: &[&str]) -> Result<(), String> {
    const SANITIZED: &str = r#"--cfg sanitized --cfg sanitized="address""#;
    for (folder, level) in [("address", ""), ("address-without-avx512", " --cfg no_avx512")] {
        let build = Build {
            sanitizer: "address",
            folder,
            flags: &format!("{SANITIZED}{level}"),
            tests: &["-p", "ptxvm", "--test", "programs"],
            options: ("ASAN_OPTIONS", ADDRESS.into()),
        };
        build.run(root, filter)?;
    }
    Ok(())
}

/// The tests that load the driver library and call it, many of them from several threads.
fn thread(root: &Path, filter: &[&str]) -> Result<(), String> {
    let suppressions = root.join("xtask/src/sanitize.suppressions");
    let options = format!("suppressions={}:exitcode=99", suppressions.display());
    let build = Build {
        sanitizer: "thread",
        folder: "thread",
        flags: "--cfg sanitized",
        tests: &["-p", "ptxvm-cuda"],
        options: ("TSAN_OPTIONS", options),
    };
    build.run(root, filter)
}

impl Build<'_> {
    fn run(&self, root: &Path, filter: &[&str]) -> Result<(), String> {
        let folder = root.join("target/sanitize").join(self.folder);
        let flags = format!("-Zsanitizer={} {}", self.sanitizer, self.flags);
        println!("$ RUSTFLAGS='{flags}' cargo test {} {}", self.tests.join(" "), filter.join(" "));
        let status = Command::new(env!("CARGO"))
            .args(["test", "--profile", "ci", "--no-fail-fast", "--target", TARGET, "--target-dir"])
            .arg(folder)
            .args(self.tests)
            .arg("--")
            .args(filter)
            .env("RUSTC_BOOTSTRAP", "1")
            .env("RUSTFLAGS", flags)
            .env(self.options.0, &self.options.1)
            .current_dir(root)
            .status()
            .map_err(|e| format!("cargo: {e}"))?;
        match status.success() {
            true => Ok(()),
            false => Err(format!("tests failed under the {} sanitizer ({status})", self.sanitizer)),
        }
    }
}
