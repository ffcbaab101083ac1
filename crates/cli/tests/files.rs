//! Which files `ptxvm check` and `ptxvm fmt` mean: folders, patterns, and what `ptxvm.toml` says.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const RIGHT: &str = ".version 9.1\n.target sm_80\n.address_size 64\n";
const WRONG: &str = ".version 9.1\n.target sm_80\n.address_size 63\n";

/// A folder with right and wrong files in several places.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("files").join(test);
    let _ = std::fs::remove_dir_all(&folder);
    for (name, text) in [
        ("a/one.ptx", RIGHT),
        ("a/deep/two.ptx", RIGHT),
        ("b/three.ptx", WRONG),
        ("b/notes.txt", "no PTX"),
        ("ignored/four.ptx", WRONG),
        (".hidden/five.ptx", WRONG),
        (".gitignore", "ignored/\n"),
    ] {
        let path = folder.join(name);
        std::fs::create_dir_all(path.parent().expect("a folder")).expect("the test's folder can be made");
        std::fs::write(path, text).expect("a file can be written");
    }
    folder
}

fn ptxvm(folder: &Path, arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxvm"));
    command.args(arguments).current_dir(folder).output().expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// The files that `check` looks at, in order.
fn checked(folder: &Path, arguments: &[&str]) -> Vec<String> {
    let output = ptxvm(folder, &[&["check", "--format", "json"], arguments].concat());
    let lines = text(&output.stdout);
    let objects = lines.lines().map(|line| serde_json::from_str::<serde_json::Value>(line).expect("JSON"));
    objects
        .filter(|object| !object["ok"].is_null())
        .filter_map(|object| object["file"].as_str().map(str::to_owned))
        .collect()
}

#[test]
fn folders_and_patterns_are_searched() {
    let folder = folder("searched");
    assert_eq!(checked(&folder, &["."]), ["a/deep/two.ptx", "a/one.ptx", "b/three.ptx"]);
    assert_eq!(checked(&folder, &["a"]), ["a/deep/two.ptx", "a/one.ptx"]);
    assert_eq!(checked(&folder, &["a/*.ptx"]), ["a/one.ptx"]);
    assert_eq!(checked(&folder, &["**/t*.ptx"]), ["a/deep/two.ptx", "b/three.ptx"]);
    assert_eq!(checked(&folder, &["{a,b}/*.ptx", "a/one.ptx"]), ["a/one.ptx", "b/three.ptx"], "each once");
    assert_eq!(checked(&folder, &["ignored/four.ptx"]), ["ignored/four.ptx"], "what is named is meant");
    assert_eq!(checked(&folder.join("a/deep"), &["../../b"]), ["../../b/three.ptx"]);
}

#[test]
fn where_there_is_nothing_is_wrong_usage() {
    let folder = folder("nothing");
    std::fs::create_dir(folder.join("empty")).expect("a folder");
    for (arguments, why) in [
        (&["empty"][..], "empty: there is no PTX file"),
        (&["a/*.cubin"], "a/*.cubin: there is no PTX file"),
        (&["a/[.ptx"], "a/[.ptx: "),
        (&[], "name files, folders or patterns"),
    ] {
        for command in ["check", "fmt"] {
            let output = ptxvm(&folder, &[&[command], arguments].concat());
            assert_eq!(output.status.code(), Some(1), "{arguments:?}: {}", text(&output.stderr));
            assert!(text(&output.stderr).contains(why), "{arguments:?}: {}", text(&output.stderr));
        }
    }
}

#[test]
fn a_project_says_once_what_is_meant() {
    let folder = folder("project");
    let says = |text: &str| std::fs::write(folder.join("ptxvm.toml"), text).expect("a file can be written");
    says("files = [\"a\", \"b/*.ptx\"]\nexclude = [\"deep\"]\n[check]\nformat = \"github\"\n");
    assert_eq!(checked(&folder, &[]), ["a/one.ptx", "b/three.ptx"]);
    assert_eq!(
        checked(&folder, &["a"]),
        ["a/one.ptx"],
        "what is left out is left out of folders that are named, too"
    );
    let output = ptxvm(&folder.join("a"), &["check"]);
    assert_eq!(output.status.code(), Some(2));
    assert!(text(&output.stdout).contains("::error file="), "the project's format: {}", text(&output.stdout));
    assert_eq!(ptxvm(&folder, &["fmt", "--check"]).status.code(), Some(0));

    says("[check]\ntarget = \"sm_75\"\n");
    std::fs::write(folder.join("a/one.ptx"), RIGHT.replace("sm_80", "sm_90a")).expect("a file");
    assert_eq!(ptxvm(&folder, &["check", "a/one.ptx"]).status.code(), Some(0));

    for (wrong, why) in [
        ("file = []\n", "unknown field `file`"),
        ("files = 1\n", "invalid type"),
        ("[check]\ntarget = \"sm_1\"\n", "check.target = \"sm_1\": expected a target"),
        ("[check]\nformat = \"xml\"\n", "unknown variant `xml`"),
        ("files = [\n", "TOML parse error at line"),
    ] {
        says(wrong);
        let output = ptxvm(&folder, &["check", "a"]);
        assert_eq!(output.status.code(), Some(1), "{wrong}");
        let said = text(&output.stderr);
        assert!(said.contains("ptxvm.toml: ") && said.contains(why), "{wrong}: {said}");
    }
}
