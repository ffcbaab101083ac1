//! `ptxvm exec --seeds` from outside: a command runs once for each seed, and what its runs find, write and end with is told
//! together. The shell plays the command and the library, and does what a seed would make of them.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

/// A folder for one test, empty at the start, with something that passes for a library.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("exec-seeds").join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the test's folder can be made");
    std::fs::write(folder.join("library"), b"\x7fELF").expect("a file can be written");
    folder
}

/// Runs a script with an environment that says nothing of the machine's own.
fn command(folder: &Path, options: &[&str], script: &str) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxvm"));
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", folder).env("TMPDIR", folder);
    command.env("PTXVM_LIBCUDA", folder.join("library")).current_dir(folder);
    command.arg("exec").args(options).args(["--", "sh", "-c", script]);
    command
}

/// Exit status, standard output and standard error.
fn run(folder: &Path, options: &[&str], script: &str) -> (Option<i32>, String, String) {
    let Output { status, stdout, stderr } = command(folder, options, script).output().expect("it starts");
    let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
    (status.code(), text(stdout), text(stderr))
}

/// Leaves a finding where the library would.
fn finding(fields: &str) -> String {
    format!("printf '%s\\n' '{{\"kind\":\"finding\",{fields}}}' >> $PTXVM_REPORT")
}

#[test]
fn every_run_has_its_own_seed_and_only_the_first_is_shown() {
    let folder = folder("each");
    let script = "echo $PTXVM_SEED $PTXVM_ASYNC >> all; echo output; echo error >&2; cat";
    let (code, out, err) = run(&folder, &["--seeds", "7..10", "--async", "all"], script);
    assert_eq!((code, out.as_str()), (Some(0), "output\n"), "{err}");
    assert_eq!(err, "error\nptxvm: 9 runs, all with the same output and exit status\n");
    let all = std::fs::read_to_string(folder.join("all")).expect("it is written");
    let mut all: Vec<&str> = all.lines().collect();
    assert_eq!(all[0], "7 eager", "the first comes first");
    all.sort_unstable();
    let ways = ["7", "8", "9"].map(|seed| ["eager", "lazy", "seeded"].map(|when| format!("{seed} {when}")));
    assert_eq!(all, ways.concat());
    // What is said of --async otherwise counts for all.
    let (_, out, _) = run(&folder, &["--seeds", "0..2", "--async", "lazy"], "echo $PTXVM_ASYNC");
    assert_eq!(out, "lazy\n");
}

#[test]
fn a_finding_is_told_once_with_its_seeds() {
    let folder = folder("findings");
    let race = finding(r#""code":"race","message":"a race","file":"k.ptx","line":7,"column":1,"count":2"#);
    let trap = finding(r#""code":"trap","message":"the kernel trapped","line":9,"said":"error[trap]: it\n""#);
    let script = format!("{race}; test $PTXVM_SEED -lt 6 || {trap}");
    let (code, _, err) = run(&folder, &["--seeds", "0..8"], &script);
    assert_eq!(code, Some(3), "{err}");
    let lines: Vec<&str> = err.lines().collect();
    assert_eq!(lines[0], "ptxvm: race at k.ptx:7: shown by all 8 seeds");
    assert!(lines[1].starts_with("ptxvm: `ptxvm exec --seed 0 -- sh -c '"), "{err}");
    assert_eq!(lines[2..4], ["error[trap]: it", "ptxvm: trap at line 9: shown by seeds 6 and 7 of 8"]);
    assert!(lines[4].starts_with("ptxvm: `ptxvm exec --seed 6 -- sh -c '"), "{err}");
    assert_eq!(lines[5], "ptxvm: 8 runs, all with the same output and exit status");
    assert_eq!(lines[6], "ptxvm: 2 findings, shown above; kernels went on after 16 mistakes");

    run(&folder, &["--seeds", "0..8", "--report", "found.json"], &script);
    let lines = std::fs::read_to_string(folder.join("found.json")).expect("the report");
    let objects: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let fields = |name: &str| objects.iter().map(|object| object[name].clone()).collect::<Vec<_>>();
    assert_eq!(fields("code"), ["race", "trap"]);
    assert_eq!(fields("seeds"), [json!([0, 1, 2, 3, 4, 5, 6, 7]), json!([6, 7])]);
    assert_eq!(fields("count"), [json!(16), Value::Null]);
    assert_eq!(fields("said"), [Value::Null, Value::Null]);

    let (_, out, _) = run(&folder, &["--seeds", "0..8", "--format", "sarif"], &script);
    let log: Value = serde_json::from_str(&out).expect("one log");
    assert_eq!(log["runs"][0]["results"].as_array().map(Vec::len), Some(2));
    let (_, out, _) = run(&folder, &["--seeds", "0..8", "--format", "github"], &script);
    assert_eq!(out.matches("::error").count(), 2, "{out}");
}

#[test]
fn any_number_of_findings_comes_to_an_end() {
    let folder = folder("many");
    let script = r#"test $PTXVM_SEED -gt 0 || seq 20000 | sed 's/.*/{"kind":"finding","code":"race","message":"a race","line":&}/' > $PTXVM_REPORT"#;
    let (code, out, err) = run(&folder, &["--seeds", "0..4", "--format", "json"], script);
    assert_eq!((code, out.lines().count()), (Some(3), 1000), "{err}");
    assert!(err.contains("ptxvm: and 19,980 more\n"), "{err}");
    assert_eq!(err.matches("shown by").count(), 20, "{err}");
}

#[test]
fn output_that_differs_is_told_with_its_first_line() {
    let folder = folder("output");
    let script = "echo same; echo value $((PTXVM_SEED / 5)); echo end";
    let (code, out, err) = run(&folder, &["--seeds", "0..8"], script);
    assert_eq!((code, out.as_str()), (Some(3), "same\nvalue 0\nend\n"), "{err}");
    assert!(err.starts_with("error[order-dependent]: the output depends on the order of execution"), "{err}");
    assert!(
        err.contains("line 2 of standard output is `value 0` with seed 0, and `value 1` with seed 5"),
        "{err}"
    );
    assert!(err.contains("shown by seeds 5, 6 and 7 of 8"), "{err}");
    assert!(err.ends_with("ptxvm: 1 finding, shown above\n"), "{err}");
    let (code, ..) = run(&folder, &["--seeds", "0..8", "--status", "command"], script);
    assert_eq!(code, Some(0));
    let (_, _, err) = run(&folder, &["--seeds", "0..2"], "echo same; test $PTXVM_SEED = 1 || echo more");
    assert!(
        err.contains("line 2 of standard output is `more` with seed 0, and nothing with seed 1"),
        "{err}"
    );
    // Much of it takes no memory, and nobody waits for a pipe that is full.
    let (code, out, err) =
        run(&folder, &["--seeds", "0..4"], "seq 200000; test $PTXVM_SEED -lt 3 || echo end");
    assert_eq!((code, out.lines().count()), (Some(3), 200_000), "{err}");
    assert!(
        err.contains("line 200001 of standard output is nothing with seed 0, and `end` with seed 3"),
        "{err}"
    );
}

#[test]
fn the_exit_status_is_the_first_that_is_not_zero() {
    let folder = folder("status");
    let (code, _, err) = run(&folder, &["--seeds", "0..8"], "test $PTXVM_SEED -lt 5 || exit $PTXVM_SEED");
    assert_eq!(code, Some(5), "{err}");
    assert!(err.contains("error[order-dependent]: the exit status depends on the order"), "{err}");
    assert!(err.contains("exit status 5: seed 5 of 8") && err.contains("shown by seed 5 of 8"), "{err}");
    let (code, _, err) = run(&folder, &["--seeds", "0..4"], "test $PTXVM_SEED != 2 || kill -9 $$");
    assert_eq!(code, Some(137), "{err}");
    assert!(err.contains("signal 9 (SIGKILL): seed 2 of 4"), "{err}");
    let (code, _, err) = run(&folder, &["--seeds", "0..4"], "exit 7");
    assert_eq!(code, Some(7));
    assert!(err.contains("4 runs, all with the same output and exit status"), "{err}");
}

#[test]
fn wrong_usage_is_told() {
    let folder = folder("usage");
    for (options, expected) in [
        (&["--seeds", "5..5"][..], "holds no seed"),
        (&["--seeds", "64..0"], "write 0..64"),
        (&["--seeds", "x"], "expected FROM..TO"),
        (&["--seeds", "0..1000000"], "65,536 are the most"),
        (&["--seeds", "0..4", "--seed", "1"], "cannot be used with"),
        (&["--async", "all"], "needs --seeds"),
    ] {
        let (code, out, err) = run(&folder, options, "echo it ran");
        assert_eq!((code, out.as_str()), (Some(1), ""), "{options:?}: {err}");
        assert!(err.contains(expected), "{options:?}: {err}");
    }
    let mut missing = Command::new(env!("CARGO_BIN_EXE_ptxvm"));
    missing
        .args(["exec", "--seeds", "0..64", "--", "no-such-command"])
        .env("PTXVM_LIBCUDA", folder.join("library"));
    let missing = missing.output().expect("it starts");
    assert_eq!(missing.status.code(), Some(127));
    assert_eq!(String::from_utf8_lossy(&missing.stderr).matches("no-such-command").count(), 1);
}

#[test]
fn a_signal_reaches_all_runs_and_no_other_begins() {
    let folder = folder("signal");
    // The first run ends at once; those after it wait to be told.
    let script = "echo > began-$PTXVM_SEED; test $PTXVM_SEED = 0 && exit; trap 'exit 5' TERM; \
                  while :; do sleep 0.05; done";
    let mut child = command(&folder, &["--seeds", "0..64"], script);
    let mut child = child.stderr(Stdio::piped()).spawn().expect("it starts");
    while !folder.join("began-1").exists() {
        assert!(child.try_wait().expect("it can be asked").is_none(), "it ended early");
        std::thread::sleep(Duration::from_millis(10));
    }
    // The shell may not have set its trap yet.
    std::thread::sleep(Duration::from_millis(100));
    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    let output = child.wait_with_output().expect("it ends");
    let err = String::from_utf8_lossy(&output.stderr).into_owned();
    assert!(matches!(output.status.code(), Some(5 | 143)), "{err}");
    assert!(err.contains("ptxvm: interrupted; 1 of 64 runs had ended"), "{err}");
    assert!(!folder.join("began-63").exists());
    let left = std::fs::read_dir(&folder).expect("it is there").flatten();
    let private =
        left.map(|entry| entry.file_name()).find(|name| name.as_encoded_bytes().starts_with(b".ptxvm"));
    assert_eq!(private, None, "the folder goes with the command");
}
