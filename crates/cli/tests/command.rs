//! The command from outside: what it prints, where, and how it exits.

use std::io::Write;
use std::path::PathBuf;
use std::process::{Command, Output, Stdio};

use serde_json::Value;

fn ptxvm(arguments: &[&str], input: &[u8]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ptxvm"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("stdin is piped");
    let input = input.to_vec();
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("the command ends");
    // A command that does not read its input may close it early.
    let _ = writer.join();
    output
}

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

const HEAD: &str = ".version 9.1\n.target sm_90a\n.address_size 64\n";

fn kernel(body: &str) -> Vec<u8> {
    format!("{HEAD}.visible .entry k()\n{{\n.reg .b32 %r<4>;\n.reg .f32 %f<4>;\n{body}\nret;\n}}\n")
        .into_bytes()
}

fn json_lines(output: &Output) -> Vec<Value> {
    text(&output.stdout).lines().map(|l| serde_json::from_str(l).expect("each line is JSON")).collect()
}

#[test]
fn right_ptx_is_silent_and_exits_with_0() {
    let output = ptxvm(&["check", "-"], &kernel("add.s32 %r0, %r1, %r2;"));
    assert_eq!(
        (output.status.code(), text(&output.stdout), text(&output.stderr)),
        (Some(0), "".into(), "".into())
    );
}

#[test]
fn wrong_ptx_exits_with_2_and_underlines_the_place() {
    let output = ptxvm(&["check", "--color", "never", "-"], &kernel("add.ftz.s32 %r0, %r1, %r2;"));
    assert_eq!(output.status.code(), Some(2));
    let shown = text(&output.stderr);
    assert!(shown.contains("error[E0402]"), "{shown}");
    assert!(shown.contains("<stdin>:8:4"), "{shown}");
    assert!(shown.contains("add.ftz.s32 %r0, %r1, %r2;"), "{shown}");
    assert!(shown.contains("^^^^"), "{shown}");
    assert!(!shown.contains('\u{1b}'), "no colour was asked for: {shown}");
}

#[test]
fn json_has_an_object_for_each_diagnostic_and_a_last_one_for_the_file() {
    let body = "add.ftz.s32 %r0, %r1, %r2;\nadd.s32 %r0, %r1, %f2;";
    let output = ptxvm(&["check", "--format", "json", "-"], &kernel(body));
    assert_eq!(output.status.code(), Some(2));
    let lines = json_lines(&output);
    assert_eq!(lines.len(), 3);
    for (line, expected) in lines[..2].iter().zip([8, 9]) {
        assert_eq!(line["file"], "<stdin>");
        assert_eq!(line["line"], expected);
        assert!(line["column"].as_u64().is_some_and(|c| c >= 1));
        assert!(line["code"].as_str().is_some_and(|c| c.starts_with('E')));
        assert!(line["message"].as_str().is_some_and(|m| !m.is_empty()));
    }
    assert_eq!(lines[2]["file"], "<stdin>");
    assert_eq!(lines[2]["ok"], false);
    let clean = ptxvm(&["check", "--format", "json", "-"], &kernel(""));
    let lines = json_lines(&clean);
    assert_eq!((clean.status.code(), lines.len(), &lines[0]["ok"]), (Some(0), 1, &Value::Bool(true)));
}

#[test]
fn sarif_and_github_name_the_place() {
    let wrong = kernel("add.ftz.s32 %r0, %r1, %r2;");
    let sarif = ptxvm(&["check", "--format", "sarif", "-"], &wrong);
    let log: Value = serde_json::from_slice(&sarif.stdout).expect("SARIF is JSON");
    let result = &log["runs"][0]["results"][0];
    assert_eq!(log["version"], "2.1.0");
    assert_eq!(result["ruleId"], "E0402");
    assert_eq!(result["locations"][0]["physicalLocation"]["region"]["startLine"], 8);
    let github = ptxvm(&["check", "--format", "github", "-"], &wrong);
    let shown = text(&github.stdout);
    assert!(shown.starts_with("::error file=<stdin>,line=8,col=4,"), "{shown}");
}

#[test]
fn junit_has_a_test_for_each_error_and_each_file_without() {
    let wrong = kernel("add.ftz.s32 %r0, %r1, %r2;");
    let shown = text(&ptxvm(&["check", "--format", "junit", "-"], &wrong).stdout);
    assert!(shown.contains("<testsuite name=\"ptxvm check\" tests=\"1\" failures=\"1\""), "{shown}");
    assert!(shown.contains("classname=\"&lt;stdin&gt;\" name=\"E0402 at line 8: "), "{shown}");
    let right = ptxvm(&["check", "--format", "junit", "-"], &kernel(""));
    assert_eq!(right.status.code(), Some(0));
    assert!(text(&right.stdout).contains("tests=\"1\" failures=\"0\""), "{}", text(&right.stdout));
}

#[test]
fn a_reader_that_goes_away_ends_the_command_quietly() {
    for arguments in
        ["isa", "explain race", "run examples/saxpy.ptx --show 1000", "check examples --format json"]
    {
        // The reader ends before the command writes.
        let script = format!(
            "{{ sleep 0.2; {} {arguments}; echo $? >&3; }} 3>&2 2>&1 | true",
            env!("CARGO_BIN_EXE_ptxvm")
        );
        let output =
            Command::new("bash").args(["-c", &script]).current_dir(root()).output().expect("bash starts");
        // 128 and the number of SIGPIPE.
        assert_eq!(text(&output.stderr), "141\n", "{arguments}");
    }
}

#[test]
fn shells_and_man_are_told_of_every_option() {
    let bash = text(&ptxvm(&["completions", "bash"], b"").stdout);
    assert!(bash.contains("--trust-launch-line") && bash.contains("--check-limit"), "{bash}");
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("man");
    assert_eq!(ptxvm(&["man", folder.to_str().expect("a path")], b"").status.code(), Some(0));
    let page = std::fs::read_to_string(folder.join("ptxvm-run.1")).expect("a page for each command");
    assert!(page.contains("trust\\-launch\\-line") && folder.join("ptxvm.1").exists(), "{page}");
}

#[test]
fn one_nul_at_the_end_is_that_of_a_c_string() {
    let with = |nuls: &[u8]| [&kernel(""), nuls].concat();
    assert_eq!(ptxvm(&["check", "-"], &with(b"\0")).status.code(), Some(0));
    for wrong in [&b"\0\0"[..], b"\0\n"] {
        let output = ptxvm(&["check", "-"], &with(wrong));
        assert!(text(&output.stderr).contains("E0103"), "{}", text(&output.stderr));
    }
}

#[test]
fn examples_are_formatted() {
    let output = ptxvm(&["fmt", "--check", root().join("examples").to_str().expect("a path")], b"");
    assert_eq!((output.status.code(), text(&output.stdout)), (Some(0), String::new()));
}

#[test]
fn a_target_can_be_overridden() {
    let source = kernel("wgmma.fence.sync.aligned;");
    assert_eq!(ptxvm(&["check", "-"], &source).status.code(), Some(0));
    assert_eq!(ptxvm(&["check", "--target", "sm_80", "-"], &source).status.code(), Some(2));
    assert_eq!(ptxvm(&["check", "--target", "sm_1", "-"], &source).status.code(), Some(1));
}

#[test]
fn what_cannot_be_read_exits_with_1_and_does_not_hide_the_rest() {
    let good = root().join("examples/saxpy.ptx");
    let good = good.to_string_lossy();
    let output = ptxvm(&["check", "--format", "json", "/nowhere.ptx", &good], b"");
    assert_eq!(output.status.code(), Some(1));
    let lines = json_lines(&output);
    assert_eq!(lines.len(), 2);
    assert_eq!((&lines[0]["ok"], &lines[1]["ok"]), (&Value::Bool(false), &Value::Bool(true)));
    assert!(text(&output.stderr).contains("/nowhere.ptx"));
    assert_eq!(ptxvm(&["check"], b"").status.code(), Some(1));
    assert_eq!(ptxvm(&["chekc", "x"], b"").status.code(), Some(1));
}

#[test]
fn bytes_that_are_no_text_are_named_with_line_and_column() {
    let output = ptxvm(&["check", "--format", "json", "-"], b".version 9.1\n.target \xff sm_90\n");
    let lines = json_lines(&output);
    assert_eq!(output.status.code(), Some(2));
    assert_eq!((&lines[0]["line"], &lines[0]["column"]), (&Value::from(2), &Value::from(9)));
    let human = ptxvm(&["check", "-"], b".version 9.1\n.target \xff sm_90\n");
    assert!(text(&human.stderr).contains("UTF-8"));
    let nul = ptxvm(&["check", "-"], b".version 9.1\n.target sm_90\n\0\n");
    assert_eq!(nul.status.code(), Some(2));
    assert!(text(&nul.stderr).contains("NUL"));
}

#[test]
fn every_help_states_the_exit_codes() {
    for command in [
        &["--help"][..],
        &["run", "--help"],
        &["check", "--help"],
        &["fmt", "--help"],
        &["isa", "--help"],
        &["explain", "--help"],
    ] {
        let output = ptxvm(command, b"");
        assert_eq!(output.status.code(), Some(0));
        let help = text(&output.stdout);
        assert!(help.contains("Exit status:") && help.contains("101"), "{help}");
    }
}

#[test]
fn fmt_is_stable_and_check_tells() {
    let source = b".version 9.1\n  .target   sm_80\n.address_size 64\n// keep me\n.entry k ( ) { ret ; }\n";
    let once = ptxvm(&["fmt", "-"], source);
    assert_eq!(once.status.code(), Some(0));
    assert!(text(&once.stdout).contains("// keep me"));
    let twice = ptxvm(&["fmt", "-"], &once.stdout);
    assert_eq!(text(&twice.stdout), text(&once.stdout));
    assert_eq!(ptxvm(&["fmt", "--check", "-"], source).status.code(), Some(2));
    assert_eq!(ptxvm(&["fmt", "--check", "-"], &once.stdout).status.code(), Some(0));
    assert_eq!(ptxvm(&["fmt", "-"], b".version 9.1 }}}").status.code(), Some(2));
}

#[test]
fn fmt_writes_the_file_and_leaves_a_wrong_one_alone() {
    let folder = std::env::temp_dir().join(format!("ptxvm-fmt-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    let file = folder.join("a.ptx");
    std::fs::write(&file, ".version 9.1\n.target sm_80 .address_size 64\n").expect("written");
    let path = file.to_string_lossy().into_owned();
    assert_eq!(ptxvm(&["fmt", &path], b"").status.code(), Some(0));
    let formatted = std::fs::read_to_string(&file).expect("still there");
    assert!(formatted.contains(".target sm_80\n"), "{formatted}");
    std::fs::write(&file, ".version 9.1 (((").expect("written");
    assert_eq!(ptxvm(&["fmt", &path], b"").status.code(), Some(2));
    assert_eq!(std::fs::read_to_string(&file).expect("still there"), ".version 9.1 (((");
    assert_eq!(std::fs::read_dir(&folder).expect("listed").count(), 1);
    std::fs::remove_dir_all(&folder).expect("removed");
}

#[test]
fn isa_shows_an_instruction_its_modifiers_and_where_it_is_legal() {
    let output = ptxvm(&["isa", "mul.wide.s32"], b"");
    let shown = text(&output.stdout);
    assert_eq!(output.status.code(), Some(0));
    for expected in ["9.7.1.3", "mul.wide", ".wide", ".s32", "legal with"] {
        assert!(shown.contains(expected), "{expected} is missing in {shown}");
    }
    assert!(!shown.contains("mul.hi.type"), "{shown}");
    let lacking = text(&ptxvm(&["isa", "--lacks", "sm_80"], b"").stdout);
    assert!(
        lacking.contains("wgmma.mma_async") && !lacking.contains("ldmatrix.sync.aligned.m8n8"),
        "{lacking}"
    );
    let bytes = "sub{.sat}.type d, %a, %b";
    assert!(text(&ptxvm(&["isa", "--lacks", "sm_100a"], b"").stdout).contains(bytes));
    assert!(!text(&ptxvm(&["isa", "--lacks", "sm_120f"], b"").stdout).contains(bytes));
    assert!(text(&ptxvm(&["isa", "%clusterid"], b"").stdout).contains("sm_90"));
    assert!(text(&ptxvm(&["isa", ".maxntid"], b"").stdout).contains("maxntid"));
    assert!(text(&ptxvm(&["isa"], b"").stdout).contains("tcgen05.mma"));
    assert_eq!(ptxvm(&["isa", "nonsense"], b"").status.code(), Some(1));
}

#[test]
fn every_code_in_the_tables_has_a_page() {
    let listed = text(&ptxvm(&["explain"], b"").stdout);
    let tables = [
        ptxvm_syntax::codes::TABLE,
        ptxvm_module::codes::TABLE,
        ptxvm_model::codes::TABLE,
        ptxvm_module::instruction::CODES[0],
        ptxvm_module::instruction::CODES[1],
    ]
    .concat();
    assert!(tables.len() > 20);
    for (code, _) in tables {
        assert!(listed.contains(code.0), "{code} has no page");
        let page = ptxvm(&["explain", code.0], b"");
        assert_eq!(page.status.code(), Some(0));
        assert!(text(&page.stdout).starts_with(&format!("# {code}: ")), "{code}");
    }
    assert_eq!(ptxvm(&["explain", "E9999"], b"").status.code(), Some(1));
}

#[test]
fn every_kind_of_finding_has_a_page_that_says_what_silicon_does() {
    for kind in ptxvm_vm::Kind::ALL {
        let page = ptxvm(&["explain", kind.name()], b"");
        assert_eq!(page.status.code(), Some(0), "{}", kind.name());
        let page = text(&page.stdout);
        assert!(page.starts_with(&format!("# {}: ", kind.name())), "{page}");
        assert!(page.contains("\n## On an H200\n"), "{page}");
    }
}

#[test]
fn the_whole_corpus_passes() {
    let mut files = Vec::new();
    for folder in std::fs::read_dir(root().join("tests/corpus")).expect("the corpus is there").flatten() {
        for file in std::fs::read_dir(folder.path()).expect("a folder").flatten() {
            files.push(file.path().to_string_lossy().into_owned());
        }
    }
    assert_eq!(files.len(), 178);
    let mut arguments = vec!["check", "--no-warnings"];
    arguments.extend(files.iter().map(String::as_str));
    let output = ptxvm(&arguments, b"");
    assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()));
}
