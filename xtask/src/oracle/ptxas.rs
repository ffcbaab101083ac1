//! Asks ptxas for its verdict on many instructions at once.
//!
//! One run judges a whole batch: ptxas names the line of every error it finds, so the lines it names are refused;
//! the rest is tried again without them until a run is clean. A run that names no line (a crash, a refusal after
//! the front end) is split in two until the culprit is alone. A 32-bit address makes ptxas refuse the whole program,
//! unless the program also has a narrower one; then it only warns, and what it warns of counts as refused too.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use ptxvm_isa::{Language, Suffix, Target, Version};

use super::prelude;

/// What ptxas says of an instruction.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    /// Accepted.
    Accepted,
    /// Refused with an error of its front end.
    Refused,
    /// It crashed, hung, or refused without naming a line: no verdict.
    None,
}

/// The assembler and a folder for its input.
pub struct Ptxas {
    path: PathBuf,
    scratch: PathBuf,
}

/// A ptxas that has verdicts recorded. Each takes PTX up to its own version, and may judge older PTX otherwise than the one
/// before it.
#[derive(Debug)]
pub struct Release {
    /// `13.4`
    pub name: &'static str,
    /// The package that holds it.
    package: &'static str,
    /// The newest PTX that it takes.
    pub newest: Version,
}

/// Those that are asked, oldest first.
pub const RELEASES: [Release; 3] = [
    Release { name: "13.2", package: "nvidia-cuda-nvcc==13.2.86", newest: Version::new(9, 2) },
    Release { name: "13.3", package: "nvidia-cuda-nvcc==13.3.73", newest: Version::new(9, 3) },
    Release { name: "13.4", package: "nvidia-cuda-nvcc==13.4.92", newest: Version::new(9, 4) },
];

/// How ptxas begins to warn of an address of 32 bits in a program of 64.
const NARROW: &str = "Program uses 32-bit address on line '";

impl Release {
    /// The one before it.
    pub fn before(&self) -> Option<&'static Release> {
        RELEASES.iter().rev().find(|release| release.newest < self.newest)
    }
}

enum PtxasRun {
    Clean,
    Lines(Vec<usize>),
    Unclear,
}

impl Ptxas {
    /// Finds a ptxas: `$PTXAS`, or the one in `.venv`, which `pip` puts there if it is missing.
    pub fn find(root: &Path, release: &Release) -> Result<Ptxas, String> {
        let Release { name, package, .. } = *release;
        let folder = root.join(".venv").join(package);
        let installed = folder.join("nvidia/cu13/bin/ptxas");
        let path = std::env::var_os("PTXAS").map(PathBuf::from).unwrap_or(installed);
        if !path.exists() && std::env::var_os("PTXAS").is_none() {
            println!("installing {package} into {}", folder.display());
            let pip = Command::new("python3")
                .args(["-m", "pip", "install", "--quiet", "--no-deps", package, "--target"])
                .arg(&folder)
                .status();
            if !pip.is_ok_and(|status| status.success()) {
                return Err(format!("could not install {package}; set PTXAS to a ptxas {name}"));
            }
        }
        if !path.exists() {
            return Err(format!("{} is not there; set PTXAS to a ptxas {name}", path.display()));
        }
        let scratch = std::env::temp_dir().join(format!("ptxvm-oracle-{}", std::process::id()));
        std::fs::create_dir_all(&scratch).map_err(|e| format!("{}: {e}", scratch.display()))?;
        Ok(Ptxas { path, scratch })
    }

    /// The verdict on each instruction.
    pub fn judge(&self, language: Language, instructions: &[&str]) -> Result<Vec<Verdict>, String> {
        let mut verdicts = vec![Verdict::None; instructions.len()];
        for start in (0..instructions.len()).step_by(200) {
            let all: Vec<usize> = (start..instructions.len().min(start + 200)).collect();
            self.batch(language, instructions, all, &mut verdicts)?;
        }
        Ok(verdicts)
    }

    fn batch(
        &self,
        language: Language,
        instructions: &[&str],
        mut left: Vec<usize>,
        verdicts: &mut [Verdict],
    ) -> Result<(), String> {
        while !left.is_empty() {
            let texts: Vec<&str> = left.iter().map(|&i| instructions[i]).collect();
            match self.run(language, &texts)? {
                PtxasRun::Clean => {
                    left.iter().for_each(|&i| verdicts[i] = Verdict::Accepted);
                    return Ok(());
                }
                PtxasRun::Lines(lines) => {
                    lines.iter().for_each(|&line| verdicts[left[line]] = Verdict::Refused);
                    left.retain(|&i| verdicts[i] != Verdict::Refused);
                }
                PtxasRun::Unclear if left.len() == 1 => return Ok(()),
                PtxasRun::Unclear => {
                    let second = left.split_off(left.len() / 2);
                    self.batch(language, instructions, second, verdicts)?;
                }
            }
        }
        Ok(())
    }

    fn run(&self, language: Language, instructions: &[&str]) -> Result<PtxasRun, String> {
        let (text, first) = prelude::module(language, instructions);
        let file = self.scratch.join("tried.ptx");
        std::fs::write(&file, text).map_err(|e| format!("{}: {e}", file.display()))?;
        let log = self.scratch.join("log");
        let errors = std::fs::File::create(&log).map_err(|e| format!("{}: {e}", log.display()))?;
        let mut child = Command::new(&self.path)
            .args(["-arch", &architecture(language.target), "-O0", "-o", "/dev/null"])
            .arg(&file)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(errors)
            .spawn()
            .map_err(|e| format!("{}: {e}", self.path.display()))?;
        let started = Instant::now();
        let status = loop {
            match child.try_wait().map_err(|e| e.to_string())? {
                Some(status) => break status,
                None if started.elapsed() > Duration::from_secs(30) => {
                    child.kill().map_err(|e| e.to_string())?;
                    child.wait().map_err(|e| e.to_string())?;
                    return Ok(PtxasRun::Unclear);
                }
                None => std::thread::sleep(Duration::from_millis(2)),
            }
        };
        let log = std::fs::read(&log).map_err(|e| e.to_string())?;
        let within = |number: &str| {
            let line = number.parse::<usize>().ok()?.checked_sub(first)?;
            (line < instructions.len()).then_some(line)
        };
        let mut lines: Vec<usize> = Vec::new();
        for line in String::from_utf8_lossy(&log).lines() {
            if line.contains("Internal compiler error") {
                return Ok(PtxasRun::Unclear);
            }
            if let Some((_, rest)) = line.split_once(NARROW) {
                lines.extend(rest.split('\'').next().and_then(within));
                continue;
            }
            // Lines of ptxas's own macros (`<builtin>, line 19`) are not ours.
            let Some((_, rest)) = line.split_once("tried.ptx, line ") else { continue };
            let Some((number, rest)) = rest.split_once(';') else { continue };
            let kind = rest.trim_start();
            if !kind.starts_with("error") && !kind.starts_with("fatal") {
                continue;
            }
            lines.extend(within(number.trim()));
        }
        Ok(match status.code() {
            Some(0) if lines.is_empty() => PtxasRun::Clean,
            Some(_) if !lines.is_empty() => PtxasRun::Lines(lines),
            _ => PtxasRun::Unclear,
        })
    }
}

impl Drop for Ptxas {
    fn drop(&mut self) {
        // The scratch folder holds nothing worth a complaint if it cannot be removed.
        let _ = std::fs::remove_dir_all(&self.scratch);
    }
}

/// The `-arch` that judges modules of a target: they know sm_75 and later, and take older modules with that.
fn architecture(target: Target) -> String {
    if target.sm < 75 { Target { sm: 75, suffix: Suffix::Plain }.to_string() } else { target.to_string() }
}
