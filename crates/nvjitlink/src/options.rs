//! Parses the options of a link, and accepts what NVIDIA's library accepts (`tests/golden/nvjitlink`). Most affect machine
//! code, which we do not make; those that the compiler needs go to NVIDIA's library.

use ptxvm_isa::{Suffix, Target};

use crate::log::Log;
use crate::result::{Answer, JitResult};

/// Options that stand alone.
const FLAGS: [&str; 14] = [
    "-lto",
    "-dlto",
    "-ptx",
    "-r",
    "-g",
    "-lineinfo",
    "-time",
    "-verbose",
    "-optimize-unused-variables",
    "-no-cache",
    "--no-cache",
    "-no-opt",
    "-fast-compile",
    "-disable-smem-reserve",
];

/// Options with a value, which is a number, a name or a word of another tool's.
const VALUED: [&str; 12] = [
    "-maxrregcount",
    "-ftz",
    "-prec-div",
    "-prec-sqrt",
    "-fma",
    "-kernels-used",
    "-variables-used",
    "-Xptxas",
    "-Xnvvm",
    "-jump-table-density",
    "-uidx",
    "--device-stack-protector",
];

/// Options with a number of threads.
const THREADS: [&str; 2] = ["-split-compile", "-split-compile-extended"];

/// How much a compiler may leave undone, under both names.
const FAST_COMPILE: [&str; 2] = ["-Ofc", "--Ofast-compile"];

/// The architectures that CUDA 13 makes code for, and those that it did once.
const ARCHITECTURES: [u16; 12] = [75, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, 121];
const FORMER: [u16; 12] = [30, 32, 35, 37, 50, 52, 53, 60, 61, 62, 70, 72];

/// What a link is to do.
#[derive(Clone, Debug)]
pub struct Options {
    /// What is linked for.
    pub target: Target,
    /// Code for link-time optimisation is taken.
    pub lto: bool,
    /// The result is PTX.
    pub ptx: bool,
    /// The result will be linked again.
    pub relocatable: bool,
    /// The most registers of a thread; 0 for no limit.
    pub max_registers: u32,
    /// All of them as they were given.
    pub words: Vec<String>,
}

impl Options {
    /// Reads the options.
    ///
    /// # Errors
    /// Which are wrong; the log says why.
    pub fn parse(words: Vec<String>, log: &mut Log) -> Answer<Self> {
        let has = |name: &str| words.iter().any(|word| word == name);
        let (lto, ptx) = (has("-lto") || has("-dlto"), has("-ptx"));
        let relocatable = has("-r");
        let mut arch = None;
        let mut max_registers = 0;
        for word in &words {
            match word.split_once('=') {
                Some(("-arch", value)) => arch = Some(architecture(value, log)?),
                Some((name, value)) => {
                    check(word, name, value, log)?;
                    if name == "-maxrregcount" {
                        max_registers = value.parse().unwrap_or(0);
                    }
                }
                None if FLAGS.contains(&word.as_str()) => {}
                None => level(word, log)?,
            }
        }
        let (target, real) = arch.ok_or(JitResult::MISSING_ARCH)?;
        if ptx && !lto {
            log.add("ERROR: -ptx requires -lto");
            return Err(JitResult::INCOMPATIBLE_OPTIONS);
        }
        if !real && !ptx {
            log.add("ERROR: virtual arch requires -ptx");
            return Err(JitResult::INCOMPATIBLE_OPTIONS);
        }
        Ok(Self { target, lto, ptx, relocatable, max_registers, words })
    }
}

/// An option with a value.
fn check(word: &str, name: &str, value: &str, log: &mut Log) -> Answer {
    let known = VALUED.contains(&name) || THREADS.contains(&name) || FAST_COMPILE.contains(&name);
    if !known {
        return unrecognized(word, log);
    }
    if value.is_empty() {
        return missing_value(word, log);
    }
    if THREADS.contains(&name) && value.starts_with('-') {
        log.add(&format!("argument for {name} must be non-negative."));
        return Err(JitResult::UNRECOGNIZED_OPTION);
    }
    if FAST_COMPILE.contains(&name) && !["0", "min", "mid", "max"].contains(&value) {
        log.add(&format!(
            "unsupported value of --Ofast-compile (-Ofc): {value}. Only 0, min, mid, and max are supported."
        ));
        return Err(JitResult::UNRECOGNIZED_OPTION);
    }
    Ok(())
}

/// `-O0` or `-O3`.
fn level(word: &str, log: &mut Log) -> Answer {
    let level = word.strip_prefix("-O").and_then(|digits| digits.parse::<u32>().ok());
    match level {
        Some(0 | 3) => Ok(()),
        Some(level) => {
            log.add(&format!("unsupported value of -O: {level}. Only 0 and 3 are supported."));
            Err(JitResult::UNRECOGNIZED_OPTION)
        }
        None => unrecognized(word, log),
    }
}

/// The target that a value of `-arch` names, and whether it is a real one. A letter that the architecture does not have
/// means nothing to NVIDIA's library.
fn architecture(value: &str, log: &mut Log) -> Answer<(Target, bool)> {
    let prefixes = [("sm_", true), ("compute_", false), ("lto_", false)];
    let named = prefixes.iter().find_map(|(prefix, real)| Some((value.strip_prefix(prefix)?, *real)));
    let Some((name, real)) = named.filter(|(name, _)| !name.is_empty()) else {
        return missing_value(&format!("-arch={value}"), log).and(Err(JitResult::UNRECOGNIZED_OPTION));
    };
    let digits = name.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let sm: u16 = digits.parse().unwrap_or(0);
    if ARCHITECTURES.contains(&sm) {
        let target = Target::parse(&format!("sm_{name}")).unwrap_or(Target { sm, suffix: Suffix::Plain });
        return Ok((target, real));
    }
    let (result, what, name) = if FORMER.contains(&sm) {
        (JitResult::UNSUPPORTED_ARCH, "unsupported", "UNSUPPORTED")
    } else {
        (JitResult::UNRECOGNIZED_ARCH, "unrecognized", "UNRECOGNIZED")
    };
    log.add(&format!("ERROR NVJITLINK_ERROR_{name}_ARCH: {what} architecture (compute_{digits})"));
    Err(result)
}

fn unrecognized(word: &str, log: &mut Log) -> Answer {
    log.add(&format!("unrecognized option: {word}"));
    Err(JitResult::UNRECOGNIZED_OPTION)
}

fn missing_value(word: &str, log: &mut Log) -> Answer {
    log.add(&format!("ERROR NVJITLINK_ERROR_UNRECOGNIZED_OPTION: missing option value ({word})"));
    Err(JitResult::UNRECOGNIZED_OPTION)
}
