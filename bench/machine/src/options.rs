//! What the command line asks for.

use crate::contest::Counts;

pub const HELP: &str = "\
ptxvm beside C and OpenCL on the same work, in one run.

ptxvm-bench-machine [NAME …]    only kernels whose names contain one of these
  --rounds N      turns of every contestant; their median counts [default: 5]
  --best          the fastest run counts instead, on a machine that others use
  --engine NAME   an engine of ptxvm; several are compared with each other; NAME,SWITCH=VALUE has other switches too:
                  --engine interpret --engine interpret,check=race is what the race checker costs
  --first         from the start of a process to its first result instead
  --part N        with --first: only every launch's first N-th of the grid, for results that are there soon
  --list          the names of the kernels
";

/// What to do.
#[derive(Default)]
pub struct Options {
    pub names: Vec<String>,
    pub rounds: Option<usize>,
    pub counts: Counts,
    pub engines: Vec<String>,
    pub first: bool,
    pub part: Option<usize>,
    pub list: bool,
    pub help: bool,
    /// Not for people: be a contestant with so many threads and the engine in `engines`.
    pub obey: Option<usize>,
}

impl Options {
    /// Reads the command line.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn read(words: impl Iterator<Item = String>) -> Result<Self, String> {
        let mut options = Self::default();
        let mut words = words.peekable();
        while let Some(word) = words.next() {
            match word.as_str() {
                "--rounds" => options.rounds = Some(number(words.next(), "--rounds")?),
                "--engine" => options.engines.push(words.next().ok_or("--engine needs a name")?),
                "--best" => options.counts = Counts::Least,
                "--first" => options.first = true,
                "--part" => options.part = Some(number(words.next(), "--part")?),
                "--list" => options.list = true,
                "--help" | "-h" => options.help = true,
                "--obey" => {
                    options.obey = Some(number(words.next(), "--obey")?);
                    options.engines.extend(words.next());
                }
                option if option.starts_with('-') => return Err(format!("no such option: {option}")),
                _ => options.names.push(word),
            }
        }
        if options.part.is_some() && !options.first {
            return Err("--part goes with --first".to_owned());
        }
        Ok(options)
    }

    /// Whether a kernel is asked for.
    pub fn wants(&self, name: &str) -> bool {
        self.names.is_empty() || self.names.iter().any(|wanted| name.contains(wanted.as_str()))
    }
}

fn number(word: Option<String>, of: &str) -> Result<usize, String> {
    let number = word.and_then(|w| w.parse().ok()).filter(|n| *n > 0);
    number.ok_or_else(|| format!("{of} needs a number above 0"))
}
