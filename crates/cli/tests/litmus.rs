//! `ptxvm litmus` from outside: what it prints, what it draws, how it exits.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

fn tests() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/litmus")
}

fn litmus(arguments: &[&str], input: &str) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ptxvm"))
        .arg("litmus")
        .args(arguments)
        .current_dir(tests())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    child.stdin.take().expect("a pipe").write_all(input.as_bytes()).expect("it reads");
    child.wait_with_output().expect("it ends")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn what_is_forbidden_is_explained_by_a_cycle() {
    let output = litmus(&["manual/MP.litmus"], "");
    assert_eq!(output.status.code(), Some(0));
    let shown = text(&output.stdout);
    assert!(shown.contains("yes, it is forbidden (ptx-9.1)"), "{shown}");
    for line in [
        "Causality forbids every execution",
        "fr -> P0 a: st.weak data, 1",
        "po -> P0 b: fence.acq_rel.sys",
        "sync -> P1 e: fence.acq_rel.sys",
    ] {
        assert!(shown.contains(line), "{shown}");
    }
}

#[test]
fn what_is_allowed_is_drawn_and_the_fences_that_forbid_it_are_named() {
    let output = litmus(&["copies/IRIW-relaxed.litmus"], "");
    assert_eq!(output.status.code(), Some(0));
    let shown = text(&output.stdout);
    assert!(shown.contains("fr       d -> b, f -> a"), "{shown}");
    assert!(shown.contains("fence.sc.gpu in P2 after `ld.relaxed.gpu r0, x`"), "{shown}");
    assert!(
        shown.contains("fence.sc.gpu in P3 after `ld.relaxed.gpu r2, y` together would forbid it"),
        "{shown}"
    );
    let shown = text(&litmus(&["async/bulk-source-no-fence.litmus"], "").stdout);
    assert!(shown.contains("fence.proxy.async in P0 after `st.weak x, 1` would forbid it"), "{shown}");
    let shown = text(&litmus(&["tcgen05/commit-no-after.litmus"], "").stdout);
    let after = "tcgen05.fence::after_thread_sync in P1 after `mbarrier.test_wait r0, m` would forbid it";
    assert!(shown.contains(after), "{shown}");
    let shown = text(&litmus(&["copies/WRC-weak-read.litmus"], "").stdout);
    assert!(shown.contains("accesses that are .relaxed.gpu instead of weak would forbid it"), "{shown}");
}

#[test]
fn a_statement_that_is_not_true_exits_with_3_and_models_differ() {
    assert_eq!(litmus(&["manual/SB-acq_rel.litmus"], "").status.code(), Some(0));
    assert_eq!(litmus(&["--model", "sc", "manual/SB-acq_rel.litmus"], "").status.code(), Some(3));
    let both = litmus(&["--model", "ptx-9.1,sc", "--format", "json", "manual/SB-acq_rel.litmus"], "");
    assert_eq!(both.status.code(), Some(3));
    let holds = |line: &str| serde_json::from_str::<serde_json::Value>(line).expect("JSON")["holds"].clone();
    assert_eq!(text(&both.stdout).lines().map(holds).collect::<Vec<_>>(), [true, false]);
    assert_eq!(litmus(&["--model", "tso", "manual/SB.litmus"], "").status.code(), Some(1));
    assert_eq!(litmus(&["--ends", "barrier/crossed.litmus"], "").status.code(), Some(3));
    assert_eq!(litmus(&["--ends", "barrier/sync.litmus"], "").status.code(), Some(0));
}

#[test]
fn json_has_the_states() {
    let output = litmus(&["--format", "json", "manual/CoRR.litmus", "manual/LB.litmus"], "");
    let lines: Vec<serde_json::Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    assert_eq!(lines.len(), 2);
    assert_eq!(lines[0]["file"], "manual/CoRR.litmus");
    assert_eq!(lines[0]["holds"], true);
    assert_eq!(lines[0]["states"].as_array().map(Vec::len), Some(3));
    assert_eq!(lines[0]["forbidden_by"], "SC-per-Location");
    assert_eq!(lines[0]["execution"]["cycle"].as_array().map(Vec::len), Some(3));
    assert_eq!(lines[1]["execution"]["races"].as_array().map(Vec::len), Some(2));
    assert_eq!(lines[1]["states"][3]["values"]["P0:r0"], 1);
    assert_eq!(lines[1]["states"][3]["satisfies"], true);
}

#[test]
fn a_malformed_file_is_wrong_at_a_place() {
    let output = litmus(
        &["-"],
        "PTX a\n{ x = 0; }\n P0@cta 0,gpu 0 ;\n ld.release.gpu r0, x ;\nexists (P0:r0 == 1)\n",
    );
    assert_eq!(output.status.code(), Some(2));
    let shown = text(&output.stderr);
    assert!(shown.contains("error[E0703]: `ld` cannot be `.release`"), "{shown}");
    assert!(shown.contains("<stdin>:4:2"), "{shown}");
    assert_eq!(litmus(&["-"], "").status.code(), Some(2));
    assert_eq!(litmus(&["no-such-file"], "").status.code(), Some(1));
}

#[test]
fn a_module_is_a_litmus_test_too() {
    let output = litmus(&["ptx/mp.ptx"], "");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(text(&output.stdout).contains("sync -> P1 c: ld.acquire.gpu.global.u32 %r1, [flag] = 1"));
    assert_eq!(litmus(&["--model", "sc", "ptx/mp-relaxed.ptx"], "").status.code(), Some(3));
    // What a litmus test cannot do is our limit, what no PTX may do is the file's fault.
    assert_eq!(litmus(&["invalid/parameter.ptx"], "").status.code(), Some(4));
    assert_eq!(litmus(&["invalid/question.ptx"], "").status.code(), Some(2));
    let head =
        "// litmus: grid 1\n// litmus: exists (x == 1)\n.version 8.6\n.target sm_90\n.address_size 64\n";
    let wrong = format!("{head}.global .u32 x;\n.entry k() {{ st.release.global.u32 [x], 1; ret; }}\n");
    assert_eq!(litmus(&["-"], &wrong).status.code(), Some(2));
}

#[test]
fn a_test_that_is_too_large_ends_with_3_and_the_bound() {
    let output = litmus(&["--max-candidates", "10", "copies/IRIW-fence-sc.litmus"], "");
    assert_eq!(output.status.code(), Some(3));
    assert!(text(&output.stderr).contains("more than 10 candidate executions"));
}

#[test]
fn the_picture_is_svg_with_every_event_and_edge() {
    let path = std::env::temp_dir().join(format!("ptxvm-litmus-{}.svg", std::process::id()));
    let output = litmus(&["--svg", &path.to_string_lossy(), "manual/SB-acq_rel.litmus"], "");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let picture = std::fs::read_to_string(&path).expect("a picture");
    assert!(picture.starts_with("<svg ") && picture.ends_with("</svg>\n"));
    for part in ["st.weak x, 1", "fence.acq_rel.sys", "ld.weak r0, y = 0", ">fr</text>", ">rf</text>"] {
        assert!(picture.contains(part), "{part}");
    }
    let output = litmus(&["--svg", &path.to_string_lossy(), "manual/MP.litmus"], "");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    let picture = std::fs::read_to_string(&path).expect("a picture");
    assert!(picture.contains("stroke-width=\"2.5\""), "the cycle stands out");
    std::fs::remove_file(&path).expect("it is ours");
}
