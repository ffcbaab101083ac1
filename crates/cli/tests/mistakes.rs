//! Small mistakes and what an H200 does with each (`tests/golden/mistakes`): with `--findings report` the same comes of
//! them here, and without it none passes in silence that silicon does not forgive.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use serde_json::Value;

/// What differs, and why that is so.
const DIFFERENCES: &[(&str, &str)] = &[
    ("arrive_too_often", "which warp comes first decides, and either may"),
    ("global_read_2097152", "what a GPU has mapped in the pages beyond is chance"),
    ("global_read_33554432", "what a GPU has mapped in the pages beyond is chance"),
    (
        "ldmatrix_in_half",
        "an H200 reads from where registers of absent lanes point, which the assembler decides",
    ),
    ("mbarrier_no_complete_completes", "an arrival that completes a phase it must not is refused"),
    ("mbarrier_used_after_inval", "an object that has been invalidated is gone; an H200 finds its bits"),
    ("mbarrier_written_over", "what a store left is no object; an H200 counts with its bits"),
];

fn folder() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/mistakes")
}

fn run(kernel: &str, findings: &str) -> Output {
    let file = folder().join(kernel).with_extension("ptx");
    Command::new(env!("CARGO_BIN_EXE_ptxvm"))
        .args(["run", "--format", "json", "--show", "128", "--findings", findings])
        .arg(file)
        .output()
        .expect("the command starts")
}

/// What came of a kernel: the words of its buffer, or that it was stopped.
#[derive(Debug, PartialEq)]
enum Ending {
    Words(Vec<u64>),
    Stopped,
}

/// As an H200 had it.
fn recorded(answer: &Value) -> Ending {
    match answer["result"].as_u64() {
        Some(0) => Ending::Words(numbers(&answer["words"])),
        _ => Ending::Stopped,
    }
}

fn numbers(values: &Value) -> Vec<u64> {
    let all = values.as_array().expect("numbers");
    let mut numbers: Vec<u64> = all.iter().map(|n| n.as_u64().expect("a number")).collect();
    let length = numbers.iter().rposition(|n| *n != 0).map_or(0, |last| last + 1);
    numbers.truncate(length);
    numbers
}

/// As it is here, with how many findings were told and whether the exit status says so.
fn here(output: &Output) -> (Ending, usize) {
    let text = String::from_utf8_lossy(&output.stdout);
    let objects: Vec<Value> = text.lines().filter_map(|line| serde_json::from_str(line).ok()).collect();
    let findings: Vec<&Value> = objects.iter().filter(|object| object["kind"] == "finding").collect();
    let expected = if findings.is_empty() { 0 } else { 3 };
    assert_eq!(output.status.code(), Some(expected), "{text}{}", String::from_utf8_lossy(&output.stderr));
    for finding in findings.iter().filter(|finding| finding["stopped"] == false) {
        assert!(finding["count"].as_u64().is_some_and(|count| count > 0), "{finding}");
    }
    let result = objects.iter().find(|object| object["kind"] == "result");
    let ending = match result.filter(|_| findings.iter().all(|finding| finding["stopped"] == false)) {
        Some(result) => Ending::Words(numbers(&result["buffers"][0]["first"])),
        None => Ending::Stopped,
    };
    (ending, findings.len())
}

/// What is wrong with a kernel's ending here.
fn complaint(name: &str, answers: &Value) -> Option<String> {
    let all = || answers.as_object().expect("an answer for each level").values().map(recorded);
    let reported = here(&run(name, "report"));
    let ignored = here(&run(name, "ignore"));
    if reported.0 != ignored.0 {
        return Some(format!("{name}: {reported:?} when reported, {ignored:?} when ignored"));
    }
    if ignored.0 != Ending::Stopped && ignored.1 != 0 {
        return Some(format!("{name}: ignored, and told all the same"));
    }
    let agrees = all().any(|ending| ending == reported.0);
    let known = DIFFERENCES.iter().any(|(known, _)| *known == name);
    if agrees == known {
        return Some(format!("{name}: {:?} here, {:?} on an H200", reported.0, all().collect::<Vec<_>>()));
    }
    // What is told when it is reported stops the kernel otherwise, and nothing else does.
    let stopped = here(&run(name, "stop"));
    let same = (stopped.0 == Ending::Stopped) == (reported.1 > 0) && stopped.1 == reported.1.min(1);
    (!same).then(|| format!("{name}: {stopped:?} with stop, {reported:?} with report"))
}

#[test]
fn every_mistake_ends_as_on_an_h200() {
    let text = std::fs::read_to_string(folder().join("h200.json")).expect("the recorded answers");
    let recorded: BTreeMap<String, Value> = serde_json::from_str(&text).expect("an answer for each kernel");
    assert!(recorded.len() > 150);
    let all: Vec<(&String, &Value)> = recorded.iter().collect();
    let (next, wrong) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
    let threads = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                while let Some((name, answers)) = all.get(next.fetch_add(1, Ordering::Relaxed)) {
                    let complaint = complaint(name, answers);
                    wrong.lock().expect("no thread has panicked").extend(complaint);
                }
            });
        }
    });
    let wrong = wrong.into_inner().expect("no thread has panicked");
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), all.len(), wrong.join("\n"));
}

#[test]
fn the_environment_says_what_to_do_as_well() {
    let file = folder().join("shared_read_8.ptx");
    let run = |value: &str| {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptxvm"));
        command.arg("run").arg(&file).env("PTXVM_FINDINGS", value).output().expect("the command starts")
    };
    assert_eq!(run("ignore").status.code(), Some(0));
    assert_eq!(run("report").status.code(), Some(3));
    assert_eq!(run("").status.code(), Some(3));
    let wrong = run("forgive");
    assert_eq!(wrong.status.code(), Some(1));
    assert!(String::from_utf8_lossy(&wrong.stderr).contains("expected stop, report or ignore"));
}
