//! The list of switches: all that a command line, a launch line and the environment can say of how launches are executed.

use ptxvm_report::ColorChoice;
use ptxvm_vm::{Asynchrony, Check, Checks, EngineChoice, Findings, MemoryModel, Mma, Profile, Unit};

use crate::save_launch::SaveLaunch;
use crate::switch::{Switch, Takes, Who};
use crate::value::{count, duration, flag, number, one_of, show_flag};

/// When findings are coloured, by name.
const COLORS: [(ColorChoice, &str); 3] =
    [(ColorChoice::Auto, "auto"), (ColorChoice::AlwaysAnsi, "always"), (ColorChoice::Never, "never")];

/// Every switch, in the order of the help.
pub static SWITCHES: [Switch; 20] = [
    Switch {
        name: "device",
        takes: Takes::Value("NAME"),
        who: Who::File,
        help: "The device to run as: h200 (default), h100, b200, a100 …",
        exec_help: Some("The GPU that the program sees: h200 (default), h100, b200, a100 …"),
        set: |choices, text| device(text).map(|profile| choices.profile = profile),
        show: |choices| choices.profile.name.to_owned(),
    },
    Switch {
        name: "seed",
        takes: Takes::Value("N"),
        who: Who::File,
        help: "Chooses among the orders that PTX leaves open; 0 is the plain order [default: 0]",
        exec_help: None,
        set: |choices, text| number(text).map(|seed| choices.settings.seed = seed),
        show: |choices| choices.settings.seed.to_string(),
    },
    Switch {
        name: "memory-model",
        takes: Takes::OneOf(
            "MODEL",
            &[
                ("strong", "A read sees the newest write"),
                ("weak", "A read sees any write that PTX's memory model allows, as the seed decides"),
            ],
        ),
        who: Who::File,
        help: "Which write a read sees: the newest, or any that PTX's memory model lets it see, as the seed decides, so \
               that a missing fence shows [default: strong]",
        exec_help: None,
        set: |choices, text| {
            one_of(text, &MemoryModel::ALL, MemoryModel::name)
                .map(|model| choices.settings.memory_model = model)
        },
        show: |choices| choices.settings.memory_model.name().to_owned(),
    },
    Switch {
        name: "check",
        takes: Takes::Optional("WHAT", "all"),
        who: Who::Run,
        help: "What is looked for besides faults: none, race (accesses of the same bytes that nothing orders), strict (the \
               same, with the manual taken at its word), init (values that nobody has defined), bounds (accesses through the \
               address of one variable that reach another), sync (barriers, masks and clusters used against their rules), \
               async (the same of mbarrier objects, copies and products), leak (what is never given back), several of these with \
               commas between, or all, which is meant without a value: all but strict and leak [default: none]",
        exec_help: None,
        set: |choices, text| checks(text).map(|checks| choices.settings.checks = checks),
        show: |choices| choices.settings.checks.to_string(),
    },
    Switch {
        name: "check-limit",
        takes: Takes::Value("N"),
        who: Who::Run,
        help: "How many findings of --check are told of one launch, at most [default: 100]",
        exec_help: Some("How many findings of --check are told, at most [default: 100]"),
        set: |choices, text| number(text).map(|limit| choices.settings.check_limit = limit),
        show: |choices| choices.settings.check_limit.to_string(),
    },
    Switch {
        name: "suppress",
        takes: Takes::Value("FILE"),
        who: Who::Run,
        help: "Do not tell of findings that this file names, each with its place and the reason; see docs/suppressions.md",
        exec_help: None,
        set: |choices, text| {
            let path = std::path::absolute(text).map_err(|error| error.to_string())?;
            choices.suppress = Some(path);
            Ok(())
        },
        show: |choices| {
            choices.suppress.as_ref().map_or_else(String::new, |path| path.to_string_lossy().into_owned())
        },
    },
    Switch {
        name: "async",
        takes: Takes::OneOf(
            "WHEN",
            &[
                ("eager", "At once"),
                ("lazy", "Only when the program waits for them, or nothing else can run"),
                ("seeded", "At a time that the seed decides"),
            ],
        ),
        who: Who::File,
        help: "When asynchronous copies complete: at once, as late as the program allows, or as the seed decides \
               [default: seeded]",
        exec_help: None,
        set: |choices, text| {
            one_of(text, &Asynchrony::ALL, Asynchrony::name).map(|when| choices.settings.asynchrony = when)
        },
        show: |choices| choices.settings.asynchrony.name().to_owned(),
    },
    Switch {
        name: "engine",
        takes: Takes::OneOf(
            "ENGINE",
            &[
                ("auto", "The interpreter at first, and machine code for what runs long"),
                ("interpret", "The interpreter"),
                ("compile", "Machine code, made by a libLLVM that is found"),
            ],
        ),
        who: Who::File,
        help: "Who executes kernels: the interpreter, or machine code, which is the same in all but speed [default: \
               auto]",
        exec_help: None,
        set: |choices, text| {
            one_of(text, &EngineChoice::ALL, EngineChoice::name)
                .map(|engine| choices.settings.engine = engine)
        },
        show: |choices| choices.settings.engine.name().to_owned(),
    },
    Switch {
        name: "mma",
        takes: Takes::Value("HOW"),
        who: Who::File,
        help: "The arithmetic of matrix instructions: exact (the device's bits), fast, or a generation's: volta, turing, \
               ampere, ada, hopper, blackwell, blackwell-rtx [default: exact]",
        exec_help: None,
        set: |choices, text| mma(text).map(|how| choices.settings.mma = how),
        show: |choices| choices.settings.mma.name().to_owned(),
    },
    Switch {
        name: "threads",
        takes: Takes::Value("N"),
        who: Who::File,
        help: "Host threads that run CTAs; 0 is one for each core. More than one may reorder what PTX leaves unordered \
               [default: 1]",
        exec_help: Some("Host threads that run the CTAs of a launch; 0 is one for each core [default: 1]"),
        set: |choices, text| number(text).map(|threads| choices.settings.threads = threads),
        show: |choices| choices.settings.threads.to_string(),
    },
    Switch {
        name: "stats",
        takes: Takes::Nothing,
        who: Who::Exec,
        help: "Print what every launch did, and at the end the sum of all",
        exec_help: None,
        set: |choices, text| {
            choices.settings.statistics = flag(text);
            Ok(())
        },
        show: |choices| show_flag(choices.settings.statistics),
    },
    Switch {
        name: "events",
        takes: Takes::Nothing,
        who: Who::Run,
        help: "Print every event that orders memory: fences, asynchronous copies, mbarriers, ends of CTAs; one line each \
               on standard error, or one object with --format json",
        exec_help: Some(
            "Print every event that orders memory: fences, asynchronous copies, mbarriers, ends of CTAs; one line each on \
             standard error",
        ),
        set: |choices, text| {
            choices.events = flag(text);
            Ok(())
        },
        show: |choices| show_flag(choices.events),
    },
    Switch {
        name: "api-trace",
        takes: Takes::Nothing,
        who: Who::Exec,
        help: "Show every call of the CUDA driver API, with its answer",
        exec_help: None,
        set: |choices, text| {
            choices.api_trace = flag(text);
            Ok(())
        },
        show: |choices| show_flag(choices.api_trace),
    },
    Switch {
        name: "save-launch",
        takes: Takes::Value("DIR"),
        who: Who::Exec,
        help: "Write launches to a folder, each as something that ptxvm run replays: PTX, arguments and the memory that it \
               can reach; DIR,kernel=NAME for kernels whose name contains this, DIR,launches=N,bytes=SIZE for how much \
               [default: 100 launches, 1G]",
        exec_help: None,
        set: |choices, text| SaveLaunch::parse(text).map(|asked| choices.save_launch = Some(asked)),
        show: |choices| choices.save_launch.as_ref().map_or_else(String::new, SaveLaunch::show),
    },
    Switch {
        name: "max-instructions",
        takes: Takes::Value("N"),
        who: Who::File,
        help: "Stop after this many warp instructions (10M, 1e9)",
        exec_help: Some("Stop a kernel after this many warp instructions (10M, 1e9)"),
        set: |choices, text| count(text).map(|most| choices.settings.max_instructions = Some(most)),
        show: |choices| choices.settings.max_instructions.unwrap_or_default().to_string(),
    },
    Switch {
        name: "timeout",
        takes: Takes::Value("TIME"),
        who: Who::File,
        help: "Stop after this time (10s, 500ms, 2min)",
        exec_help: Some("Stop a kernel after this time (10s, 500ms, 2min)"),
        set: |choices, text| duration(text).map(|most| choices.settings.timeout = Some(most)),
        show: |choices| choices.settings.timeout.unwrap_or_default().as_secs_f64().to_string(),
    },
    Switch {
        name: "max-memory",
        takes: Takes::Value("SIZE"),
        who: Who::File,
        help: "The most memory of this machine that files and kernels may take (512M, 8G); a launch line may only lower it \
               [default: three quarters of what is free]",
        exec_help: Some(
            "The most memory of this machine that the program's kernels and images may take (512M, 8G) [default: three \
             quarters of what is free]",
        ),
        set: |choices, text| ptxvm_host::parse(text).map(|most| choices.memory.max_memory = Some(most)),
        show: |choices| choices.memory.max_memory.unwrap_or_default().to_string(),
    },
    Switch {
        name: "memory",
        takes: Takes::Value("SIZE"),
        who: Who::File,
        help: "The device's memory [default: the real device's, or seven eighths of --max-memory if that is less]",
        exec_help: Some(
            "The GPU's memory [default: the real GPU's, or seven eighths of --max-memory if that is less]",
        ),
        set: |choices, text| ptxvm_host::parse(text).map(|bytes| choices.memory.memory = Some(bytes)),
        show: |choices| choices.memory.memory.unwrap_or_default().to_string(),
    },
    Switch {
        name: "findings",
        takes: Takes::OneOf(
            "HOW",
            &[
                ("stop", "The first ends the kernel"),
                (
                    "report",
                    "Each is reported once for each place, with a count, and the kernel goes on as an H200 does",
                ),
                ("ignore", "The kernel goes on as an H200 does"),
            ],
        ),
        who: Who::Run,
        help: "What to do about a mistake that an H200 survives, such as a read a little out of bounds: stop, report it \
               and go on as an H200 does, or go on silently [default: stop]",
        exec_help: Some(
            "What to do about a mistake that an H200 survives, such as a read a little out of bounds: stop the kernel, \
             report it and go on as an H200 does, or go on silently [default: stop]",
        ),
        set: |choices, text| {
            one_of(text, &Findings::ALL, Findings::name).map(|policy| choices.settings.findings = policy)
        },
        show: |choices| choices.settings.findings.name().to_owned(),
    },
    Switch {
        name: "color",
        takes: Takes::OneOf(
            "COLOR",
            &[("auto", "On a terminal, unless NO_COLOR is set"), ("always", ""), ("never", "")],
        ),
        who: Who::Exec,
        help: "When to colour findings [default: auto]",
        exec_help: None,
        set: |choices, text| one_of(text, &COLORS, |(_, name)| name).map(|(when, _)| choices.color = when),
        show: |choices| {
            let named = COLORS.iter().find(|(when, _)| *when == choices.color);
            named.map_or("auto", |(_, name)| name).to_owned()
        },
    },
];

fn device(name: &str) -> Result<&'static Profile, String> {
    Profile::named(name).ok_or_else(|| {
        let known: Vec<&str> = Profile::ALL.iter().map(|p| p.name).collect();
        format!("there is no such device; available: {}", known.join(", "))
    })
}

/// Several may be named, with commas between.
fn checks(text: &str) -> Result<Checks, String> {
    text.split(',').try_fold(Checks::NONE, |checks, word| match word {
        "none" => Ok(checks),
        "all" => Ok(checks.and(Checks::USUAL)),
        _ => {
            let named = Check::ALL.into_iter().find(|check| check.name() == word);
            let names = Check::ALL.map(Check::name).join(", ");
            named
                .map(|check| checks.with(check))
                .ok_or_else(|| format!("expected none, all, {names}, or several with commas between"))
        }
    })
}

fn mma(name: &str) -> Result<Mma, String> {
    let generations = || Unit::ALL.map(Unit::name).join(", ");
    Mma::from_name(name).ok_or_else(|| format!("expected exact, fast or one of {}", generations()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_differ_and_every_word_of_a_choice_is_a_value() {
        for (index, switch) in SWITCHES.iter().enumerate() {
            assert!(SWITCHES[..index].iter().all(|other| other.name != switch.name), "{switch:?}");
            if let Takes::OneOf(_, words) = switch.takes {
                for (word, _) in words {
                    assert_eq!(switch.canonical(word).as_deref(), Ok(*word), "{switch:?}");
                }
                let wrong = switch.canonical("nothing of it").expect_err("there is no such word");
                assert!(words.iter().all(|(word, _)| wrong.contains(word)), "{wrong}");
            }
        }
    }

    #[test]
    fn what_a_switch_shows_it_reads() {
        let values = [
            ("device", "b200"),
            ("seed", "18446744073709551615"),
            ("mma", "blackwell-rtx"),
            ("check", "all"),
            ("check", "race,strict"),
            ("threads", "0"),
            ("stats", "1"),
            ("max-instructions", "1e9"),
            ("timeout", "1.8e19"),
            ("timeout", "100ms"),
            ("max-memory", "1.5G"),
            ("memory", "0"),
            ("save-launch", "/tmp/a,b,kernel=k,bytes=1G"),
        ];
        for (name, text) in values {
            let switch = SWITCHES.iter().find(|switch| switch.name == name).expect("it is in the list");
            let shown = switch.canonical(text).expect("a value");
            assert_eq!(switch.canonical(&shown), Ok(shown.clone()), "--{name} {text}");
        }
    }
}
