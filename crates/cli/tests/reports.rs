//! Findings for other programs: SARIF and GitHub annotations of `ptxvm run` and `ptxvm exec`, and findings that a file
//! suppresses. What the library would report of a program, a shell script writes here.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A folder for one test, empty at the start, with something that passes for a library.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("reports").join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the test's folder can be made");
    std::fs::write(folder.join("library"), b"\x7fELF").expect("a file can be written");
    folder
}

fn ptxvm(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxvm"));
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", folder).env("TMPDIR", folder);
    command.env("PTXVM_LIBCUDA", folder.join("library")).current_dir(folder).args(arguments);
    command.output().expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// A kernel that races: the store on line 11 and the load on line 12.
const RACING: &str = "// ptxvm: run --block 64 --arg 'u32[64]'
.version 9.1
.target sm_80
.address_size 64
.visible .entry turn(.param .u64 out)
{
    .shared .align 4 .b32 a[65];
    .reg .b32 %r<4>; .reg .b64 %rd<4>;
    mov.u32 %r1, %tid.x; cvt.u64.u32 %rd1, %r1; shl.b64 %rd1, %rd1, 2;
    mov.u64 %rd2, a; add.s64 %rd2, %rd2, %rd1;
    st.shared.u32 [%rd2], %r1;
    ld.shared.u32 %r2, [%rd2+4];
    ld.param.u64 %rd3, [out]; add.s64 %rd3, %rd3, %rd1;
    st.global.u32 [%rd3], %r2;
    ret;
}
";

#[test]
fn a_run_writes_annotations_and_nothing_else_to_standard_output() {
    let folder = folder("github");
    std::fs::write(folder.join("turn.ptx"), RACING).expect("a file can be written");
    let output = ptxvm(&folder, &["run", "turn.ptx", "--check=race", "--format", "github"]);
    assert_eq!(output.status.code(), Some(3));
    let lines = text(&output.stdout);
    let lines: Vec<&str> = lines.lines().collect();
    assert_eq!(lines.len(), 1, "{lines:?}");
    let (head, message) = lines[0].split_once("::a race").expect("the message");
    assert!(head.starts_with("::error file=turn.ptx,line=1") && head.contains(",col=5,endColumn="), "{head}");
    assert!(message.contains("%0Aturn.ptx:1") && message.contains("%0Anote: "), "{message}");

    std::fs::write(folder.join("wrong.ptx"), RACING.replace("mov.u32 %r1", "mov.u32 %r9")).expect("a file");
    let output = ptxvm(&folder, &["run", "wrong.ptx", "--format", "github"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(
        text(&output.stdout).starts_with("::error file=wrong.ptx,line=9,col="),
        "{}",
        text(&output.stdout)
    );
}

#[test]
fn a_run_writes_one_log_with_both_places() {
    let folder = folder("sarif");
    std::fs::write(folder.join("turn.ptx"), RACING).expect("a file can be written");
    let log = |arguments: &[&str], code: i32| -> Value {
        let output = ptxvm(&folder, &[&["run", "turn.ptx", "--format", "sarif"], arguments].concat());
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
        serde_json::from_slice(&output.stdout).expect("the output is one log")
    };
    let found = log(&["--check=race"], 3);
    let results = found["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results.len(), 1);
    assert_eq!(results[0]["ruleId"], "race");
    let line = |place: &Value| place["physicalLocation"]["region"]["startLine"].as_u64().expect("a line");
    let mut lines = [line(&results[0]["locations"][0]), line(&results[0]["relatedLocations"][0])];
    lines.sort_unstable();
    assert_eq!(lines, [11, 12]);
    assert_eq!(found["runs"][0]["tool"]["driver"]["rules"][0]["id"], "race");

    std::fs::write(folder.join("known"), "race in turn because the test is about it\n").expect("a file");
    let known = log(&["--check=race", "--suppress", "known"], 0);
    let suppressed = &known["runs"][0]["results"][0]["suppressions"][0];
    assert_eq!(suppressed["justification"], "the test is about it");

    let clean = log(&[], 0);
    assert_eq!(clean["runs"][0]["results"].as_array().map(Vec::len), Some(0));
}

#[test]
fn junit_shows_a_finding_as_a_test_that_fails() {
    let folder = folder("junit");
    std::fs::write(folder.join("turn.ptx"), RACING).expect("a file can be written");
    let output = ptxvm(&folder, &["run", "turn.ptx", "--format", "junit", "--check=race"]);
    assert_eq!(output.status.code(), Some(3));
    let shown = text(&output.stdout);
    assert!(shown.contains("<testsuite name=\"turn.ptx\" tests=\"1\" failures=\"1\""), "{shown}");
    assert!(shown.contains("<failure type=\"race\" message=\"a race in shared memory"), "{shown}");
    let clean = text(&ptxvm(&folder, &["run", "turn.ptx", "--format", "junit"]).stdout);
    assert!(clean.contains("<testcase classname=\"ptxvm\" name=\"turn.ptx\"/>"), "{clean}");

    let script =
        "echo '{\"kind\":\"finding\",\"code\":\"a<b\",\"message\":\"x & \\\"y\\\"\"}' > $PTXVM_REPORT";
    let output =
        ptxvm(&folder, &["exec", "--report", "found.xml", "--format", "junit", "--", "sh", "-c", script]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
    let log = std::fs::read_to_string(folder.join("found.xml")).expect("the report");
    assert!(log.contains("type=\"a&lt;b\" message=\"x &amp; &quot;y&quot;\""), "{log}");
}

#[test]
fn a_suppressed_finding_changes_no_exit_status_and_is_counted() {
    let folder = folder("suppress");
    std::fs::write(folder.join("turn.ptx"), RACING).expect("a file can be written");
    let run = |suppressions: &str| {
        std::fs::write(folder.join("known"), suppressions).expect("a file can be written");
        let output = ptxvm(&folder, &["run", "-q", "turn.ptx", "--check=race", "--suppress", "known"]);
        (output.status.code(), text(&output.stderr))
    };
    for known in [
        "race in t*n because so",
        "# a comment\nrace at turn.ptx:12 because so # it is",
        "race at *.ptx because so",
    ] {
        assert_eq!(run(known), (Some(0), "ptxvm: 1 finding suppressed\n".to_owned()), "{known}");
    }
    for other in
        ["race at turn.ptx:13 because so", "race in turned because so", "misuse in turn because so", ""]
    {
        let (code, told) = run(other);
        assert_eq!(code, Some(3), "{other}");
        assert!(told.starts_with("error[race]") && !told.contains("suppressed"), "{other}: {told}");
    }
    let (code, told) = run("race at turn.ptx:12\n\nraces");
    assert_eq!(code, Some(1));
    assert!(told.contains("known:1:20: the reason is missing") && told.contains("known:3:"), "{told}");
    let output = ptxvm(&folder, &["run", "-q", "turn.ptx", "--suppress", "none"]);
    assert_eq!(output.status.code(), Some(1));
}

/// What a library that found this would write: a race in source, one that is suppressed, and a note for `exec` itself.
const REPORTED: &str = r#"{"kind":"finding","severity":"error","code":"race","message":"a race","file":"PTX","line":9,"column":5,"end_line":9,"end_column":9,"kernel":"k","notes":["a % of it"],"source":{"file":"sum.py","line":7,"column":3},"related":[{"line":4,"column":5,"message":"written","source":{"file":"sum.py","line":6,"column":0}}],"said":"text"}
{"kind":"finding","severity":"error","code":"misuse","message":"known","file":"PTX","line":3,"column":1,"end_line":3,"end_column":2,"suppressed":"so it is"}
{"kind":"repeated","count":3}
"#;

#[test]
fn exec_writes_what_was_found_when_the_command_has_ended() {
    let folder = folder("exec");
    std::fs::write(folder.join("reported"), REPORTED).expect("a file can be written");
    let run = |options: &[&str], code: i32| {
        let command = ["--", "sh", "-c", "echo output; cat reported > $PTXVM_REPORT"];
        let output = ptxvm(&folder, &[&["exec"], options, &command].concat());
        assert_eq!(output.status.code(), Some(code), "{}", text(&output.stderr));
        (text(&output.stdout), text(&output.stderr))
    };
    let (shown, told) = run(&["--format", "github"], 3);
    let expected = "output\n::error file=sum.py,line=7,col=3,endColumn=3::a race [race]%0Asum.py:6: written%0Anote: a %25 of it\n";
    assert_eq!(shown, expected);
    assert!(told.contains("1 finding, shown above") && told.contains("1 finding suppressed"), "{told}");

    assert_eq!(run(&["--report", "found.json"], 3).0, "output\n");
    let lines = std::fs::read_to_string(folder.join("found.json")).expect("the report");
    let objects: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(objects.len(), 2, "{lines}");
    assert!(objects[0]["said"].is_null() && objects[1]["suppressed"] == "so it is");

    run(&["--report", "found.sarif", "--format", "sarif"], 3);
    let log = std::fs::read_to_string(folder.join("found.sarif")).expect("the report");
    let log: Value = serde_json::from_str(&log).expect("JSON");
    let results = log["runs"][0]["results"].as_array().expect("results");
    assert_eq!(results[0]["locations"][0]["physicalLocation"]["artifactLocation"]["uri"], "sum.py");
    assert_eq!(results[1]["suppressions"][0]["justification"], "so it is");

    let output = ptxvm(&folder, &["exec", "--report", "no/such/folder", "--", "true"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("no/such/folder"), "{}", text(&output.stderr));
}
