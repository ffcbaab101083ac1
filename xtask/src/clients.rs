//! `cargo xtask clients`: real programs from PyPI run on our libcuda.so.1 (`tests/clients`).
//!
//! They are installed once into `target/clients/venv`, at the versions of `tests/clients/requirements.txt`, and run
//! under `ptxvm exec`, as a user runs them. `--checkout` runs the tests in the sources of Dr.Jit and Taichi.

use std::collections::VecDeque;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

const USAGE: &str = "cargo xtask clients [--all] [--report] [--engine ENGINE|both] [triton] [cuda-python] [tools] [tinygrad] [drjit] [taichi] [numba] [cudart]\n       \
                     cargo xtask clients drjit|taichi|cudart --checkout PATH [PATTERN]";

/// The suites and their names, in the order in which they run.
const SUITES: [&str; 8] = ["triton", "cuda-python", "tools", "tinygrad", "drjit", "taichi", "numba", CUDART];

/// CUDA C++ programs, which need nvcc and no Python packages.
const CUDART: &str = "cudart";

/// The engines that `ptxvm exec --engine` knows.
const ENGINES: [&str; 3] = ["auto", "interpret", "compile"];

/// What `--engine` takes besides: the usual one, and then the compiled one.
const BOTH: &str = "both";

/// Those whose own tests are in a checkout of their sources, not in what PyPI has.
const FROM_CHECKOUTS: [&str; 2] = ["drjit", "taichi"];

/// One run of a suite.
struct ClientRun {
    suite: &'static str,
    device: &'static str,
    /// The tensor cores that `ptxvm exec --mma` names; without, the device's own.
    mma: Option<&'static str>,
    /// The marker of the tests that run; without, all do.
    only: Option<&'static str>,
    /// The engine that `ptxvm exec --engine` names; without, the usual one, which compiles what runs long.
    engine: Option<&'static str>,
    /// What `ptxvm exec --findings` is told. A reduction of Dr.Jit's reads past its shared memory, and Taichi's
    /// functions perform atomics on local memory through generic addresses; an H200 survives both.
    findings: &'static str,
}

/// A run of a whole suite with nothing special.
const fn on(device: &'static str, suite: &'static str) -> ClientRun {
    ClientRun { suite, device, mma: None, only: None, engine: None, findings: "stop" }
}

const fn reporting(run: ClientRun) -> ClientRun {
    ClientRun { findings: "report", ..run }
}

/// An H200's answers for an A100's PTX are known, so that the A100 runs with an H200's tensor cores, too.
const RUNS: &[ClientRun] = &[
    on("h200", "triton"),
    ClientRun { mma: Some("hopper"), ..on("a100", "triton") },
    ClientRun { only: Some("tensor_cores"), ..on("a100", "triton") },
    on("b200", "triton"),
    on("h200", "cuda-python"),
    on("h200", "tools"),
    on("h200", "tinygrad"),
    reporting(on("h200", "drjit")),
    reporting(on("h200", "taichi")),
    on("h200", "numba"),
];

/// Runs the suites named, or all, several at once over the cores. `--all` also runs what takes long: every test of Numba's.
/// `--report` lets kernels go on after mistakes that an H200 survives. `--engine compile` has every kernel compiled: what
/// clients launch is short, so that else little of it is.
pub fn run(root: &Path, arguments: &[&str]) -> Result<(), String> {
    if arguments.contains(&"--checkout") {
        return checkout(root, arguments);
    }
    let (mut all, mut report, mut engines, mut named) = (false, false, vec![None], Vec::new());
    let mut arguments = arguments.iter().copied();
    while let Some(argument) = arguments.next() {
        match argument {
            "--all" => all = true,
            "--report" => report = true,
            "--engine" => {
                let name = arguments.next();
                let engine = ENGINES.into_iter().find(|engine| name == Some(engine));
                engines = if name == Some(BOTH) { vec![None, Some("compile")] } else { vec![engine] };
                (name == Some(BOTH) || engine.is_some()).then_some(()).ok_or(USAGE)?;
            }
            name if SUITES.contains(&name) => named.push(name),
            _ => return Err(USAGE.into()),
        }
    }
    build(root)?;
    // What CUDA C++ programs launch is short: the engine matters to the others.
    let cudart = engines.contains(&None) && (named.is_empty() || named.contains(&CUDART));
    let wanted = |run: &&ClientRun| named.is_empty() || named.contains(&run.suite);
    let findings = |run: &ClientRun| if report { "report" } else { run.findings };
    let runs: VecDeque<ClientRun> = engines
        .iter()
        .flat_map(|&engine| {
            RUNS.iter().filter(wanted).map(move |run| ClientRun { findings: findings(run), engine, ..*run })
        })
        .collect();
    let mut failed = std::thread::scope(|scope| {
        let programs = cudart.then(|| scope.spawn(|| crate::cudart::run(root)));
        let failed = match runs.is_empty() {
            true => Ok(Vec::new()),
            false => environment(root).and_then(|python| at_once(runs, |run| run.passes(root, &python, all))),
        };
        let ended = programs.map(|programs| programs.join().unwrap_or_else(|_| Err("it panicked".into())));
        let wrong = ended.and_then(Result::err).map(|why| format!("{CUDART} ({why})"));
        failed.map(|failed| failed.into_iter().chain(wrong).collect::<Vec<String>>())
    })?;
    failed.sort();
    ended(&failed)
}

/// Makes several runs at once, one for each core, since most of a suite is one thread's work, and gives the names of those
/// that fail.
fn at_once(
    runs: VecDeque<ClientRun>,
    passes: impl Fn(&ClientRun) -> Result<bool, String> + Sync,
) -> Result<Vec<String>, String> {
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    let (runs, failed) = (Mutex::new(runs), Mutex::new(Ok(Vec::new())));
    let next = || runs.lock().unwrap_or_else(PoisonError::into_inner).pop_front();
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                while let Some(run) = next() {
                    let passed = passes(&run);
                    let mut failed = failed.lock().unwrap_or_else(PoisonError::into_inner);
                    match (passed, &mut *failed) {
                        (Ok(false), Ok(names)) => names.push(run.name()),
                        (Err(why), Ok(_)) => *failed = Err(why),
                        _ => {}
                    }
                }
            });
        }
    });
    failed.into_inner().unwrap_or_else(PoisonError::into_inner)
}

fn ended(failed: &[String]) -> Result<(), String> {
    if failed.is_empty() { Ok(()) } else { Err(format!("client tests failed: {}", failed.join(", "))) }
}

/// Runs the tests that a client's own sources have, from a checkout of them (`tests/clients/checkout`); for `cudart`,
/// NVIDIA's cuda-samples (`tests/cudart/samples`).
fn checkout(root: &Path, arguments: &[&str]) -> Result<(), String> {
    let [client, "--checkout", path, rest @ ..] = arguments else { return Err(USAGE.into()) };
    let pattern = match rest {
        [] => "",
        [pattern] => *pattern,
        _ => return Err(USAGE.into()),
    };
    let path = std::path::absolute(path).map_err(|e| format!("{path}: {e}"))?;
    if *client == CUDART {
        build(root)?;
        return crate::cudart::samples(root, &path, pattern);
    }
    if !FROM_CHECKOUTS.contains(client) {
        return Err(USAGE.into());
    }
    let python = environment(root)?;
    build(root)?;
    let mut command = Command::new(root.join("target/ci/ptxvm"));
    // Both have kernels with mistakes that an H200 survives (docs/clients).
    command.args(["exec", "--status", "command", "--findings", "report", "--"]).arg(python);
    command.arg(root.join("tests/clients/checkout/run.py")).arg(client).arg(path).args(["--only", pattern]);
    succeeds(&mut command)
}

/// The Python of the virtual environment, which is made anew when the requirements have changed.
fn environment(root: &Path) -> Result<PathBuf, String> {
    let folder = root.join("target/clients");
    let requirements = root.join("tests/clients/requirements.txt");
    let python = folder.join("venv/bin/python");
    let wanted =
        std::fs::read_to_string(&requirements).map_err(|e| format!("{}: {e}", requirements.display()))?;
    // The stamp is written last, so that an interrupted installation is not taken for a whole one.
    let stamp = folder.join("installed.txt");
    if python.exists() && std::fs::read_to_string(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(python);
    }
    println!("$ pip install -r tests/clients/requirements.txt (once, about 2 GB, into target/clients)");
    let _ = std::fs::remove_dir_all(folder.join("venv"));
    std::fs::create_dir_all(&folder).map_err(|e| format!("{}: {e}", folder.display()))?;
    let installed = succeeds(Command::new("python3").args(["-m", "venv"]).arg(folder.join("venv")))
        .and_then(|()| {
            let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "-r"];
            succeeds(Command::new(&python).args(pip).arg(&requirements))
        })
        .and_then(|()| {
            // The wheel has no tests, the source distribution has.
            let pip = ["-m", "pip", "download", "--quiet", "--no-deps", "--no-binary", ":all:"];
            succeeds(Command::new(&python).args(pip).arg("tinygrad==0.14.0").arg("--dest").arg(&folder))
        });
    installed.map_err(|e| {
        format!(
            "The clients could not be installed ({e}). The client tests need Python 3.11 or newer with `venv`, a C compiler \
             (for Triton), and PyPI once; `cargo xtask test --without-clients` runs everything else."
        )
    })?;
    std::fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(python)
}

fn build(root: &Path) -> Result<(), String> {
    let mut arguments = vec!["build", "--profile", "ci"];
    let packages =
        ["ptxvm", "ptxvm-cuda", "ptxvm-cudart", "ptxvm-cudart-static", "ptxvm-nvjitlink", "ptxvm-nvml"];
    arguments.extend(packages.iter().flat_map(|package| ["-p", package]));
    println!("$ cargo {}", arguments.join(" "));
    succeeds(Command::new(env!("CARGO")).args(arguments).current_dir(root))
}

impl ClientRun {
    fn name(&self) -> String {
        let mma = self.mma.map_or(String::new(), |mma| format!(" with the tensor cores of {mma}"));
        let only = self.only.map_or(String::new(), |only| format!(" (only {only})"));
        let engine = self.engine.map_or(String::new(), |engine| format!(", {engine}"));
        format!("{} on {}{mma}{only}{engine}", self.suite, self.device)
    }

    /// Whether it passes.
    fn passes(&self, root: &Path, python: &Path, all: bool) -> Result<bool, String> {
        let tests = root.join("tests/clients");
        let mut command = Command::new(root.join("target/ci/ptxvm"));
        // The tests provoke findings on purpose and look at them themselves.
        command.args(["exec", "--status", "command", "--device", self.device, "--findings", self.findings]);
        command.args(self.mma.iter().flat_map(|mma| ["--mma", mma]));
        command.args(self.engine.iter().flat_map(|engine| ["--engine", engine]));
        command.arg("--").arg(python).current_dir(root);
        // Triton keeps what it has compiled for the next run.
        command.env("TRITON_CACHE_DIR", root.join("target/clients/triton"));
        command.env("PTXVM_TEST_ARCHIVES", root.join("target/clients"));
        match self.suite {
            "numba" => {
                command.arg(tests.join("numba/run.py"));
                if all {
                    command.arg("--all");
                } else if self.engine == Some("compile") {
                    // Compiling every kernel takes long, and the other run has had more of each class.
                    command.arg("--each-class=2");
                }
            }
            _ => {
                let pytest = ["-m", "pytest", "-q", "--tb=short", "-p", "no:cacheprovider", "--timeout=300"];
                command.args(pytest).args(self.only.iter().flat_map(|only| ["-m", only]));
                command.arg(tests.join(self.suite.replace('-', "_")));
            }
        }
        println!("$ ptxvm exec: {} …", self.name());
        let start = Instant::now();
        // Several go on at once: what each says is shown in one piece.
        let output = command.output().map_err(|e| format!("ptxvm exec: {e}"))?;
        let mut out = std::io::stdout().lock();
        let told =
            [&b"\n"[..], &output.stdout, &output.stderr].into_iter().try_for_each(|text| out.write_all(text));
        let (name, status, took) = (self.name(), output.status, start.elapsed().as_secs_f32());
        let told = told.and_then(|()| writeln!(out, "{name}: {status} after {took:.0} s"));
        told.map_err(|e| format!("cannot write: {e}"))?;
        Ok(status.success())
    }
}

fn succeeds(command: &mut Command) -> Result<(), String> {
    match command.status() {
        Ok(status) if status.success() => Ok(()),
        Ok(status) => Err(format!("{} ended with {status}", command.get_program().to_string_lossy())),
        Err(e) => Err(format!("{}: {e}", command.get_program().to_string_lossy())),
    }
}
