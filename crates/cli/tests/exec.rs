//! `ptxvm exec` from outside: what the command sees, and what becomes of its exit status. The library's part is played by
//! a file and by the shell, which leaves findings where the library would.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// A folder for one test, empty at the start, with something that passes for a library.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("exec").join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the test's folder can be made");
    std::fs::write(folder.join("library"), b"\x7fELF").expect("a file can be written");
    folder
}

/// Runs with an environment that says nothing of the machine's own.
fn ptxvm(folder: &Path, arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_ptxvm"));
    command.env_clear().env("PATH", "/usr/bin:/bin").env("HOME", folder).env("TMPDIR", folder);
    command.env("PTXVM_LIBCUDA", folder.join("library")).arg("exec").args(arguments);
    command
}

fn output(command: &mut Command) -> Output {
    command.output().expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// What the shell prints of an expression.
fn shell(folder: &Path, options: &[&str], script: &str) -> String {
    let output = output(&mut ptxvm(folder, &[options, &["--", "sh", "-c", script]].concat()));
    assert_eq!(output.status.code(), Some(0), "{}", text(&output.stderr));
    text(&output.stdout).trim_end().to_owned()
}

#[test]
fn the_library_comes_first_under_both_names() {
    let folder = folder("library");
    let library = folder.join("library").canonicalize().expect("it is there");
    let script = "d=${LD_LIBRARY_PATH%%:*}; readlink $d/libcuda.so.1 $d/libcuda.so; echo $LD_LIBRARY_PATH";
    let run = output(ptxvm(&folder, &["--", "sh", "-c", script]).env("LD_LIBRARY_PATH", "/a:/b"));
    let shown = text(&run.stdout);
    let lines: Vec<&str> = shown.lines().collect();
    assert_eq!(lines[..2], [library.to_str().expect("a path"); 2]);
    assert!(lines[2].ends_with(":/a:/b") && lines[2].starts_with('/'), "{shown}");
    let private = lines[2].split(':').next().expect("a path");
    assert!(!Path::new(private).exists(), "the folder goes with the command");
}

#[test]
fn clients_find_the_driver_and_the_stand_in() {
    let folder = folder("clients");
    let script = "test \"$TRITON_PTXAS_PATH\" = \"$TRITON_PTXAS_BLACKWELL_PATH\" && \
                  test -e $TRITON_LIBCUDA_PATH/libcuda.so.1 && test -e $NUMBA_CUDA_DRIVER && \
                  $TRITON_PTXAS_PATH --version";
    assert!(shell(&folder, &[], script).contains("release 13.4"));
}

#[test]
fn caches_are_kept_apart() {
    let folder = folder("caches");
    let home = folder.to_str().expect("a path");
    let show = "echo $TRITON_CACHE_DIR $NUMBA_CACHE_DIR";
    let version = env!("CARGO_PKG_VERSION");
    let own = |place: &str, device: &str| format!("{place}/ptxvm-{version}-{device}");
    assert_eq!(shell(&folder, &[], show), own(&format!("{home}/.cache/ptxvm/triton"), "h200"));
    assert_eq!(
        shell(&folder, &["--device", "b200"], show),
        own(&format!("{home}/.cache/ptxvm/triton"), "b200")
    );
    let mut chosen = ptxvm(&folder, &["--", "sh", "-c", show]);
    chosen.env("TRITON_CACHE_DIR", "/t").env("NUMBA_CACHE_DIR", "/n").env("PTXVM_DEVICE", "a100");
    let shown = text(&output(&mut chosen).stdout);
    assert_eq!(shown.trim_end(), format!("{} {}", own("/t", "a100"), own("/n", "a100")));
}

#[test]
fn options_reach_the_library() {
    let folder = folder("options");
    let show = "env | grep ^PTXVM_ | grep -vE 'REPORT|LIBCUDA|INTERRUPT|STDERR' | sort | tr '\\n' ' '";
    assert_eq!(shell(&folder, &[], show), "", "what is not said is not set");
    let options = [
        "--device",
        "b200",
        "--seed",
        "7",
        "--threads",
        "0",
        "--stats",
        "--api-trace",
        "--color",
        "never",
        "--max-instructions",
        "10M",
        "--timeout",
        "1500ms",
    ];
    assert_eq!(
        shell(&folder, &options, show),
        "PTXVM_API_TRACE=1 PTXVM_COLOR=never PTXVM_DEVICE=b200 PTXVM_MAX_INSTRUCTIONS=10000000 PTXVM_SEED=7 \
         PTXVM_STATS=1 PTXVM_THREADS=0 PTXVM_TIMEOUT=1.5"
    );
}

#[test]
fn the_exit_status_is_the_commands() {
    let folder = folder("status");
    for (script, expected) in [("exit 0", 0), ("exit 42", 42), ("kill -9 $$", 137), ("kill -11 $$", 139)] {
        let run = output(&mut ptxvm(&folder, &["--", "sh", "-c", script]));
        assert_eq!(run.status.code(), Some(expected), "{script}");
    }
    let missing = output(&mut ptxvm(&folder, &["--", "no-such-command"]));
    assert_eq!(missing.status.code(), Some(127));
    assert!(text(&missing.stderr).contains("no-such-command"));
    let unfit = folder.join("library");
    let run = output(&mut ptxvm(&folder, &["--", unfit.to_str().expect("a path")]));
    assert_eq!(run.status.code(), Some(126), "it is no program");
}

#[test]
fn findings_change_the_status_of_a_command_that_says_it_is_well() {
    let folder = folder("findings");
    let line = |kind: &str| format!("echo '{{\"kind\":\"{kind}\"}}' >> $PTXVM_REPORT; ");
    for (kinds, ends, expected) in [
        (&["finding"][..], 0, 3),
        (&["limit"], 0, 3),
        (&["unsupported", "finding"], 0, 4),
        (&["bug", "finding"], 0, 101),
        (&["finding"], 9, 9),
        (&["something else"], 0, 0),
    ] {
        let script = kinds.iter().map(|kind| line(kind)).collect::<String>() + &format!("exit {ends}");
        let run = output(&mut ptxvm(&folder, &["--", "sh", "-c", &script]));
        assert_eq!(run.status.code(), Some(expected), "{kinds:?} and {ends}");
        let ignored = output(&mut ptxvm(&folder, &["--status", "command", "--", "sh", "-c", &script]));
        assert_eq!(ignored.status.code(), Some(ends), "{kinds:?}");
    }
    let cut = "printf '{\"kind\":\"finding\"}\\n{\"kind\":\"bu' > $PTXVM_REPORT";
    assert_eq!(output(&mut ptxvm(&folder, &["--", "sh", "-c", cut])).status.code(), Some(3));
}

/// What the user saw while the command ran is not said again; what the command captured is, at its end.
#[test]
fn what_the_command_captured_is_told_at_its_end() {
    let folder = folder("captured");
    let ask = "test \"$PTXVM_STDERR\" = $(stat -L -c %d:%i /proc/self/fd/2)";
    let same = output(&mut ptxvm(&folder, &["--", "sh", "-c", ask]));
    assert_eq!(same.status.code(), Some(0), "{}", text(&same.stderr));
    let other = output(&mut ptxvm(&folder, &["--", "sh", "-c", &format!("exec 2> {}; {ask}", "captured")]));
    assert_eq!(other.status.code(), Some(1), "{}", text(&other.stderr));
    // As text that the shell does not read escapes in.
    let line = |fields: &str| format!("printf '%s\\n' '{{\"kind\":\"finding\"{fields}}}' >> $PTXVM_REPORT; ");
    let said = |n: usize| line(&format!(",\"said\":\"error[{n}]: it\\n\""));
    let script = said(1) + &line("") + &said(3);
    let run = output(&mut ptxvm(&folder, &["--", "sh", "-c", &script]));
    assert_eq!(run.status.code(), Some(3));
    let shown = text(&run.stderr);
    assert!(shown.contains("captured standard error"), "{shown}");
    assert!(shown.contains("error[1]: it\n\nerror[3]: it\nptxvm: 3 findings, shown above"), "{shown}");
    // A program that does it all the time does not fill the screen.
    let run = output(&mut ptxvm(&folder, &["--", "sh", "-c", &(1..=30).map(said).collect::<String>()]));
    let shown = text(&run.stderr);
    assert!(shown.contains("error[20]") && !shown.contains("error[21]"), "{shown}");
    assert!(shown.contains("and 10 more\nptxvm: 30 findings, shown above"), "{shown}");
}

#[test]
fn an_option_that_is_not_known_is_no_command() {
    let folder = folder("unknown");
    for (arguments, expected) in [
        (&["--findngs", "report", "--", "true"][..], "'--findings'"),
        (&["--time", "3s", "true"], "'--timeout'"),
        (&["-x", "true"], "'-x'"),
        (&["--stats", "--theads=2", "true"], "'--threads"),
    ] {
        let run = output(&mut ptxvm(&folder, arguments));
        assert_eq!(run.status.code(), Some(1), "{arguments:?}: {}", text(&run.stderr));
        assert!(text(&run.stderr).contains(expected), "{arguments:?}: {}", text(&run.stderr));
    }
    // What comes after the command is the command's, with `--` before it and without.
    for before in [&["--stats"][..], &["--stats", "--"]] {
        let arguments = [before, &["printf", "%s ", "--findngs", "-x", "--", "y"]].concat();
        let run = output(&mut ptxvm(&folder, &arguments));
        assert_eq!(text(&run.stdout), "--findngs -x -- y ", "{}", text(&run.stderr));
    }
}

#[test]
fn a_variable_that_says_nothing_known_is_wrong_usage() {
    let folder = folder("variable");
    let run = output(ptxvm(&folder, &["true"]).env("PTXVM_DEVICE", "gtx").env("PTXVM_SEED", "one"));
    assert_eq!(run.status.code(), Some(1));
    let said = text(&run.stderr);
    assert!(
        said.contains("ptxvm: PTXVM_DEVICE=gtx: ") && said.contains("\nptxvm: PTXVM_SEED=one: "),
        "{said}"
    );
    // An option counts more, so that nobody asks what the variable says.
    let run = output(ptxvm(&folder, &["--device", "b200", "true"]).env("PTXVM_DEVICE", "gtx"));
    assert_eq!(run.status.code(), Some(0), "{}", text(&run.stderr));
}

#[test]
fn a_report_of_the_users_own_is_added_to() {
    let folder = folder("own");
    let own = folder.join("own.jsonl");
    std::fs::write(&own, "{\"kind\":\"before\"}\n").expect("a file can be written");
    let script = "echo '{\"kind\":\"finding\",\"code\":\"race\"}' >> $PTXVM_REPORT";
    let run = output(ptxvm(&folder, &["--", "sh", "-c", script]).env("PTXVM_REPORT", &own));
    assert_eq!(run.status.code(), Some(3), "{}", text(&run.stderr));
    let said = std::fs::read_to_string(&own).expect("it is there");
    let kinds: Vec<_> = said.lines().map(|line| line.contains("\"kind\":\"finding\"")).collect();
    assert_eq!(kinds, [false, true], "{said}");
}

#[test]
fn nobody_who_reads_is_no_bug() {
    let folder = folder("unread");
    let line = "echo '{\"kind\":\"finding\"}' >> $PTXVM_REPORT";
    let mut command = ptxvm(&folder, &["--", "sh", "-c", line]);
    let mut child = command.stderr(std::process::Stdio::piped()).spawn().expect("it starts");
    drop(child.stderr.take());
    assert_eq!(child.wait().expect("it ends").code(), Some(3));
    let left = std::fs::read_dir(&folder).expect("a folder").flatten().map(|entry| entry.file_name());
    let left: Vec<_> = left.filter(|name| name.to_string_lossy().starts_with(".ptxvm")).collect();
    assert!(left.is_empty(), "the private folder is gone: {left:?}");
}

#[test]
fn a_signal_to_the_command_line_reaches_the_command() {
    let folder = folder("signal");
    let ready = folder.join("ready");
    let script = format!("trap 'exit 5' TERM; touch {}; while :; do sleep 0.05; done", ready.display());
    let mut child = ptxvm(&folder, &["--", "sh", "-c", &script]).spawn().expect("it starts");
    while !ready.exists() {
        assert!(child.try_wait().expect("it can be asked").is_none(), "it ended early");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
    let killed = Command::new("kill").args(["-TERM", &child.id().to_string()]).status();
    assert!(killed.is_ok_and(|status| status.success()));
    assert_eq!(child.wait().expect("it ends").code(), Some(5));
}

/// Waits until a file is there.
fn wait_for(file: &Path, child: &mut std::process::Child) {
    while !file.exists() {
        assert!(child.try_wait().expect("it can be asked").is_none(), "it ended early");
        std::thread::sleep(std::time::Duration::from_millis(10));
    }
}

fn interrupt(child: &std::process::Child) {
    let sent = Command::new("kill").args(["-INT", &child.id().to_string()]).status();
    assert!(sent.is_ok_and(|status| status.success()));
}

/// What the library does: it reads the pipe to its end, and opens the one that has taken its place.
const LISTEN: &str = "listen() { touch $1; cat $PTXVM_INTERRUPT; }; ";

#[test]
fn an_interrupt_is_told_to_the_library_each_time() {
    let folder = folder("interrupt");
    let [first, second] = ["first", "second"].map(|name| folder.join(name));
    let stopped = r#"echo '{"kind":"limit","code":"interrupted"}' >> $PTXVM_REPORT"#;
    let script = format!("{LISTEN} listen {}; listen {}; {stopped}", first.display(), second.display());
    let mut child = ptxvm(&folder, &["--", "sh", "-c", &script]).spawn().expect("it starts");
    wait_for(&first, &mut child);
    // The pipe may not be open yet: then it is told again.
    while !second.exists() {
        interrupt(&child);
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    while child.try_wait().expect("it can be asked").is_none() {
        interrupt(&child);
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    // The command says that it is well, but a kernel was interrupted.
    assert_eq!(child.wait().expect("it ends").code(), Some(130));
}

#[test]
fn the_second_interrupt_ends_a_command_whose_kernels_the_first_has_stopped() {
    let folder = folder("force");
    let [ready, told] = ["ready", "told"].map(|name| folder.join(name));
    let note = r#"echo '{"kind":"interrupt","launches":1}' >> $PTXVM_REPORT"#;
    let script =
        format!("{LISTEN} listen {}; {note}; touch {}; exec sleep 1000", ready.display(), told.display());
    let mut child = ptxvm(&folder, &["--", "sh", "-c", &script]).spawn().expect("it starts");
    wait_for(&ready, &mut child);
    while !told.exists() {
        interrupt(&child);
        std::thread::sleep(std::time::Duration::from_millis(100));
    }
    interrupt(&child);
    // On a host so busy that this came too late after the one before, it is sent again.
    for _ in 0..100 {
        if let Some(status) = child.try_wait().expect("it can be asked") {
            assert_eq!(status.code(), Some(130));
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(100));
        interrupt(&child);
    }
    child.kill().expect("it can be ended");
    panic!("it does not end");
}

#[test]
fn what_is_missing_is_said() {
    let folder = folder("missing");
    let run = output(ptxvm(&folder, &["--", "true"]).env("PTXVM_LIBCUDA", "/nowhere/libcuda.so"));
    assert_eq!(run.status.code(), Some(1));
    assert!(text(&run.stderr).contains("/nowhere/libcuda.so"));
    // A copy by itself has no library beside it.
    let alone = folder.join("ptxvm");
    std::fs::copy(env!("CARGO_BIN_EXE_ptxvm"), &alone).expect("it can be copied");
    let run = output(Command::new(&alone).env_remove("PTXVM_LIBCUDA").args(["exec", "--", "true"]));
    assert_eq!(run.status.code(), Some(1));
    assert!(text(&run.stderr).contains("cargo build --release -p ptxvm-cuda"), "{}", text(&run.stderr));
    let run = output(&mut ptxvm(&folder, &["--device", "toaster", "--", "true"]));
    assert_eq!(run.status.code(), Some(1));
    assert!(text(&run.stderr).contains("h200"));
}
