//! The list of switches from outside: every one is in the help and on its page, reaches the library through `ptxvm exec`,
//! and can be said in the environment.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use ptxvm_settings::{SWITCHES, Switch, Takes, Who};

/// Ends with a finding, which tells the seed.
const TRAP: &str = "// ptxvm: run --seed 5\n.version 9.1\n.target sm_90\n.address_size 64\n\
                    .visible .entry k() { trap; }\n";

/// A fence, and nothing else.
const FENCE: &str = ".version 9.1\n.target sm_90\n.address_size 64\n\
                     .visible .entry k() { fence.acq_rel.gpu; ret; }\n";

/// A folder for one test, empty at the start.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("settings").join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the test's folder can be made");
    folder
}

/// Runs with an environment that says nothing but these variables.
fn ptxvm(arguments: &[&str], variables: &[(&str, &str)]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxvm"));
    command.env_clear().env("PATH", "/usr/bin:/bin").envs(variables.iter().copied());
    command.args(arguments).output().expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Writes a kernel and gives its path.
fn kernel(folder: &Path, source: &str) -> String {
    let path = folder.join("k.ptx");
    std::fs::write(&path, source).expect("the kernel can be written");
    path.to_str().expect("a path").to_owned()
}

/// A value that a switch takes.
fn value(switch: &Switch) -> &'static str {
    match switch.takes {
        Takes::Nothing => "1",
        Takes::OneOf(_, words) => words.last().expect("a choice has words").0,
        Takes::Value("N") => "7",
        Takes::Value("TIME") => "1500ms",
        Takes::Value("SIZE") => "1.5G",
        Takes::Value("NAME") => "b200",
        Takes::Value("HOW") => "fast",
        Takes::Value("FILE") => "/etc/known",
        Takes::Value("DIR") => "/tmp/launches,launches=7",
        Takes::Optional(_, without) => without,
        Takes::Value(other) => panic!("--{} takes a {other}: say one here", switch.name),
    }
}

#[test]
fn every_switch_is_in_the_help_and_on_its_page() {
    let page = |name: &str| {
        let path = PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../docs").join(name);
        std::fs::read_to_string(path).expect("the page is there")
    };
    for (verb, page) in [("run", page("run.md")), ("exec", page("exec.md"))] {
        let help = text(&ptxvm(&[verb, "--help"], &[]).stdout);
        let has = |switch: &&Switch| verb == "exec" || switch.who < Who::Exec;
        for switch in SWITCHES.iter().filter(has) {
            let (option, variable) = (format!("--{}", switch.name), switch.variable());
            let named = |line: &&str| {
                let word = line.split_whitespace().next().unwrap_or_default();
                word.split('[').next() == Some(&option)
            };
            let line = help.lines().find(named);
            let line = line.unwrap_or_else(|| panic!("{option} is not in ptxvm {verb} --help:\n{help}"));
            if let Takes::Value(name) | Takes::OneOf(name, _) | Takes::Optional(name, _) = switch.takes {
                assert!(line.contains(&format!("<{name}>")), "{line}");
            }
            let row = page.lines().find(|line| line.starts_with(&format!("| `{option}")));
            let row = row.unwrap_or_else(|| panic!("{option} is not in docs/{verb}.md"));
            assert!(
                verb == "run" || row.contains(&format!("`{variable}")),
                "{variable} is not beside {option}"
            );
        }
    }
}

#[test]
fn exec_passes_every_switch_on() {
    let folder = folder("exec");
    let library = folder.join("library");
    std::fs::write(&library, b"\x7fELF").expect("a file can be written");
    let place = folder.to_str().expect("a path");
    let set = [("HOME", place), ("TMPDIR", place), ("PTXVM_LIBCUDA", library.to_str().expect("a path"))];
    for switch in &SWITCHES {
        let (option, variable) = (format!("--{}", switch.name), switch.variable());
        let joined = format!("{option}={}", value(switch));
        let mut arguments = vec!["exec"];
        match switch.takes {
            Takes::Nothing => arguments.push(&option),
            Takes::Optional(..) => arguments.push(&joined),
            _ => arguments.extend([option.as_str(), value(switch)]),
        }
        arguments.extend(["--", "printenv", &variable]);
        let output = ptxvm(&arguments, &set);
        let expected = switch.canonical(value(switch)).expect("it is a value");
        assert_eq!(text(&output.stdout).trim_end(), expected, "{option}: {}", text(&output.stderr));
    }
}

#[test]
fn a_wrong_variable_is_told_by_its_name() {
    let file = kernel(&folder("wrong"), FENCE);
    // Any word may be the name of a file or a folder.
    let may_be_wrong =
        |switch: &&Switch| !matches!(switch.takes, Takes::Nothing | Takes::Value("FILE" | "DIR"));
    for switch in SWITCHES.iter().filter(may_be_wrong) {
        let variable = switch.variable();
        let output = ptxvm(&["run", &file], &[(&variable, "nonsense")]);
        let said = text(&output.stderr);
        assert!(said.contains(&format!("{variable}=nonsense: ")), "{said}");
        // How much memory there is concerns every command, and none stops for it.
        let ignored = matches!(switch.name, "memory" | "max-memory");
        assert_eq!(output.status.code(), Some(i32::from(!ignored)), "{said}");
        assert_eq!(said.contains("it is ignored"), ignored, "{said}");
        let empty = ptxvm(&["run", &file], &[(&variable, "")]);
        assert_eq!(empty.status.code(), Some(0), "{}", text(&empty.stderr));
    }
}

#[test]
fn the_command_line_counts_more_than_the_environment_and_that_more_than_the_file() {
    let file = kernel(&folder("order"), TRAP);
    let seed = |options: &[&str], variables: &[(&str, &str)]| {
        let output = ptxvm(&[&["run", &file, "--format", "json"], options].concat(), variables);
        let said = text(&output.stdout);
        let seed = said.split("\"seed\":").nth(1).unwrap_or_else(|| panic!("{said}"));
        seed.split([',', '}']).next().and_then(|n| n.parse::<u64>().ok())
    };
    assert_eq!(seed(&[], &[]), Some(5));
    assert_eq!(seed(&[], &[("PTXVM_SEED", "6")]), Some(6));
    assert_eq!(seed(&["--seed", "7"], &[("PTXVM_SEED", "6")]), Some(7));
}

#[test]
fn what_is_shown_can_be_said_in_the_environment() {
    let file = kernel(&folder("shown"), FENCE);
    let run = |variables: &[(&str, &str)]| ptxvm(&["run", &file], variables);
    let plain = run(&[]);
    assert!(!text(&plain.stdout).contains("warp instructions") && plain.stderr.is_empty());
    let counted = run(&[("PTXVM_STATS", "1")]);
    assert!(text(&counted.stdout).contains("warp instructions"), "{}", text(&counted.stdout));
    assert_eq!(run(&[("PTXVM_STATS", "0")]).stdout, plain.stdout);
    let told = run(&[("PTXVM_EVENTS", "1")]);
    assert!(text(&told.stderr).starts_with("event fence"), "{}", text(&told.stderr));
    let trap = kernel(&folder("coloured"), TRAP);
    let escapes = |variables: &[(&str, &str)], options: &[&str]| {
        ptxvm(&[&["run", &trap], options].concat(), variables).stderr.contains(&0x1b)
    };
    assert!(!escapes(&[], &[]) && escapes(&[("PTXVM_COLOR", "always")], &[]));
    assert!(!escapes(&[("PTXVM_COLOR", "always")], &["--color", "never"]));
}
