//! The options of `ptxvm run`, and how a launch line and the command line become one.

use clap::{Args, ValueEnum};

use super::show::Show;
use crate::check::{Color, Format};
use crate::seeds::Seeds;
use crate::switches::{OfFile, OfRun, Switches};

#[derive(Args)]
pub struct Arguments {
    /// The PTX file to run; `-` is standard input
    pub file: String,
    #[command(flatten)]
    pub launch: Launch,
    /// Let the file's launch line read and write files (`@file`, `--save`)
    #[arg(long)]
    pub trust_launch_line: bool,
    #[command(flatten)]
    pub switches: Switches<OfRun>,
    /// Run once for each of these seeds (0..64: from 0 to 63), several at once over the cores, or over --threads; tell each
    /// finding once with the seeds that show it, and the first seed whose results differ from those of the first
    #[arg(long, value_name = "FROM..TO", value_parser = Seeds::parse)]
    #[arg(conflicts_with_all = ["seed", "events", "single_steps", "audit", "explain_order"])]
    pub seeds: Option<Seeds>,
    /// Count what the kernel did and show it
    #[arg(long, value_enum, value_name = "FORM", num_args = 0..=1, require_equals = true, default_missing_value = "human")]
    pub stats: Option<Form>,
    /// Stop after every instruction and go on, which must change nothing; for tests
    #[arg(long, hide = true)]
    pub single_steps: bool,
    /// Check ptxvm itself: each byte that the kernel changes must be one that its instructions are known to write
    #[arg(long, hide = true)]
    pub audit: bool,
    /// Say whether the memory model orders two accesses of the run, by which chain, or what is missing. An access is a line
    /// of the file and a thread, which is the first if it is left out: 28@1:0 is line 28 by thread 0 of CTA 1; the last
    /// time that it was executed counts
    #[arg(long, value_names = ["LINE@CTA:THREAD", "LINE@CTA:THREAD"], num_args = 2)]
    pub explain_order: Vec<String>,
    /// How to show results and findings
    #[arg(long, value_enum, default_value_t = Format::Human)]
    pub format: Format,
    /// Show this many values of each buffer; with `ir`, do not run but show the program: its blocks, its loops and which
    /// values are uniform; with `llvm` or `assembly`, what the compiled engine makes of the kernel [default: 8]
    #[arg(long, value_name = "N|ir|llvm|assembly", value_parser = Show::parse, default_value = "8", hide_default_value = true)]
    pub show: Show,
    /// Show no table of results and no progress
    #[arg(long, short)]
    pub quiet: bool,
    /// When to colour the output
    #[arg(long, value_enum, default_value_t = Color::Auto)]
    pub color: Color,
}

/// The options that a launch line may have too.
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
    /// An argument, in the order of the parameters: 42, f32:1.5, 'f32[64,64]=iota' (zeros, ones, rand, uninit, rand(SEED),
    /// a number, a list, @FILE), @x.npy, hex:01ff, 'tensormap(#0, box [32,8])' for a map of the first parameter's
    /// buffer, 'texture(f32[4,4]=iota, filter linear)' and 'surface(u8[4,4])' for their handles; or NAME=ARG for the
    /// parameter of that name
    #[arg(long, value_name = "ARG", allow_hyphen_values = true)]
    pub arg: Vec<String>,
    /// What a .texref, .samplerref or .surfref variable stands for: NAME='texture(…)', 'sampler(…)' or 'surface(…)'
    #[arg(long, value_name = "NAME=WHAT")]
    pub bind: Vec<String>,
    /// Memory besides that of the arguments: NAME='u32[16]=zeros at 0x200000000000', or what a variable of the module holds
    /// at first: NAME='u32[4]=1,2,3,4'. What stands after `=` is as for --arg; without an address it lies where there is room
    #[arg(long, value_name = "NAME=WHAT[ at ADDRESS]")]
    pub map: Vec<String>,
    /// Launch all CTAs at once, as a cooperative launch does
    #[arg(long)]
    pub cooperative: bool,
    /// Allow clusters of more CTAs than every device of the architecture has (CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED)
    #[arg(long)]
    pub nonportable_cluster: bool,
    /// Write a buffer to a file after the run. The file's extension chooses .npy, .png or raw bytes; NAME is a
    /// parameter's name or its index from 0
    #[arg(long, value_name = "NAME=FILE")]
    pub save: Vec<String>,
    /// What a buffer must hold after the run: a file (.npy, or raw bytes) or a list, compared bit for bit, or with a
    /// tolerance as numpy.allclose does; else the finding is unexpected-result
    #[arg(long, value_name = "NAME=FILE[,rtol=X][,atol=X]")]
    pub expect: Vec<String>,
    #[command(flatten)]
    pub switches: Switches<OfFile>,
}

/// A format for statistics.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Form {
    /// For people
    Human,
    /// One JSON object per line, on standard output
    Json,
}

impl Launch {
    /// Merges this command line with a launch line: what the command line leaves open comes from `line`.
    ///
    /// A launch line for another entry is ignored. One argument by position replaces all of the line's, since its
    /// positions would no longer mean the same. Arguments by name are appended, and the last of a name counts.
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
            map: [line.map, self.map].concat(),
            cooperative: self.cooperative || line.cooperative,
            nonportable_cluster: self.nonportable_cluster || line.nonportable_cluster,
            save: [line.save, self.save].concat(),
            expect: [line.expect, self.expect].concat(),
            switches: self.switches.over(&line.switches),
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
        *to = part
            .parse()
            .map_err(|_| format!("`{part}` is not a number of 32 bits; write X, X,Y or X,Y,Z"))?;
    }
    Ok(result)
}

fn bytes(text: &str) -> Result<u32, String> {
    let wrong = || format!("`{text}` is not a number of bytes; write 1024, 48k or 0xc000");
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_have_units() {
        assert_eq!(dimensions("4,2"), Ok([4, 2, 1]));
        assert_eq!(dimensions("16x16x4"), Ok([16, 16, 4]));
        assert_eq!(bytes("48k"), Ok(49152));
        assert_eq!(bytes("0x400"), Ok(1024));
        assert!(dimensions("4,").is_err() && dimensions("-1").is_err() && dimensions("1,1,1,1").is_err());
        assert!(bytes("4G").is_err() && bytes("").is_err() && bytes("4194304k").is_err());
    }

    #[test]
    fn the_command_line_counts_more() {
        let line = Launch { grid: Some([8, 1, 1]), arg: vec!["1".into(), "2".into()], ..Launch::default() };
        let named = Launch { arg: vec!["n=3".into()], grid: Some([2, 1, 1]), ..Launch::default() };
        let both = named.over(Some(line.clone()));
        assert_eq!(both.grid, Some([2, 1, 1]));
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
