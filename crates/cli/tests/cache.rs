//! Compiled code on disk, from outside: the second process finds it, any number of them at once do no harm, and nothing
//! that is wrong with the folder is more than a note.

use std::fs::{self, File};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, SystemTime};

/// Uses every table that code may use, and writes what comes of it.
const SOURCE: &str = "\
.version 8.0
.target sm_90
.address_size 64
.visible .entry k(.param .u64 out)
{
    .reg .b32 %t;
    .reg .f32 %f<10>;
    .reg .b64 %a;
    ld.param.u64 %a, [out];
    mov.u32 %t, %tid.x;
    mad.wide.u32 %a, %t, 4, %a;
    add.u32 %t, %t, NUMBER;
    cvt.rn.f32.u32 %f0, %t;
    rcp.approx.f32 %f1, %f0;
    rsqrt.approx.f32 %f2, %f0;
    sqrt.approx.f32 %f3, %f0;
    ex2.approx.f32 %f4, %f1;
    lg2.approx.f32 %f5, %f0;
    sin.approx.f32 %f6, %f0;
    tanh.approx.f32 %f7, %f1;
    add.f32 %f8, %f1, %f2;
    add.f32 %f8, %f8, %f3;
    add.f32 %f8, %f8, %f4;
    add.f32 %f8, %f8, %f5;
    add.f32 %f8, %f8, %f6;
    add.f32 %f8, %f8, %f7;
    st.global.f32 [%a], %f8;
    ret;
}
";

/// A folder for one test, with a kernel in it.
struct Place(PathBuf);

impl Place {
    fn new(test: &str) -> Self {
        let folder =
            Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("cache-{}-{test}", std::process::id()));
        let _ = fs::remove_dir_all(&folder);
        fs::create_dir_all(&folder).expect("the test's folder can be made");
        fs::write(folder.join("k.ptx"), SOURCE.replace("NUMBER", "1")).expect("the kernel can be written");
        Self(folder)
    }

    /// A command that keeps code below this place, and nowhere else.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_ptxvm"));
        command.args(arguments).current_dir(&self.0);
        for variable in ["PTXVM_ENGINE", "PTXVM_CACHE_SIZE", "XDG_CACHE_HOME"] {
            command.env_remove(variable);
        }
        command.env("HOME", self.0.join("home")).env("PTXVM_CACHE", self.cache());
        command
    }

    fn cache(&self) -> PathBuf {
        self.0.join("cache")
    }

    /// Runs the kernel with machine code.
    fn run(&self) -> Command {
        self.command(&["run", "k.ptx", "--block", "32", "--arg", "f32[32]", "--engine", "compile"])
    }

    /// The files that are kept, and what else lies beside them.
    fn kept(&self) -> Vec<PathBuf> {
        files(&self.cache())
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let entries = fs::read_dir(folder).into_iter().flatten();
    entries.map(|entry| entry.expect("an entry").path()).collect()
}

/// What a command printed; it must have ended well.
fn printed(output: &Output) -> (String, String) {
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let (out, err) = (text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{}: {out}{err}", output.status);
    (out, err)
}

fn ran(mut command: Command) -> (String, String) {
    printed(&command.output().expect("the command starts"))
}

/// Whether kernels can be compiled at all. If not, the test says so and has nothing to look at.
#[allow(clippy::print_stdout, reason = "who runs the tests is to know what was not looked at")]
fn can_compile(place: &Place) -> bool {
    let (said, _) = ran(place.command(&["doctor"]));
    let can = said.lines().any(|line| line.starts_with("engine") && line.contains("compile"));
    if !can {
        println!("skipped: {said}");
    }
    can
}

#[test]
fn a_second_process_compiles_nothing() {
    let place = Place::new("second");
    if !can_compile(&place) {
        return;
    }
    let interpreted = ["run", "k.ptx", "--block", "32", "--arg", "f32[32]", "--engine", "interpret"];
    let (expected, _) = ran(place.command(&interpreted));
    assert_eq!(place.kept(), Vec::<PathBuf>::new(), "the interpreter keeps nothing");
    assert_eq!(ran(place.run()), (expected.clone(), String::new()));
    let kept = place.kept();
    let [file] = kept.as_slice() else { panic!("{kept:?}") };
    // Who uses a file that was not used for long notes it; who compiled would have written another.
    let old = SystemTime::now() - Duration::from_secs(2 * 3600);
    File::options().write(true).open(file).and_then(|file| file.set_modified(old)).expect("it is ours");
    let before = file.metadata().expect("it is there").ino();
    assert_eq!(ran(place.run()), (expected, String::new()));
    let about = file.metadata().expect("it is there");
    assert_eq!(about.ino(), before);
    assert!(about.modified().expect("a time") > old + Duration::from_secs(3600));
    assert_eq!(place.kept(), kept);
    let (said, _) = ran(place.command(&["doctor"]));
    let line = said.lines().find(|line| line.starts_with("cache")).expect("a line").to_owned();
    assert!(line.contains("in 1 file, 256M at most") && line.contains("/cache"), "{line}");
}

#[test]
fn who_only_looks_keeps_nothing() {
    let place = Place::new("look");
    for show in ["llvm", "assembly"] {
        let shown = place.run().args(["--show", show]).output().expect("the command starts");
        let text = String::from_utf8_lossy(&shown.stdout).into_owned();
        // An address would be another in each process, and the text with it.
        assert!(!text.contains("inttoptr (i64"), "{text}");
    }
    let mut counted = place.run();
    counted.arg("--stats");
    ran(counted);
    ran(place.command(&["doctor"]));
    assert_eq!(place.kept(), Vec::<PathBuf>::new());
}

#[test]
fn without_a_name_the_folder_is_that_of_caches() {
    let place = Place::new("default");
    if !can_compile(&place) {
        return;
    }
    let mut command = place.run();
    command.env_remove("PTXVM_CACHE");
    ran(command);
    let folder = place.0.join("home/.cache/ptxvm");
    assert_eq!(files(&folder).len(), 1);
    assert_eq!(folder.metadata().expect("it is there").mode() & 0o777, 0o700);
    let mut command = place.run();
    command.env_remove("PTXVM_CACHE").env("XDG_CACHE_HOME", place.0.join("xdg"));
    ran(command);
    assert_eq!(files(&place.0.join("xdg/ptxvm")).len(), 1);
}

#[test]
fn who_wants_no_cache_has_none() {
    let place = Place::new("off");
    for off in ["off", "0", ""] {
        let mut command = place.run();
        command.env("PTXVM_CACHE", off);
        assert_eq!(ran(command).1, "");
        let mut doctor = place.command(&["doctor"]);
        doctor.env("PTXVM_CACHE", off);
        assert!(
            ran(doctor).0.contains("compiled code is kept for the process, not longer: PTXVM_CACHE says so")
        );
    }
    assert_eq!(files(&place.0), [place.0.join("k.ptx")]);
}

#[test]
fn a_folder_that_cannot_be_used_is_a_note_and_no_more() {
    let place = Place::new("unusable");
    if !can_compile(&place) {
        return;
    }
    let (expected, _) = ran(place.run());
    fs::remove_dir_all(place.cache()).expect("it was made");
    fs::write(place.cache(), "a file").expect("it can be written");
    let (out, err) = ran(place.run());
    assert_eq!(out, expected);
    assert_eq!(err.lines().count(), 1, "{err}");
    assert!(err.starts_with("ptxvm: compiled code is not kept: ") && err.contains("/cache: "), "{err}");
    let mut quiet = place.run();
    quiet.arg("--quiet");
    assert_eq!(ran(quiet).1, "");
    let (said, _) = ran(place.command(&["doctor"]));
    assert!(said.contains("compiled code is kept for the process, not longer: "), "{said}");
    assert!(said.contains("to get it: name a folder of your own"), "{said}");
}

/// As on a full disk, no byte can be written; the system would end a process that tries.
#[test]
fn a_disk_without_room_is_a_note_and_no_more() {
    let place = Place::new("full");
    if !can_compile(&place) {
        return;
    }
    let (expected, _) = ran(place.run());
    let kept = place.kept();
    fs::remove_file(&kept[0]).expect("it is ours");
    let run = place.run();
    let mut shell = Command::new("sh");
    shell.args(["-c", "ulimit -f 0; exec \"$0\" \"$@\""]).arg(run.get_program()).args(run.get_args());
    shell.current_dir(&place.0).env("PTXVM_CACHE", place.cache());
    let (out, err) = ran(shell);
    assert_eq!(out, expected);
    assert_eq!(err.matches("compiled code is not kept").count(), 1, "{err}");
    assert_eq!(place.kept(), Vec::<PathBuf>::new());
}

#[test]
fn a_size_that_is_none_is_told_and_ignored() {
    let place = Place::new("size");
    if !can_compile(&place) {
        return;
    }
    let mut wrong = place.run();
    wrong.env("PTXVM_CACHE_SIZE", "much");
    let (_, err) = ran(wrong);
    assert!(err.starts_with("ptxvm: PTXVM_CACHE_SIZE=much: ") && err.contains("it is ignored"), "{err}");
    assert_eq!(place.kept().len(), 1);
    let mut doctor = place.command(&["doctor"]);
    doctor.env("PTXVM_CACHE_SIZE", "1.5g");
    assert!(ran(doctor).0.contains("1.5G at most"));
}

/// Half of them bring kernels of their own, and the bound makes them throw out what others have just written.
#[test]
fn many_processes_at_once_do_no_harm() {
    const PROCESSES: usize = 16;
    let place = Place::new("many");
    if !can_compile(&place) {
        return;
    }
    for number in 0..PROCESSES / 2 {
        let source = SOURCE.replace("NUMBER", &(number + 2).to_string());
        fs::write(place.0.join(format!("k{number}.ptx")), source).expect("the kernel can be written");
    }
    let command = |number: usize, engine: &str| {
        let name = if number.is_multiple_of(2) { "k.ptx".to_owned() } else { format!("k{}.ptx", number / 2) };
        place.command(&["run", &name, "--block", "32", "--arg", "f32[32]", "--engine", engine])
    };
    let expected: Vec<String> = (0..PROCESSES).map(|number| ran(command(number, "interpret")).0).collect();
    for size in ["256m", "12k"] {
        for _ in 0..2 {
            let children: Vec<_> = (0..PROCESSES)
                .map(|number| {
                    let mut command = command(number, "compile");
                    command.env("PTXVM_CACHE_SIZE", size).stdout(Stdio::piped()).stderr(Stdio::piped());
                    command.spawn().expect("the command starts")
                })
                .collect();
            for (child, expected) in children.into_iter().zip(&expected) {
                let output = child.wait_with_output().expect("it ends");
                assert_eq!(printed(&output), (expected.clone(), String::new()));
            }
            let kept = place.kept();
            assert!(kept.iter().all(|path| path.extension().is_some_and(|end| end == "code")), "{kept:?}");
            if size == "256m" {
                assert_eq!(kept.len(), 1 + PROCESSES / 2);
            }
        }
    }
}
