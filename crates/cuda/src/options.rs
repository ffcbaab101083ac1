//! What `ptxvm exec` tells the library, through the environment: the device, the order of execution, what to show.

use std::path::PathBuf;
use std::sync::OnceLock;
use std::time::Duration;

use ptxvm_host::{Share, Wanted};
use ptxvm_profile::Profile;
use ptxvm_report::ColorChoice;
use ptxvm_vm::{Asynchrony, Findings, Mma};

/// The settings of the process.
#[derive(Debug)]
pub struct Options {
    /// `PTXVM_DEVICE`: the GPU that programs see.
    pub profile: &'static Profile,
    /// `PTXVM_MEMORY` and `PTXVM_MAX_MEMORY`: the GPU's memory, and what may be taken of the host's.
    pub share: Share,
    /// `PTXVM_SEED`
    pub seed: u64,
    /// `PTXVM_ASYNC`: when asynchronous copies complete, `eager`, `lazy` or `seeded`.
    pub asynchrony: Asynchrony,
    /// `PTXVM_MMA`: the arithmetic of matrix instructions, `exact`, `fast` or that of a generation such as `ampere`.
    pub mma: Mma,
    /// `PTXVM_FINDINGS`: what is done about mistakes that an H200 survives, `stop`, `report` or `ignore`.
    pub findings: Findings,
    /// `PTXVM_THREADS`: host threads of one launch; 0 takes every core.
    pub threads: usize,
    /// `PTXVM_STATS`: a line for every launch, and the sum at the end.
    pub stats: bool,
    /// `PTXVM_API_TRACE`: a line for every call.
    pub api_trace: bool,
    /// `PTXVM_MAX_INSTRUCTIONS`
    pub max_instructions: Option<u64>,
    /// `PTXVM_TIMEOUT`: seconds that a launch may take.
    pub timeout: Option<Duration>,
    /// `PTXVM_COLOR`: when findings are coloured: `auto`, `always` or `never`.
    pub color: ColorChoice,
    /// `PTXVM_REPORT`: the file where `ptxvm exec` learns what was found.
    pub report: Option<PathBuf>,
    /// `PTXVM_STDERR`: the file that the user sees as standard error, as [`ptxvm_host::standard_error`] names it.
    pub users_stderr: Option<String>,
    /// `PTXVM_INTERRUPT`: the pipe whose end says that the user has interrupted.
    pub interrupt: Option<PathBuf>,
}

static OPTIONS: OnceLock<Options> = OnceLock::new();

/// The settings, read at the first call.
pub fn get() -> &'static Options {
    OPTIONS.get_or_init(read)
}

fn read() -> Options {
    let threads: usize = number("PTXVM_THREADS").unwrap_or(1);
    let profile = profile();
    Options {
        profile,
        share: Wanted::from_environment(|why| ptxvm_host::say(format_args!("ptxvm: {why}\n")))
            .share(profile.memory),
        seed: number("PTXVM_SEED").unwrap_or(0),
        asynchrony: choice("PTXVM_ASYNC", "eager, lazy or seeded", |name| {
            Asynchrony::ALL.into_iter().find(|when| when.name() == name)
        }),
        mma: choice("PTXVM_MMA", "exact, fast or a generation such as ampere or hopper", Mma::from_name),
        findings: choice("PTXVM_FINDINGS", "stop, report or ignore", Findings::from_name),
        threads: ptxvm_host::threads(threads),
        stats: is_set("PTXVM_STATS"),
        api_trace: is_set("PTXVM_API_TRACE"),
        max_instructions: number("PTXVM_MAX_INSTRUCTIONS"),
        timeout: number("PTXVM_TIMEOUT").and_then(|seconds: f64| Duration::try_from_secs_f64(seconds).ok()),
        color: color(),
        report: std::env::var_os("PTXVM_REPORT").map(PathBuf::from),
        users_stderr: std::env::var("PTXVM_STDERR").ok(),
        interrupt: std::env::var_os("PTXVM_INTERRUPT").map(PathBuf::from),
    }
}

fn is_set(name: &str) -> bool {
    std::env::var_os(name).is_some_and(|value| !value.is_empty() && value != "0")
}

/// A number from the environment; one that cannot be read is said and left out.
fn number<T: std::str::FromStr>(name: &str) -> Option<T> {
    let text = std::env::var(name).ok().filter(|text| !text.is_empty())?;
    let value = text.parse().ok();
    if value.is_none() {
        ptxvm_host::say(format_args!("ptxvm: {name}={text}: this is no number and is ignored\n"));
    }
    value
}

/// What a variable chooses by a name; a name that is not known is said and left out.
fn choice<T: Default>(name: &str, expected: &str, find: impl Fn(&str) -> Option<T>) -> T {
    let Some(text) = std::env::var(name).ok().filter(|text| !text.is_empty()) else { return T::default() };
    find(&text).unwrap_or_else(|| {
        ptxvm_host::say(format_args!("ptxvm: {name}={text}: expected {expected}\n"));
        T::default()
    })
}

fn color() -> ColorChoice {
    match std::env::var("PTXVM_COLOR").as_deref() {
        Ok("always") => ColorChoice::AlwaysAnsi,
        Ok("never") => ColorChoice::Never,
        Err(_) | Ok("" | "auto") => ColorChoice::Auto,
        Ok(other) => {
            ptxvm_host::say(format_args!("ptxvm: PTXVM_COLOR={other}: expected auto, always or never\n"));
            ColorChoice::Auto
        }
    }
}

fn profile() -> &'static Profile {
    let Some(name) = std::env::var("PTXVM_DEVICE").ok().filter(|name| !name.is_empty()) else {
        return Default::default();
    };
    Profile::named(&name).unwrap_or_else(|| {
        let known: Vec<&str> = Profile::ALL.iter().map(|p| p.name).collect();
        let default: &Profile = Default::default();
        ptxvm_host::say(format_args!(
            "ptxvm: PTXVM_DEVICE={name}: there is no such device, but {}; using {}\n",
            known.join(", "),
            default.name
        ));
        default
    })
}
