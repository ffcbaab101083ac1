//! `ptxvm ptxas`: a stand-in for ptxas, for programs that assemble before they load.
//!
//! It takes ptxas's options, checks the PTX as `ptxvm check` does, writes messages in ptxas's format, and makes an image
//! that holds the PTX itself. Only ptxvm's libcuda can load it.

mod assemble;
mod options;

use std::ffi::OsString;
use std::io::Write;

use assemble::{Goal, Refused, Source};
use clap::Args;
use options::Options;
use ptxvm_isa::{Target, Version};
use ptxvm_module::head::is_version;
use ptxvm_report::ptxas::ABORTED;
use ptxvm_vm::image;

use crate::exit::{self, Exit};
use crate::input;
use crate::memory::MaxMemory;

#[derive(Args)]
pub struct Arguments {
    /// ptxas's options and files
    #[arg(trailing_var_arg = true, allow_hyphen_values = true)]
    arguments: Vec<OsString>,
}

const HELP: &str = "\
ptxvm's stand-in for ptxas: checks PTX and writes an image that ptxvm's libcuda loads

Usage: ptxvm ptxas [options] FILE...

The options are those of ptxas 13.4. These have an effect:
  --gpu-name, -arch NAME    the target: sm_75 (default) to sm_121a; with compute_* and lto_* nothing is written
  --output-file, -o FILE    the image [default: elf.o]
  --compile-only, -c        functions of other modules may be missing
  --entry, -e NAME          an entry that must be there
  --input-as-string, -ias   the PTX itself, in the place of a file
  --options-file, -optf     further options from a file
  --verbose, -v             say what memory the module and its kernels take
  --disable-warnings, -w    say nothing of warnings
  --warning-as-error, -Werror
  --list-arch, --list-version, --version, --help
The others of ptxas are taken and change nothing, since no machine code is made.

Exit status: 0, or 255 if the PTX or an option is wrong, as ptxas has it; 101 is a bug in ptxvm.
";

/// Assembles; messages go to standard error as ptxas's do.
pub fn run(arguments: &Arguments) -> Exit {
    let words: Vec<String> =
        arguments.arguments.iter().map(|word| word.to_string_lossy().into_owned()).collect();
    let options = match Options::parse(&words) {
        Ok(options) => options,
        Err(why) => return fatal(&why),
    };
    if options.has("version") {
        return print(&banner());
    }
    if options.has("list-arch") {
        let lines: Vec<String> = options::plain_architectures().map(|a| format!("{a}\n")).collect();
        return print(&lines.concat());
    }
    if options.has("list-version") {
        let all = (1..=9).flat_map(|major| (0..=9).map(move |minor| Version::new(major, minor)));
        return print(&all.filter(|&v| is_version(v)).map(|v| format!("{v}\n")).collect::<String>());
    }
    // Without anything to assemble ptxas shows its options.
    if options.has("help") || (options.inputs.is_empty() && !options.has("input-as-string")) {
        return print(HELP);
    }
    match attempt(&options) {
        Ok(()) => exit::CLEAN,
        Err(code) => code,
    }
}

/// Clients look for `release 13.4` to learn which PTX they may write, and keep what they assemble under the hash of it
/// all, so that it must not be the text of another assembler.
fn banner() -> String {
    format!(
        "ptxas: ptxvm's stand-in for the PTX assembler\nptxvm {}\nCuda compilation tools, release 13.4, V13.4.92\n",
        env!("CARGO_PKG_VERSION")
    )
}

fn attempt(options: &Options) -> Result<(), Exit> {
    warn(options, &options.warnings)?;
    if let Some(wrong) = options.wrong_cache_modifier() {
        return Err(aborted(&[format!("ptxas error   : {wrong}")]));
    }
    let name = options.last("gpu-name").unwrap_or("sm_75");
    let (real, architecture) = name.split_once('_').unwrap_or_default();
    let Some(gpu) = Target::parse(&format!("sm_{architecture}")) else {
        return Err(fatal(&format!("Value '{name}' is not defined for option 'gpu-name'")));
    };
    let goal = Goal {
        gpu,
        name,
        relocatable: options.has("compile-only") || options.has("extensible-whole-program"),
        warnings: !options.has("disable-warnings"),
    };
    let assembled = assemble::assemble(&sources(options)?, &goal).map_err(|refused| match refused {
        Refused::Errors(lines) => aborted(&lines),
        Refused::Fatal(why) => fatal(&why),
        Refused::Ended(line) => {
            eprintln!("{line}");
            exit::ASSEMBLER
        }
    })?;
    let entry =
        |name: &&str| !assembled.programs.iter().any(|p| p.functions.iter().any(|f| f.name == **name));
    let whole = assembled.programs.len() == assembled.parts.len();
    if let Some(missing) = options.list("entry").find(entry).filter(|_| whole) {
        return Err(fatal(&format!("Unknown function {missing}")));
    }
    for line in &assembled.warnings {
        eprintln!("{line}");
    }
    if options.has("warning-as-error") && !assembled.warnings.is_empty() {
        return Err(aborted(&[]));
    }
    if options.has("verbose") {
        for line in assembled.programs.iter().flat_map(|p| assemble::information(p, &goal)) {
            eprintln!("ptxas info    : {line}");
        }
    }
    if real != "sm" {
        return Ok(());
    }
    let path = options.last("output-file").unwrap_or("elf.o");
    std::fs::write(path, image::encode(&assembled.parts))
        .map_err(|_| fatal(&format!("Output file '{path}' could not be opened")))
}

/// The files, and the PTX that was given in their place.
fn sources(options: &Options) -> Result<Vec<Source>, Exit> {
    let mut sources = Vec::new();
    let mut lines = Vec::new();
    if let Some(text) = options.last("input-as-string") {
        sources.push(Source {
            name: ptxvm_report::ptxas::IN_MEMORY.to_owned(),
            bytes: text.as_bytes().to_vec(),
        });
    }
    let budget = MaxMemory::default().budget();
    for path in &options.inputs {
        match input::read(path, &budget, input::CHECKED) {
            Ok(input) => sources.push(Source { name: input.name, bytes: input.bytes }),
            Err(_) => lines.push(format!("ptxas fatal   : Input file '{path}' could not be opened")),
        }
    }
    if lines.is_empty() { Ok(sources) } else { Err(aborted(&lines)) }
}

fn warn(options: &Options, warnings: &[String]) -> Result<(), Exit> {
    if options.has("warning-as-error") && !warnings.is_empty() {
        return Err(aborted(&warnings.iter().map(|w| format!("ptxas error   : {w}")).collect::<Vec<_>>()));
    }
    if !options.has("disable-warnings") {
        warnings.iter().for_each(|warning| eprintln!("ptxas warning : {warning}"));
    }
    Ok(())
}

fn fatal(why: &str) -> Exit {
    eprintln!("ptxas fatal   : {why}");
    exit::ASSEMBLER
}

fn aborted(lines: &[String]) -> Exit {
    lines.iter().for_each(|line| eprintln!("{line}"));
    eprintln!("{ABORTED}");
    exit::ASSEMBLER
}

fn print(text: &str) -> Exit {
    // A reader that has gone away is no error worth a message.
    let _ = std::io::stdout().lock().write_all(text.as_bytes());
    exit::CLEAN
}
