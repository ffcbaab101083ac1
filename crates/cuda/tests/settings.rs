//! The switches in the environment, as the library reads them: what is wrong is told with the variable's name, what is right
//! counts for every launch.

mod client;

use std::process::Command;

use client::{Context, call, launch};
use ptxvm_settings::{SWITCHES, Takes};

/// Says to a process that it is the child.
const CHILD: &str = "PTXVM_TEST_CHILD";

const FENCE: &str = "
.version 8.0
.target sm_80
.address_size 64
.visible .entry k() { fence.acq_rel.gpu; ret; }
";

/// What the test `name` says on standard error as a process of its own with these variables.
fn child(name: &str, variables: &[(String, &str)]) -> String {
    let mut command = Command::new(std::env::current_exe().expect("a test has a file"));
    command.args(["--exact", name, "--nocapture"]).env(CHILD, "1");
    let output = command.envs(variables.iter().map(|(name, value)| (name, value))).output();
    let output = output.expect("a child starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(output.status.success(), "{said}");
    said
}

/// Launches a kernel that executes a fence.
fn run() {
    let context = Context::new();
    let module = context.module(FENCE);
    assert_eq!(launch(module.kernel("k"), [1; 3], [1; 3], 0, &[]), 0);
    call("cuCtxSynchronize", ());
}

#[test]
fn wrong_values_are_told_and_ignored() {
    if std::env::var_os(CHILD).is_some() {
        return run();
    }
    // Any word may be the name of a file or a folder.
    let named = SWITCHES
        .iter()
        .filter(|switch| !matches!(switch.takes, Takes::Nothing | Takes::Value("FILE" | "DIR")));
    let wrong: Vec<(String, &str)> = named.map(|switch| (switch.variable(), "nonsense")).collect();
    let said = child("wrong_values_are_told_and_ignored", &wrong);
    for (variable, _) in &wrong {
        let told = said.lines().find(|line| line.starts_with(&format!("ptxvm: {variable}=nonsense: ")));
        assert!(told.is_some_and(|line| line.ends_with("it is ignored")), "{variable}: {said}");
    }
}

#[test]
fn events_are_told() {
    if std::env::var_os(CHILD).is_some() {
        return run();
    }
    let said = child("events_are_told", &[("PTXVM_EVENTS".to_owned(), "1")]);
    let event = said.lines().find(|line| line.starts_with("ptxvm: event fence"));
    assert!(event.is_some_and(|line| line.ends_with("thread (0,0,0) of CTA (0,0,0), line 5")), "{said}");
    assert!(!child("events_are_told", &[]).contains("event"));
}
