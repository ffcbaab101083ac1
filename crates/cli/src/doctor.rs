//! `ptxvm doctor`: what this host has for ptxvm to use, what is missing, and how to get it.

use clap::Args;
use ptxvm_host::show;
use ptxvm_vm::{EngineChoice, Profile};
use serde_json::json;

use crate::exec::library;
use crate::exit::{self, Exit};
use crate::version;

#[derive(Args)]
pub struct Arguments {
    /// Write one JSON object
    #[arg(long)]
    json: bool,
}

/// What is said of one thing.
struct Line {
    name: &'static str,
    /// What there is; if something is missing, what.
    says: String,
    /// How to get what is missing.
    remedy: Option<&'static str>,
}

/// Prints what there is. Nothing that is missing is a failure: ptxvm runs without all of it.
pub fn run(arguments: &Arguments) -> Exit {
    let lines = lines();
    if arguments.json {
        let object: serde_json::Map<_, _> = lines
            .iter()
            .map(|line| (line.name.to_owned(), json!({ "says": line.says, "remedy": line.remedy })))
            .collect();
        println!("{}", serde_json::Value::Object(object));
        return exit::CLEAN;
    }
    for Line { name, says, remedy } in lines {
        println!("{name:<8}  {says}");
        if let Some(remedy) = remedy {
            println!("{:<8}  to get it: {remedy}", "");
        }
    }
    exit::CLEAN
}

fn lines() -> Vec<Line> {
    let plain = |name, says: String| Line { name, says, remedy: None };
    let llvm = ptxvm_vm::llvm();
    let engines: Vec<&str> = EngineChoice::ALL
        .into_iter()
        .filter(|engine| llvm.is_ok() || *engine == EngineChoice::Interpret)
        .map(EngineChoice::name)
        .collect();
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    vec![
        plain("version", format!("ptxvm {}", version::text())),
        plain(
            "engine",
            format!(
                "{} (default); this host can run: {}",
                EngineChoice::default().name(),
                engines.join(", ")
            ),
        ),
        match llvm {
            Ok(llvm) => plain("llvm", format!("{} at {}", llvm.version, llvm.path.display())),
            Err(why) => Line {
                name: "llvm",
                says: why,
                remedy: Some(
                    "install a Rust toolchain (https://rustup.rs), or your system's libLLVM 15 or newer; or name one in \
                     PTXVM_LLVM",
                ),
            },
        },
        plain("vectors", ptxvm_num::level::level().name().to_owned()),
        plain("threads", format!("{threads} of this host; `--threads 0` uses all")),
        cache(),
        plain("device", format!("{} (default)", <&Profile>::default().name)),
        match library::find() {
            Ok(path) => plain("libcuda", path.display().to_string()),
            Err(_) => Line {
                name: "libcuda",
                says: "there is none beside this command, so `ptxvm exec` cannot run programs".to_owned(),
                remedy: Some("`cargo build --release -p ptxvm-cuda`"),
            },
        },
    ]
}

/// Where compiled code is kept, and what is there.
fn cache() -> Line {
    let plain = |says: String| Line { name: "cache", says, remedy: None };
    let cache = match ptxvm_settings::code_cache(|why| eprintln!("ptxvm: {why}")) {
        Ok(cache) => cache,
        Err(why) => {
            return plain(format!("compiled code is kept for the process, not longer: {why}"));
        }
    };
    let bound = show(cache.bound());
    match cache.survey() {
        Ok(found) => {
            let found = found.unwrap_or_default();
            let files = if found.files == 1 { "file" } else { "files" };
            plain(format!(
                "{} of compiled code in {} {files}, {bound} at most, in {}",
                show(found.bytes),
                found.files,
                cache.path().display()
            ))
        }
        Err(why) => Line {
            name: "cache",
            says: format!("compiled code is kept for the process, not longer: {why}"),
            remedy: Some("name a folder of your own that only you may write to in PTXVM_CACHE"),
        },
    }
}
