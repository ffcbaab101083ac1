//! Files, standard input and launch lines that ask for more memory than they may have: each ends with a sentence and
//! exit status 1, under a limit of the address space that an allocation without bounds would meet first.

use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Reads a parameter and does nothing with it.
const KERNEL: &str = ".version 9.1\n.target sm_90\n.address_size 64\n\
                      .visible .entry k(.param .u64 p) { ret; }\n";

/// A folder for one test, empty at the start.
fn folder(test: &str) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("memory").join(test);
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("the test's folder can be made");
    folder
}

/// The command with 2 GB of addresses, far more than the 64 MB that it is told to keep to.
fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new("sh");
    command.args(["-c", "ulimit -v 2000000 && exec \"$0\" \"$@\"", env!("CARGO_BIN_EXE_ptxvm")]);
    command.args(arguments).env("PTXVM_MAX_MEMORY", "64M").env_remove("PTXVM_MEMORY");
    command
}

/// Runs a kernel file and gives what it said.
fn run(folder: &Path, source: &str, arguments: &[&str]) -> Output {
    std::fs::write(folder.join("k.ptx"), source).expect("the kernel can be written");
    command(&[&["run", "k.ptx"], arguments].concat())
        .current_dir(folder)
        .output()
        .expect("the command starts")
}

fn text(bytes: &[u8]) -> String {
    String::from_utf8_lossy(bytes).into_owned()
}

/// Refused with a sentence that names the limit.
fn is_refused(output: &Output) {
    let said = text(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(said.contains("--max-memory") && said.lines().count() == 1, "{said}");
}

#[test]
fn standard_input_without_end() {
    for verb in ["check", "run", "fmt"] {
        let zeros = File::open("/dev/zero").expect("Linux has it");
        let output = command(&[verb, "-"]).stdin(zeros).output().expect("the command starts");
        is_refused(&output);
        assert!(text(&output.stderr).contains("standard input"));
    }
}

#[test]
fn files_that_are_too_large() {
    let folder = folder("files");
    // Sparse: it takes no room on the disk.
    let large = File::create(folder.join("large.ptx")).and_then(|file| file.set_len(1 << 33));
    large.expect("a file with a hole");
    let output = command(&["check", "large.ptx"]).current_dir(&folder).output().expect("the command starts");
    is_refused(&output);
    is_refused(&run(&folder, KERNEL, &["--arg", "@large.ptx"]));
    is_refused(&run(&folder, KERNEL, &["--arg", "f32[]=@large.ptx"]));
    is_refused(&run(&folder, KERNEL, &["--arg", "@/dev/zero"]));
    is_refused(&run(&folder, KERNEL, &["--arg", "texture(@/dev/zero, u8)"]));
}

#[test]
fn a_header_is_no_promise() {
    let folder = folder("npy");
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 16), }";
    let mut file = b"\x93NUMPY\x01\x00\x80\x00".to_vec();
    file.extend(format!("{header:<128}").bytes());
    std::fs::write(folder.join("x.npy"), &file).expect("a file");
    let output = run(&folder, KERNEL, &["--arg", "@x.npy"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(text(&output.stderr).contains("shape"), "{}", text(&output.stderr));
}

/// A picture of one grey whose rows are all the same: a thousand times smaller than what it stands for.
fn bomb(path: &Path, side: u32) {
    let file = File::create(path).expect("a file");
    let mut encoder = png::Encoder::new(file, side, side);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_compression(png::Compression::High);
    let mut writer = encoder.write_header().expect("a header");
    let mut stream = writer.stream_writer().expect("a stream");
    let row = vec![0; side as usize];
    (0..side).for_each(|_| stream.write_all(&row).expect("a row"));
    stream.finish().expect("an end");
}

#[test]
fn a_picture_that_unfolds() {
    let folder = folder("png");
    bomb(&folder.join("x.png"), 12_000);
    assert!(folder.join("x.png").metadata().expect("a file").len() < 1 << 20);
    is_refused(&run(&folder, KERNEL, &["--arg", "texture(@x.png)"]));
}

#[test]
fn a_launch_line_asks_for_too_much() {
    let folder = folder("line");
    for argument in [
        "u8[100000000]=iota",
        "f64[1000000,1000]",
        "texture(u8[30000,30000])",
        "texture(u8[10000000,1], layered, levels 32)",
        "surface(u8[10000,10000])",
        // A file cannot allow itself more than the user does.
        "u8[100000000] --max-memory 100T --memory 100T",
    ] {
        let (argument, more) =
            argument.split_once(" --").map_or((argument, String::new()), |(a, m)| (a, format!(" --{m}")));
        let source = format!("// ptxvm: run --arg '{argument}'{more}\n{KERNEL}");
        is_refused(&run(&folder, &source, &[]));
    }
    let overflow = run(&folder, KERNEL, &["--arg", "u8[18446744073709551615]"]);
    assert_eq!(overflow.status.code(), Some(1));
    assert!(text(&overflow.stderr).contains("any device"));
}

#[test]
fn a_launch_line_may_ask_for_less() {
    let folder = folder("less");
    let source = format!("// ptxvm: run --max-memory 1M --arg 'u8[1000000]'\n{KERNEL}");
    std::fs::write(folder.join("k.ptx"), source).expect("the kernel can be written");
    // The user has said nothing, neither here nor in the environment.
    let mut alone = command(&["run", "k.ptx"]);
    is_refused(
        &alone.env_remove("PTXVM_MAX_MEMORY").current_dir(&folder).output().expect("the command starts"),
    );
    let mut told = command(&["run", "k.ptx", "--max-memory", "32M"]);
    assert_eq!(told.current_dir(&folder).status().expect("the command starts").code(), Some(0));
}

#[test]
fn the_device_is_as_large_as_it_is_told_to_be() {
    let folder = folder("device");
    let output = run(&folder, KERNEL, &["--memory", "1M", "--arg", "u8[2000000]"]);
    assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
    let fits = run(&folder, KERNEL, &["--memory", "1M", "--arg", "u8[100000]", "--stats=json"]);
    assert_eq!(fits.status.code(), Some(0), "{}", text(&fits.stderr));
    let peak = text(&fits.stdout).split("\"host_memory_peak\":").nth(1).map(str::to_owned).expect("a peak");
    let peak: u64 = peak.split([',', '}']).next().and_then(|n| n.parse().ok()).expect("a number");
    assert!((200_000..64 << 20).contains(&peak), "{peak}");
    for wrong in ["8X", "1e9", "1.5", ""] {
        let output = run(&folder, KERNEL, &["--memory", wrong]);
        assert_eq!(output.status.code(), Some(1));
        assert!(text(&output.stderr).contains("512M"), "{}", text(&output.stderr));
    }
}

#[test]
fn variables_that_are_mostly_zeros_are_not_kept() {
    let folder = folder("variables");
    // A terabyte of which one byte is given, and a thousand gigabytes.
    let one = format!("{KERNEL}.global .b8 x[1099511627776] = {{1}};\n");
    let many: String = (0..1000).map(|i| format!(".global .b8 x{i}[1073741824] = {{1}};\n")).collect();
    for source in [one, format!("{KERNEL}{many}")] {
        let output = run(&folder, &source, &["--arg", "0"]);
        assert_eq!(output.status.code(), Some(1), "{}", text(&output.stderr));
        let checked = command(&["check", "k.ptx"]).current_dir(&folder).output().expect("the command starts");
        assert_eq!(checked.status.code(), Some(0), "{}", text(&checked.stderr));
    }
}

#[test]
fn a_launch_line_asks_for_absurd_numbers() {
    let folder = folder("absurd");
    for line in
        ["--grid 4294967295,4294967295,4294967295", "--cluster 4294967295,4294967295", "--block 4294967295"]
    {
        let output = run(&folder, &format!("// ptxvm: run {line} --arg 0\n{KERNEL}"), &[]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(3), "{line}: {said}");
        assert!(said.contains("error[launch]"), "{line}: {said}");
    }
    // As many threads as it likes, and the launch still ends at its limit.
    let endless = KERNEL.replace("ret;", "L: bra L;");
    let line = "--threads 100000 --grid 100000 --timeout 100ms --arg 0";
    let output = run(&folder, &format!("// ptxvm: run {line}\n{endless}"), &[]);
    assert_eq!(output.status.code(), Some(3), "{}", text(&output.stderr));
}

#[test]
fn images_do_not_nest() {
    let folder = folder("nested");
    for word in ["texture", "surface"] {
        let deep = format!("{}f32[4]{}", format!("{word}(").repeat(20_000), ")".repeat(20_000));
        let output = run(&folder, &format!("// ptxvm: run --arg '{deep}'\n{KERNEL}"), &[]);
        let said = text(&output.stderr);
        assert_eq!(output.status.code(), Some(1), "{said}");
        assert!(said.contains("cannot be inside") && said.len() < 1000, "{said}");
    }
}

#[test]
fn an_abort_of_ours_is_no_trap() {
    // It waits for its input when the signal comes.
    let mut child = Command::new(env!("CARGO_BIN_EXE_ptxvm"))
        .args(["check", "-"])
        .stdin(Stdio::piped())
        .stderr(Stdio::null())
        .spawn()
        .expect("the command starts");
    let caught = |id: u32| {
        let status = std::fs::read_to_string(format!("/proc/{id}/status")).unwrap_or_default();
        let mask = status.lines().find_map(|line| line.strip_prefix("SigCgt:")).map(str::trim);
        mask.and_then(|mask| u64::from_str_radix(mask, 16).ok()).is_some_and(|mask| mask & 1 << 5 != 0)
    };
    while !caught(child.id()) {
        assert!(child.try_wait().expect("it can be asked").is_none(), "it ended early");
        std::thread::sleep(std::time::Duration::from_millis(5));
    }
    let sent = Command::new("kill").args(["-ABRT", &child.id().to_string()]).status().expect("kill starts");
    assert!(sent.success());
    assert_eq!(child.wait().expect("it ends").code(), Some(101));
}
