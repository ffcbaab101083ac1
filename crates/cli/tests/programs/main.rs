//! Whole programs from outside: every file of `tests/run` says in its comments what its run must give.
//!
//! The notation is described in `tests/run/README.md`. A file is run with several seeds and host threads; PTX leaves
//! open in which order threads run, so a right program gives the same under each.

mod asynchrony;
mod expectation;
mod outcome;
mod single_steps;
mod weak;

use std::path::{Path, PathBuf};
use std::process::Command;

use expectation::Expectations;
use outcome::Outcome;

/// The ways in which each program is run. With `--audit`, an observer is told every touch of memory, which must change
/// nothing, and no byte may change of which it was not told.
const SETTINGS: &[&[&str]] =
    &[&[], &["--seed", "1"], &["--seed", "2"], &["--threads", "2"], &["--audit"], COMPILED];

/// The other engine.
const COMPILED: &[&str] = &["--engine", "compile"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../../tests/run")
}

/// The programs of a folder, in the order of their names.
fn programs(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).expect("the folder is there").flatten().map(|e| e.path());
    let mut files: Vec<PathBuf> = entries.filter(|p| p.extension().is_some_and(|e| e == "ptx")).collect();
    files.sort();
    files
}

/// Runs the programs of a folder, and fails with all that went wrong.
fn folder(name: &str) {
    let files = programs(&root().join(name));
    assert!(!files.is_empty(), "{name} has no programs");
    let wrong: Vec<String> = files.iter().flat_map(|file| program(file)).collect();
    assert!(wrong.is_empty(), "{} complaints:\n{}", wrong.len(), wrong.join("\n"));
}

/// What is wrong with a program's runs.
fn program(file: &Path) -> Vec<String> {
    let shown = file.strip_prefix(root()).unwrap_or(file).display().to_string();
    let source = std::fs::read_to_string(file).expect("the file is text");
    let expected = match Expectations::read(&source) {
        Ok(expected) => expected,
        Err(why) => return vec![format!("{shown}: {why}")],
    };
    let mut wrong = Vec::new();
    let mut first: Option<Vec<String>> = None;
    for settings in SETTINGS {
        // What is wrong with one run is mostly wrong with the next too.
        if !wrong.is_empty() {
            break;
        }
        let how = if settings.is_empty() { String::new() } else { format!(" {}", settings.join(" ")) };
        let complain = |why: String| format!("{shown}{how}: {why}");
        let outcome = match Outcome::of(file, &expected.buffers(), settings) {
            Ok(outcome) => outcome,
            Err(why) => {
                wrong.push(complain(why));
                continue;
            }
        };
        wrong.extend(expected.broken_by(&outcome).into_iter().map(complain));
        let said = outcome.comparable();
        match &first {
            None => first = Some(said),
            Some(first) if expected.unordered || *first == said => {}
            Some(first) => {
                let (a, b) = first.iter().zip(&said).find(|(a, b)| a != b).unwrap_or((&shown, &shown));
                wrong.push(complain(format!("says something else than the plain run:\n  {a}\n  {b}")));
            }
        }
    }
    wrong
}

macro_rules! folders {
    ($($name:ident),*) => {
        $(#[test]
        fn $name() {
            folder(stringify!($name));
        })*

        mod step_by_step {
            $(#[test]
            fn $name() {
                crate::single_steps::folder(stringify!($name));
            })*
        }

        mod weakly {
            $(#[test]
            fn $name() {
                crate::weak::folder(stringify!($name));
            })*
        }

        #[test]
        fn every_folder_is_run() {
            let known = [$(stringify!($name)),*];
            for entry in std::fs::read_dir(root()).expect("the folder is there").flatten() {
                let name = entry.file_name().to_string_lossy().into_owned();
                assert!(name == "README.md" || known.contains(&name.as_str()), "{name} is not run");
            }
        }
    };
}

folders!(
    calls, cluster, control, copies, exchange, faults, limits, matrix, mbarrier, memory, mma, order, packed,
    pipeline, print, special, surface, sync, tcgen05, texture, wgmma, wide, wmma
);

#[test]
fn copies_in_every_mode() {
    asynchrony::folder("copies");
}

#[test]
fn exchange_in_every_mode() {
    asynchrony::folder("exchange");
}

#[test]
fn pipeline_in_every_mode() {
    asynchrony::folder("pipeline");
}

#[test]
fn tcgen05_in_every_mode() {
    asynchrony::folder("tcgen05");
}

#[test]
fn wgmma_in_every_mode() {
    asynchrony::folder("wgmma");
}

#[test]
#[ignore = "needs ptxas 13.2, named by PTXAS"]
fn ptxas_agrees() {
    let ptxas = std::env::var("PTXAS").expect("PTXAS names ptxas");
    let mut wrong = Vec::new();
    for folder in std::fs::read_dir(root()).expect("the folder is there").flatten() {
        if !folder.path().is_dir() {
            continue;
        }
        for file in programs(&folder.path()) {
            let source = std::fs::read_to_string(&file).expect("the file is text");
            let wants = |target: &&str| source.contains(&format!("\n.target {target}"));
            let target = ["sm_100a", "sm_100f", "sm_103a", "sm_120a", "sm_120f"]
                .into_iter()
                .find(wants)
                .unwrap_or("sm_90a");
            let arguments = ["-arch", target, "-o", "/dev/null"];
            let refused = |file: &Path| {
                let output = Command::new(&ptxas).args(arguments).arg(file).output().expect("ptxas runs");
                (!output.status.success()).then(|| String::from_utf8_lossy(&output.stderr).into_owned())
            };
            let why = refused(&file);
            if why.is_some() != source.contains("\n// ptxas refuses\n") {
                wrong.push(format!("{}: {why:?}", file.display()));
            }
            for (name, source) in asynchrony::sources(&source) {
                let folder = outcome::Folder::new();
                let twin = folder.0.join("twin.ptx");
                std::fs::write(&twin, source).expect("written");
                wrong.extend(refused(&twin).map(|why| format!("{}, {name}: {why}", file.display())));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}
