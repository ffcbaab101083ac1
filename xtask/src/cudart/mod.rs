//! `cargo xtask clients cudart`: CUDA C++ programs of our own (`tests/cudart`), compiled by nvcc from PyPI and run with our
//! libcudart. What they print is compared with `tests/cudart/expected`. And our libcudart's answers to right and wrong calls
//! are compared with those of an H200's (`tests/cudart/answers.py`).
//!
//! nvcc is installed once into `target/clients/cuda`, at the versions of `tests/cudart/requirements.txt`.

mod page;

use std::path::{Path, PathBuf};
use std::process::Command;

/// A program, how it is compiled, and what it must print.
struct Program {
    /// Its name here.
    name: &'static str,
    sources: &'static [&'static str],
    options: &'static [&'static str],
    /// The file of `expected` with its output.
    expected: &'static str,
    /// Whether what `--stats` says of its launches follows, without the figures.
    stats: bool,
}

/// Linked with `libcudart.so`, its code as PTX.
const SHARED: &[&str] = &["-cudart", "shared", "-gencode", "arch=compute_90,code=compute_90"];
/// With NVIDIA's management library, of which ours is linked.
const NVML: &[&str] = &["-cudart", "shared", "-arch=compute_90", "-lnvidia_ml"];
/// As nvcc does it if it is told nothing: the runtime is carried inside. `-L` finds ours first.
const STATIC: &[&str] = &["-gencode", "arch=compute_90,code=compute_90"];
/// Machine code and PTX side by side, as most programs have them.
const BOTH: &[&str] = &["-cudart", "shared", "-gencode", "arch=compute_90,code=[sm_90,compute_90]"];

const fn program(name: &'static str, sources: &'static [&'static str]) -> Program {
    Program { name, sources, options: SHARED, expected: name, stats: false }
}

const PROGRAMS: &[Program] = &[
    program("launch", &["launch.cu"]),
    program("streams", &["streams.cu"]),
    program("memory", &["memory.cu"]),
    program("textures", &["textures.cu"]),
    program("graphs", &["graphs.cu"]),
    program("device", &["device.cu"]),
    program("errors", &["errors.cu"]),
    program("bad", &["bad.cu"]),
    program("attack", &["attack.cu"]),
    program("cub", &["cub.cu"]),
    program("versions", &["versions.cu"]),
    Program { options: NVML, ..program("nvml", &["nvml.cu"]) },
    Program { stats: true, ..program("ranges", &["ranges.cu"]) },
    Program { options: STATIC, ..program("launch", &["launch.cu"]) },
    Program { options: BOTH, ..program("memory", &["memory.cu"]) },
    Program {
        options: &["-cudart", "shared", "-arch=compute_90", "-default-stream", "per-thread"],
        ..program("streams", &["streams.cu"])
    },
    Program {
        options: &["-cudart", "shared", "-arch=sm_90", "-rdc=true"],
        ..program("parts", &["parts.cu", "parts2.cu"])
    },
    // Not for the device's own architecture: any PTX serves that the device can run.
    Program { options: &["-cudart", "shared", "-arch=compute_75"], ..program("memory", &["memory.cu"]) },
    // An RPATH to NVIDIA's own library, which `ptxvm exec` comes before.
    Program {
        options: &[
            "-cudart",
            "shared",
            "-arch=compute_90",
            "-Xlinker",
            "--disable-new-dtags,-rpath=$CUDA/lib",
        ],
        ..program("graphs", &["graphs.cu"])
    },
];

/// Compiles and runs all programs.
pub fn run(root: &Path) -> Result<(), String> {
    let cuda = install(root)?;
    let built = root.join("target/clients/cudart");
    std::fs::create_dir_all(&built).map_err(|e| format!("{}: {e}", built.display()))?;
    let mut failed = Vec::new();
    for program in PROGRAMS {
        let said = format!("{} ({})", program.name, program.options.join(" "));
        match program.passes(root, &cuda, &built) {
            Ok(()) => println!("{said}: ok"),
            Err(why) => {
                println!("{said}: {why}");
                failed.push(said);
            }
        }
    }
    failed.extend(page::run(root, &cuda, &built)?);
    match answers(root) {
        Ok(figures) => println!("answers: {figures}"),
        Err(why) => {
            println!("answers: {why}");
            failed.push("answers".to_owned());
        }
    }
    if failed.is_empty() { Ok(()) } else { Err(format!("CUDA C++ programs failed: {}", failed.join(", "))) }
}

/// Asks our libcudart what an H200's was asked, and compares; gives the figures.
fn answers(root: &Path) -> Result<String, String> {
    let mut exec = Command::new(root.join("target/ci/ptxvm"));
    // One question is what a kernel's fault leaves behind.
    exec.args(["exec", "--status", "command", "--findings", "ignore", "--timeout", "900s", "--", "python3"]);
    exec.args(["answers.py", "compare", "answers.jsonl", "answers.different"])
        .current_dir(root.join("tests/cudart"));
    let ran = exec.output().map_err(|e| format!("ptxvm: {e}"))?;
    let printed = String::from_utf8_lossy(&ran.stdout);
    match (ran.status.success(), printed.trim().lines().last()) {
        (true, Some(figures)) => Ok(figures.to_owned()),
        _ => Err(format!("{}\n{printed}{}", ran.status, String::from_utf8_lossy(&ran.stderr))),
    }
}

/// Builds and runs NVIDIA's cuda-samples from a checkout of them, those with `pattern` in their paths.
pub fn samples(root: &Path, checkout: &Path, pattern: &str) -> Result<(), String> {
    let cuda = install(root)?;
    let mut command = Command::new("python3");
    command.arg(root.join("tests/cudart/samples/run.py")).arg(checkout).arg(&cuda);
    command.args([root.join("target/ci"), root.join("target/clients/samples")]).arg(pattern);
    let status = command.status().map_err(|e| format!("python3: {e}"))?;
    if status.success() { Ok(()) } else { Err(format!("cuda-samples: {status}")) }
}

/// The folder of nvcc, its headers and libraries.
fn install(root: &Path) -> Result<PathBuf, String> {
    let folder = root.join("target/clients/cuda");
    let requirements = root.join("tests/cudart/requirements.txt");
    let read = |path: &Path| std::fs::read_to_string(path).map_err(|e| format!("{}: {e}", path.display()));
    let wanted = read(&requirements)?;
    let cuda = folder.join("nvidia/cu13");
    // The stamp is written last, so that an interrupted installation is not taken for a whole one.
    let stamp = folder.join("installed.txt");
    if read(&stamp).is_ok_and(|installed| installed == wanted) {
        return Ok(cuda);
    }
    println!("$ pip install -r tests/cudart/requirements.txt (once, about 500 MB, into target/clients/cuda)");
    let _ = std::fs::remove_dir_all(&folder);
    let pip = ["-m", "pip", "install", "--quiet", "--disable-pip-version-check", "--no-deps", "--target"];
    let mut command = Command::new("python3");
    command.args(pip).arg(&folder).arg("-r").arg(&requirements);
    output(&mut command)?;
    // Programs are linked with `-lcudart`, a name that the package has not.
    let link = cuda.join("lib/libcudart.so");
    std::os::unix::fs::symlink("libcudart.so.13", &link).map_err(|e| format!("{}: {e}", link.display()))?;
    std::fs::write(&stamp, wanted).map_err(|e| format!("{}: {e}", stamp.display()))?;
    Ok(cuda)
}

impl Program {
    /// Compiles and runs it, and compares what it prints.
    fn passes(&self, root: &Path, cuda: &Path, built: &Path) -> Result<(), String> {
        let tests = root.join("tests/cudart");
        let binary = built.join(self.name);
        let mut nvcc = Command::new(cuda.join("bin/nvcc"));
        nvcc.args(self.options.iter().map(|option| option.replace("$CUDA", &cuda.to_string_lossy())));
        nvcc.arg("-L").arg(root.join("target/ci")).arg("-o").arg(&binary);
        nvcc.args(self.sources.iter().map(|source| tests.join(source)));
        output(&mut nvcc)?;
        let mut exec = Command::new(root.join("target/ci/ptxvm"));
        // The programs provoke findings on purpose and look at them themselves.
        exec.args(["exec", "--status", "command", "--timeout", "100s"]);
        exec.args(self.stats.then_some("--stats")).arg("--").arg(binary).current_dir(built);
        let printed = printed(&mut exec, self.stats)?;
        let expected = tests.join("expected").join(self.expected).with_extension("txt");
        let expected =
            std::fs::read_to_string(&expected).map_err(|e| format!("{}: {e}", expected.display()))?;
        let differs = printed.lines().zip(expected.lines()).find(|(printed, expected)| printed != expected);
        match differs {
            Some((printed, expected)) => Err(format!("it printed `{printed}` and not `{expected}`")),
            None if printed.lines().count() != expected.lines().count() => {
                Err(format!("it printed {} lines", printed.lines().count()))
            }
            None => Ok(()),
        }
    }
}

/// What a command prints; its errors if it fails.
fn output(command: &mut Command) -> Result<String, String> {
    printed(command, false)
}

/// The same, and what `--stats` has said of each launch: its kernel and grid, and the ranges that it was in.
fn printed(command: &mut Command, stats: bool) -> Result<String, String> {
    let program = command.get_program().to_string_lossy().into_owned();
    let ran = command.output().map_err(|e| format!("{program}: {e}"))?;
    if ran.status.success() {
        let said = String::from_utf8_lossy(&ran.stderr);
        let launches = said.lines().filter_map(|line| line.strip_prefix("ptxvm: ")?.split_once(" block "));
        let launches = launches.filter(|_| stats).map(|(launch, rest)| {
            let ranges = rest.split_once(", in range").map(|(_, ranges)| format!(" in range{ranges}"));
            format!("{launch}{}\n", ranges.unwrap_or_default())
        });
        return Ok(String::from_utf8_lossy(&ran.stdout).into_owned() + &launches.collect::<String>());
    }
    Err(format!("{program} ended with {}\n{}", ran.status, String::from_utf8_lossy(&ran.stderr)))
}
