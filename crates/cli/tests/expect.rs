//! `ptxvm run --expect`: a kernel's test without a program around it.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// Doubles eight floats.
const DOUBLES: &str = "// ptxvm: run --block 8 --arg 'f32[8]=iota'
.version 9.1
.target sm_80
.address_size 64
.visible .entry twice(.param .u64 .ptr .global y)
{
	.reg .b32 %t;
	.reg .f32 %v;
	.reg .b64 %p;
	ld.param.u64 %p, [y];
	mov.u32 %t, %tid.x;
	mad.wide.u32 %p, %t, 4, %p;
	ld.global.f32 %v, [%p];
	add.f32 %v, %v, %v;
	st.global.f32 [%p], %v;
	ret;
}
";

fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("expect").join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the test's folder can be made");
    std::fs::write(folder.join("twice.ptx"), DOUBLES).expect("a file can be written");
    folder
}

fn run(folder: &Path, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_ptxvm"))
        .args(["run", "twice.ptx"])
        .args(arguments)
        .current_dir(folder)
        .output()
        .expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

fn doubles(values: [f64; 8]) -> Vec<u8> {
    values.iter().flat_map(|value| value.to_le_bytes()).collect()
}

/// A `.npy` file of eight doubles.
fn npy(values: [f64; 8]) -> Vec<u8> {
    let mut file =
        b"\x93NUMPY\x01\x00\x76\x00{'descr': '<f8', 'fortran_order': False, 'shape': (8,), }".to_vec();
    file.resize(127, b' ');
    file.push(b'\n');
    file.extend(doubles(values));
    file
}

#[test]
fn what_is_right_is_silent() {
    let folder = folder("right");
    assert_eq!(run(&folder, &["--save", "y=y.npy"]).status.code(), Some(0));
    std::fs::write(folder.join("reference.npy"), npy([0.0, 2.0, 4.0, 6.0, 8.0, 10.0, 12.0, 14.00001]))
        .expect("a file");
    for expect in [
        "y=y.npy",
        "0=y.npy",
        "y=[0,2,4,6,8,10,12,14]",
        "y=reference.npy,rtol=1e-6",
        "y=reference.npy,atol=1e-4",
    ] {
        let output = run(&folder, &["-q", "--expect", expect]);
        assert_eq!((output.status.code(), text(&output.stderr)), (Some(0), String::new()), "{expect}");
    }
}

#[test]
fn what_differs_is_a_finding_with_the_first_element() {
    let folder = folder("wrong");
    let output = run(&folder, &["-q", "--expect", "y=[0,2,4,6,8,10,12,15]", "--color", "never"]);
    assert_eq!(output.status.code(), Some(3));
    let said = text(&output.stderr);
    assert!(
        said.starts_with("error[unexpected-result]: `y` is not what is expected: 1 of 8 elements differs\n"),
        "{said}"
    );
    assert!(said.contains("`y[7]` is 14, and 15 is expected"), "{said}");

    std::fs::write(folder.join("reference.npy"), npy([0.0, 2.0, 4.1, 6.0, 8.0, 10.0, 12.0, 20.0]))
        .expect("a file");
    let output = run(&folder, &["--expect", "y=reference.npy,rtol=1e-3", "--format", "json"]);
    assert_eq!(output.status.code(), Some(3));
    let objects: Vec<Value> =
        text(&output.stdout).lines().map(|line| serde_json::from_str(line).expect("JSON")).collect();
    let finding = objects.iter().find(|object| object["kind"] == "finding").expect("a finding");
    assert_eq!((&finding["code"], &finding["buffer"]), (&"unexpected-result".into(), &"y".into()));
    assert_eq!((&finding["differing_elements"], &finding["index"][0]), (&2.into(), &2.into()));
    assert!(
        finding["notes"][1].as_str().is_some_and(|note| note.contains("`y[7]`: 14 instead of 20, 6 away")),
        "{finding}"
    );
    // The same bits are expected without a tolerance: a zero has a sign.
    let output = run(&folder, &["-q", "--expect", "y=[-0,2,4,6,8,10,12,14]", "--color", "never"]);
    assert!(text(&output.stderr).contains("`y[0]` is 0, and -0 is expected"), "{}", text(&output.stderr));
}

#[test]
fn what_cannot_be_compared_is_wrong_usage_before_anything_runs() {
    let folder = folder("usage");
    std::fs::write(folder.join("short.bin"), [0; 12]).expect("a file");
    std::fs::write(folder.join("f64.npy"), npy([0.0; 8])).expect("a file");
    for (expect, why) in [
        ("y", "NAME=FILE"),
        ("z=a.npy", "there is no parameter `z`"),
        ("y=", "the file's name is missing"),
        ("y=nowhere.npy", "cannot read nowhere.npy"),
        ("y=short.bin", "`y` has 8 elements, and 3 are expected"),
        ("y=[1,2]", "`y` has 8 elements, and 2 are expected"),
        ("y=[1,x]", "`x` is not a number for f32"),
        ("y=f64.npy", "`y` is f32, and f64 is expected; with a tolerance"),
        ("y=f64.npy,rtol=-1", "no number of 0 or more"),
        ("y=f64.npy,tol=1", "rtol=… and atol=…"),
    ] {
        let output = run(&folder, &["--expect", expect]);
        assert_eq!(output.status.code(), Some(1), "{expect}: {}", text(&output.stderr));
        assert!(text(&output.stderr).contains(why), "{expect}: {}", text(&output.stderr));
        assert!(text(&output.stdout).is_empty(), "{expect}");
    }
}

#[test]
fn a_launch_line_may_expect_values_but_read_files_only_if_it_is_trusted() {
    let folder = folder("launch-line");
    let with = |line: &str| {
        std::fs::write(folder.join("twice.ptx"), format!("// ptxvm: run {line}\n{DOUBLES}")).expect("a file");
    };
    with("--expect 'y=[0,2,4,6,8,10,12,14]'");
    assert_eq!(run(&folder, &[]).status.code(), Some(0));
    with("--expect y=/etc/hostname,rtol=1");
    let output = run(&folder, &[]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("--trust-launch-line"), "{}", text(&output.stderr));
}
