//! What is written where others can write too: links that were put in the way, folders that are not our own, and
//! characters that a terminal would obey.

use std::fs;
use std::os::unix::fs::{PermissionsExt, symlink};
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

const UGLY: &str = ".version 9.1\n.target   sm_90\n.address_size 64\n";

/// A folder for one test, empty at the start.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("private").join(test);
    let _ = fs::remove_dir_all(&folder);
    fs::create_dir_all(&folder).expect("the test's folder can be made");
    folder
}

fn names(folder: &Path) -> Vec<String> {
    let mut names: Vec<String> = fs::read_dir(folder)
        .expect("a folder")
        .map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned())
        .collect();
    names.sort();
    names
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

#[test]
fn fmt_writes_through_no_link_that_it_was_not_given() {
    let folder = folder("planted");
    fs::write(folder.join("a.ptx"), UGLY).expect("a file");
    fs::write(folder.join("victim"), "untouched").expect("a file");
    // The shell becomes the command, with the same number.
    let script = "ln -s victim a.ptx.ptxvm-$$ && exec \"$0\" fmt a.ptx";
    let output = Command::new("sh")
        .args(["-c", script, env!("CARGO_BIN_EXE_ptxvm")])
        .current_dir(&folder)
        .output()
        .expect("the command starts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert_eq!(fs::read_to_string(folder.join("victim")).expect("it is there"), "untouched");
    assert_ne!(fs::read_to_string(folder.join("a.ptx")).expect("it is there"), UGLY);
}

#[test]
fn fmt_follows_the_link_that_it_was_given_and_keeps_the_mode() {
    let folder = folder("link");
    fs::create_dir(folder.join("deep")).expect("a folder");
    let target = folder.join("deep/real.ptx");
    fs::write(&target, UGLY).expect("a file");
    fs::set_permissions(&target, fs::Permissions::from_mode(0o640)).expect("a mode");
    symlink("deep/real.ptx", folder.join("link.ptx")).expect("a link");
    let output = Command::new(env!("CARGO_BIN_EXE_ptxvm"))
        .args(["fmt", "link.ptx"])
        .current_dir(&folder)
        .output()
        .expect("the command starts");
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    assert!(fs::symlink_metadata(folder.join("link.ptx")).expect("it is there").is_symlink());
    assert_ne!(fs::read_to_string(&target).expect("it is there"), UGLY);
    assert_eq!(fs::metadata(&target).expect("it is there").permissions().mode() & 0o777, 0o640);
    assert_eq!(names(&folder.join("deep")), ["real.ptx"], "nothing is left beside it");
}

/// Runs a script under `ptxvm exec`, with an environment that says nothing of the machine's own.
fn exec(folder: &Path, home: Option<&Path>, script: &str) -> Output {
    fs::write(folder.join("library"), b"\x7fELF").expect("a file can be written");
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxvm"));
    command.env_clear().env("PATH", "/usr/bin:/bin").env("TMPDIR", folder);
    command.envs(home.map(|home| ("HOME", home))).env("PTXVM_LIBCUDA", folder.join("library"));
    command.args(["exec", "--", "sh", "-c", script]).output().expect("the command starts")
}

#[test]
fn caches_are_in_no_folder_that_others_write_to() {
    let folder = folder("cache");
    let script = "echo $TRITON_CACHE_DIR; echo ${LD_LIBRARY_PATH%%:*}; stat -c %a ${LD_LIBRARY_PATH%%:*}";
    let shown = |home: Option<&Path>| {
        let output = exec(&folder, home, script);
        assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
        let lines: Vec<String> = text(&output.stdout).lines().map(str::to_owned).collect();
        assert_eq!(lines[2], "700");
        (lines[0].clone(), lines[1].clone())
    };
    // Without a home there is no place that lasts and is the user's own.
    let (cache, private) = shown(None);
    assert!(cache.starts_with(&private), "{cache} is outside of {private}");
    // A folder that others can write to is not used, one of our own is.
    let home = folder.join("home");
    fs::create_dir_all(home.join(".cache/ptxvm")).expect("a folder");
    fs::set_permissions(home.join(".cache/ptxvm"), fs::Permissions::from_mode(0o777)).expect("a mode");
    let (cache, private) = shown(Some(&home));
    assert!(cache.starts_with(&private), "{cache} is outside of {private}");
    fs::remove_dir(home.join(".cache/ptxvm")).expect("it is empty");
    let (cache, _) = shown(Some(&home));
    assert!(Path::new(&cache).starts_with(home.join(".cache/ptxvm")), "{cache}");
    let mode = fs::metadata(home.join(".cache/ptxvm")).expect("it was made").permissions().mode();
    assert_eq!(mode & 0o777, 0o700);
}

#[test]
fn a_signal_that_ends_a_program_is_named() {
    let output = exec(&folder("signal"), None, "kill -ABRT $$");
    assert_eq!(output.status.code(), Some(134));
    assert!(text(&output.stderr).contains("signal 6 (SIGABRT)"), "{}", text(&output.stderr));
}

#[test]
fn no_file_gives_orders_to_a_terminal() {
    let folder = folder("terminal");
    let order = "\x1b]0;owned\x07\u{9b}2J";
    let head = ".version 9.1\n.target sm_90\n.address_size 64\n";
    for (verb, source) in [
        ("check", format!("{head}.pragma \"{order}\";\n")),
        ("check", format!("{head}.global .b32 x{order};\n")),
        (
            "run",
            format!("// ptxvm: run --arg '{order}'\n{head}.visible .entry k(.param .u32 p) {{ ret; }}\n"),
        ),
        ("run", format!("// ptxvm: run --{order} 1\n{head}.visible .entry k() {{ ret; }}\n")),
        ("run", format!("// ptxvm: run --entry '{order}'\n{head}.visible .entry k() {{ ret; }}\n")),
        ("run", format!("// ptxvm: run --device '{order}'\n{head}.visible .entry k() {{ ret; }}\n")),
        (
            "run",
            format!(
                "// ptxvm: run\n{head}.file 1 \"{order}\"\n.visible .entry k() {{ .loc 1 1 1\n trap; }}\n"
            ),
        ),
    ] {
        fs::write(folder.join("a.ptx"), &source).expect("a file");
        let output = Command::new(env!("CARGO_BIN_EXE_ptxvm"))
            .args([verb, "--color", "never", "a.ptx"])
            .current_dir(&folder)
            .output()
            .expect("the command starts");
        let said = text(&[output.stdout, output.stderr].concat());
        assert!(!said.is_empty() && output.status.code() != Some(0), "{source:?}");
        assert!(!said.contains(['\x1b', '\x07', '\u{9b}']), "{source:?}: {said:?}");
    }
}
