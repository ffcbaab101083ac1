//! The options of `ptxvm run`, and how a launch line and the command line become one.

use std::time::Duration;

use clap::{Args, ValueEnum};

use ptxvm_host::Wanted;
use ptxvm_vm::{Asynchrony, Mma, Unit};

use crate::check::{Color, Format};
use crate::mistakes::Policy;

#[derive(Args)]
pub struct Arguments {
    /// The PTX file to run; `-` is standard input
    pub file: String,
    #[command(flatten)]
    pub launch: Launch,
    /// Let the file's launch line read and write files (`@file`, `--save`)
    #[arg(long)]
    pub trust_launch_line: bool,
    /// What to do about a mistake that an H200 survives, such as a read a little out of bounds: stop, report it and go on
    /// as silicon does, or go on without a word [default: stop]
    #[arg(long, value_enum, value_name = "HOW")]
    pub findings: Option<Policy>,
    /// Count what the kernel did and show it
    #[arg(long, value_enum, value_name = "FORM", num_args = 0..=1, require_equals = true, default_missing_value = "human")]
    pub stats: Option<Form>,
    /// Tell what happens that orders memory: fences, asynchronous copies, mbarriers, ends of CTAs; a line for each
    /// on standard error, or an object with --format json
    #[arg(long)]
    pub events: bool,
    /// Check ptxvm itself: that every byte that the kernel changes is one that its instructions are said to write
    #[arg(long, hide = true)]
    pub audit: bool,
    /// How to show results and findings
    #[arg(long, value_enum, default_value_t = Form::Human)]
    pub format: Form,
    /// Show this many values of each buffer
    #[arg(long, value_name = "N", default_value_t = 8)]
    pub show: usize,
    /// Show no table of results and no progress
    #[arg(long, short)]
    pub quiet: bool,
    /// When to colour the output
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

/// What may stand in a launch line too.
#[derive(Args, Clone, Debug, Default)]
pub struct Launch {
    /// The kernel to launch, if the file has several
    #[arg(long, value_name = "NAME")]
    pub entry: Option<String>,
    /// CTAs in each dimension: X, X,Y or X,Y,Z [default: 1]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dimensions)]
    pub grid: Option<[u32; 3]>,
    /// Threads of a CTA in each dimension [default: the kernel's .reqntid, or 1]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dimensions)]
    pub block: Option<[u32; 3]>,
    /// CTAs of a cluster in each dimension [default: the kernel's .reqnctapercluster, or no clusters]
    #[arg(long, value_name = "X[,Y[,Z]]", value_parser = dimensions)]
    pub cluster: Option<[u32; 3]>,
    /// Bytes of dynamic shared memory (48k, 0x400) [default: 0]
    #[arg(long, value_name = "BYTES", value_parser = bytes)]
    pub shared: Option<u32>,
    /// An argument, in the order of the parameters: 42, f32:1.5, 'f32[64,64]=iota' (zeros, ones, rand, rand(SEED),
    /// a number, a list, @FILE), @x.npy, hex:01ff, 'tensormap(#0, box [32,8])' for a map of the first parameter's
    /// buffer, 'texture(f32[4,4]=iota, filter linear)' and 'surface(u8[4,4])' for their handles; or NAME=ARG for the
    /// parameter of that name
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    pub arg: Vec<String>,
    /// What a .texref, .samplerref or .surfref variable stands for: NAME='texture(…)', 'sampler(…)' or 'surface(…)'
    #[arg(long, value_name = "NAME=WHAT")]
    pub bind: Vec<String>,
    /// The device to be: h200 (default), h100, b200, a100 …
    #[arg(long, value_name = "NAME")]
    pub device: Option<String>,
    /// Chooses among the orders that PTX leaves open; 0 is the plain order [default: 0]
    #[arg(long, value_name = "N")]
    pub seed: Option<u64>,
    /// When asynchronous copies complete: at once, as late as the program allows, or as the seed decides
    /// [default: seeded]
    #[arg(long = "async", value_name = "WHEN", value_enum)]
    pub asynchrony: Option<When>,
    /// The arithmetic of matrix instructions: exact (the device's bits), fast, or a generation's: volta, turing, ampere,
    /// ada, hopper, blackwell, blackwell-rtx [default: exact]
    #[arg(long, value_name = "HOW", value_parser = mma)]
    pub mma: Option<Mma>,
    /// Host threads that run CTAs; 0 is one for each core. More than one may reorder what PTX leaves unordered
    /// [default: 1]
    #[arg(long, value_name = "N")]
    pub threads: Option<usize>,
    /// Write a buffer after the run, as .npy, .png or raw bytes by the file's ending; NAME may be the parameter's
    /// index from 0
    #[arg(long, value_name = "NAME=FILE")]
    pub save: Vec<String>,
    /// Stop after so many warp instructions (10M, 1e9)
    #[arg(long, value_name = "N", value_parser = count)]
    pub max_instructions: Option<u64>,
    /// Stop after so long (10s, 500ms, 2min)
    #[arg(long, value_name = "TIME", value_parser = duration)]
    pub timeout: Option<Duration>,
    /// Take at most so much of this machine's memory for what files and kernels ask for (512M, 8G); a launch line may
    /// only lower it [default: three quarters of what is free]
    #[arg(long, value_name = "SIZE", value_parser = ptxvm_host::parse)]
    pub max_memory: Option<u64>,
    /// The device's memory [default: the real device's, or seven eighths of --max-memory if that is less]
    #[arg(long, value_name = "SIZE", value_parser = ptxvm_host::parse)]
    pub memory: Option<u64>,
}

/// When asynchronous operations complete.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum When {
    /// At once
    Eager,
    /// Only when the program waits for them, or nothing else can run
    Lazy,
    /// At a time that the seed decides
    Seeded,
}

impl From<When> for Asynchrony {
    fn from(when: When) -> Asynchrony {
        match when {
            When::Eager => Asynchrony::Eager,
            When::Lazy => Asynchrony::Lazy,
            When::Seeded => Asynchrony::Seeded,
        }
    }
}

/// The arithmetic of matrix instructions by its name.
pub fn mma(name: &str) -> Result<Mma, String> {
    let generations = || Unit::ALL.map(Unit::name).join(", ");
    Mma::from_name(name).ok_or_else(|| format!("expected exact, fast or one of {}", generations()))
}

/// A form for results.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// For people
    Human,
    /// One JSON object a line, on standard output
    Json,
}

impl From<Form> for Format {
    fn from(form: Form) -> Format {
        match form {
            Form::Human => Format::Human,
            Form::Json => Format::Json,
        }
    }
}

impl Launch {
    /// What is said of memory here.
    pub fn wanted(&self) -> Wanted {
        Wanted { memory: self.memory, max_memory: self.max_memory }
    }

    /// This command line over a launch line: what it says counts, what it leaves open is taken from `line`.
    ///
    /// A launch line for another entry than the one asked for is of no use. One argument by position replaces
    /// them all, since positions would no longer mean the same; arguments by name are appended, and the last of a
    /// name counts.
    pub fn over(self, line: Option<Launch>) -> Launch {
        let Some(line) = line else { return self };
        if self.entry.is_some() && line.entry.is_some() && self.entry != line.entry {
            return self;
        }
        let by_name_only = self.arg.iter().all(|a| name_of(a).is_some());
        Launch {
            entry: self.entry.or(line.entry),
            grid: self.grid.or(line.grid),
            block: self.block.or(line.block),
            cluster: self.cluster.or(line.cluster),
            shared: self.shared.or(line.shared),
            arg: if by_name_only { [line.arg, self.arg].concat() } else { self.arg },
            bind: [line.bind, self.bind].concat(),
            device: self.device.or(line.device),
            seed: self.seed.or(line.seed),
            asynchrony: self.asynchrony.or(line.asynchrony),
            mma: self.mma.or(line.mma),
            threads: self.threads.or(line.threads),
            save: [line.save, self.save].concat(),
            max_instructions: self.max_instructions.or(line.max_instructions),
            timeout: self.timeout.or(line.timeout),
            // See `share`: a launch line has no say in what it may take.
            max_memory: self.max_memory,
            memory: self.memory,
        }
    }
}

/// The parameter that an argument names (`n=42`) and the rest; `f32[4]=1` names none.
pub fn name_of(argument: &str) -> Option<(&str, &str)> {
    let (name, value) = argument.split_once('=')?;
    let is_name = |c: char| c.is_ascii_alphanumeric() || matches!(c, '_' | '$' | '%');
    (!name.is_empty() && name.chars().all(is_name)).then_some((name, value))
}

fn dimensions(text: &str) -> Result<[u32; 3], String> {
    let mut result = [1; 3];
    let parts: Vec<&str> = text.split([',', 'x']).collect();
    if parts.len() > 3 {
        return Err("there are three dimensions at most".to_owned());
    }
    for (to, part) in result.iter_mut().zip(parts) {
        let part = part.trim().replace('_', "");
        *to = part.parse().map_err(|_| format!("`{part}` is no number of 32 bits; write X, X,Y or X,Y,Z"))?;
    }
    Ok(result)
}

fn bytes(text: &str) -> Result<u32, String> {
    let wrong = || format!("`{text}` is no number of bytes; write 1024, 48k or 0xc000");
    let (digits, unit) = match text.strip_suffix(['k', 'K']) {
        Some(digits) => (digits, 1024),
        None => (text, 1),
    };
    let number = match digits.strip_prefix("0x") {
        Some(hex) => u32::from_str_radix(hex, 16).ok(),
        None => digits.replace('_', "").parse().ok(),
    };
    number.and_then(|n| n.checked_mul(unit)).ok_or_else(wrong)
}

pub fn count(text: &str) -> Result<u64, String> {
    let wrong = || format!("`{text}` is no count; write 1000000, 10M or 1e9");
    let (digits, unit) = match text.char_indices().next_back() {
        Some((at, 'k' | 'K')) => (&text[..at], 1e3),
        Some((at, 'M')) => (&text[..at], 1e6),
        Some((at, 'G')) => (&text[..at], 1e9),
        _ => (text, 1.0),
    };
    if let (Ok(number), 1.0) = (digits.replace('_', "").parse(), unit) {
        return Ok(number);
    }
    match digits.parse::<f64>() {
        Ok(number) if number >= 0.0 && number * unit <= 1.8e19 => Ok((number * unit).round() as u64),
        _ => Err(wrong()),
    }
}

pub fn duration(text: &str) -> Result<Duration, String> {
    let wrong = || format!("`{text}` is no time; write 10s, 500ms or 2min");
    let at = text.find(|c: char| c.is_ascii_alphabetic()).unwrap_or(text.len());
    let (digits, unit) = text.split_at(at);
    let unit = match unit {
        "" | "s" => 1.0,
        "ms" => 1e-3,
        "us" => 1e-6,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return Err(wrong()),
    };
    let number: f64 = digits.trim().parse().map_err(|_| wrong())?;
    Duration::try_from_secs_f64(number * unit).map_err(|_| wrong())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_units() {
        assert_eq!(dimensions("4,2"), Ok([4, 2, 1]));
        assert_eq!(dimensions("16x16x4"), Ok([16, 16, 4]));
        assert_eq!(bytes("48k"), Ok(49152));
        assert_eq!(bytes("0x400"), Ok(1024));
        assert_eq!(count("10M"), Ok(10_000_000));
        assert_eq!(count("1e9"), Ok(1_000_000_000));
        assert_eq!(count("18446744073709551615"), Ok(u64::MAX));
        assert_eq!(duration("500ms"), Ok(Duration::from_millis(500)));
        assert_eq!(duration("1.5"), Ok(Duration::from_millis(1500)));
        assert!(dimensions("4,").is_err() && dimensions("-1").is_err() && dimensions("1,1,1,1").is_err());
        assert!(bytes("4G").is_err() && bytes("").is_err() && bytes("4194304k").is_err());
        assert!(
            count("ten").is_err() && count("-1").is_err() && count("1e30").is_err() && count("").is_err()
        );
        assert!(duration("-1s").is_err() && duration("1 year").is_err() && duration("1e300h").is_err());
    }

    #[test]
    fn the_command_line_counts_more() {
        let line = Launch {
            grid: Some([8, 1, 1]),
            arg: vec!["1".into(), "2".into()],
            seed: Some(5),
            ..Launch::default()
        };
        let named = Launch { arg: vec!["n=3".into()], grid: Some([2, 1, 1]), ..Launch::default() };
        let both = named.over(Some(line.clone()));
        assert_eq!((both.grid, both.seed), (Some([2, 1, 1]), Some(5)));
        assert_eq!(both.arg, ["1", "2", "n=3"]);
        let placed = Launch { arg: vec!["7".into()], ..Launch::default() };
        assert_eq!(placed.over(Some(line.clone())).arg, ["7"]);
        let other = Launch { entry: Some("b".into()), ..Launch::default() };
        let line = Launch { entry: Some("a".into()), ..line };
        assert_eq!(other.over(Some(line)).grid, None);
    }

    #[test]
    fn names_are_told_from_buffers() {
        assert_eq!(name_of("n=42"), Some(("n", "42")));
        assert_eq!(name_of("x=f32[4]=1"), Some(("x", "f32[4]=1")));
        assert_eq!(name_of("f32[4]=1"), None);
        assert_eq!(name_of("42"), None);
        assert_eq!(name_of("@a=b"), None);
    }
}
