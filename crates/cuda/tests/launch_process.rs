//! A program and its kernels as one process: the order of what both print, and how it ends while kernels run.
#![allow(unsafe_code)]

mod client;

use std::os::unix::process::ExitStatusExt;
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

use client::{Context, answer, call, launch};

/// What a child is to do.
const CHILD: &str = "PTXVM_TEST_CHILD";
const LAUNCH_TIMEOUT: u32 = 702;

const PRINTING: &str = r#"
.version 8.0
.target sm_80
.address_size 64
.extern .func (.param .b32 result) vprintf (.param .b64 format, .param .b64 arguments);
.global .align 1 .b8 text[11] = {107, 101, 114, 110, 101, 108, 32, 37, 100, 10, 0};
.visible .entry say(.param .u64 number)
{
    .local .align 8 .b8 room[8];
    .reg .u64 %l, %n, %t;
    .reg .u32 %v;
    ld.param.u64 %n, [number];
    cvt.u32.u64 %v, %n;
    mov.u64 %l, room;
    st.local.u32 [room], %v;
    cvta.local.u64 %l, %l;
    mov.u64 %t, text;
    cvta.global.u64 %t, %t;
    {
        .param .b64 format;
        .param .b64 arguments;
        .param .b32 result;
        st.param.b64 [format], %t;
        st.param.b64 [arguments], %l;
        call.uni (result), vprintf, (format, arguments);
    }
    ret;
}
"#;

/// Starts the test `name` again, as a child that does something else.
fn start(name: &str, timeout: Option<&str>) -> Child {
    let mut command = Command::new(std::env::current_exe().expect("a test has a file"));
    command
        .args(["--exact", name, "--nocapture"])
        .env(CHILD, "1")
        .stdout(Stdio::piped())
        .stderr(Stdio::piped());
    if let Some(seconds) = timeout {
        command.env("PTXVM_TIMEOUT", seconds);
    }
    command.spawn().expect("a child starts")
}

/// Waits for a child that must end soon.
fn end(mut child: Child) -> Output {
    let began = Instant::now();
    while child.try_wait().expect("a child").is_none() {
        if began.elapsed() > Duration::from_secs(30) {
            child.kill().expect("a child");
            panic!("the program does not end");
        }
        std::thread::sleep(Duration::from_millis(10));
    }
    child.wait_with_output().expect("a child")
}

fn is_child() -> bool {
    std::env::var_os(CHILD).is_some()
}

/// Writes a line as C programs do.
fn puts(text: &std::ffi::CStr) {
    // SAFETY: the text ends with a zero.
    unsafe { libc::puts(text.as_ptr()) };
}

/// Ends the process as C programs do.
fn exit() -> ! {
    // SAFETY: nothing is left to be done.
    unsafe { libc::exit(7) }
}

/// Launches a kernel that never ends.
fn launch_endless(context: &Context) -> u64 {
    let stream = context.stream(1);
    let kernel = context.module(include_str!("kernels.ptx")).kernel("answer");
    assert_eq!(launch(kernel, [1; 3], [1; 3], stream, &[context.memory(8)]), 0);
    stream
}

#[test]
fn what_both_print_keeps_its_order() {
    if is_child() {
        let context = Context::new();
        let say = context.module(PRINTING).kernel("say");
        for (number, line) in [(1, c"program 1"), (2, c"program 2"), (3, c"program 3")] {
            assert_eq!(launch(say, [1; 3], [1; 3], 0, &[number]), 0);
            call("cuCtxSynchronize", ());
            // A pipe makes the C library keep this.
            puts(line);
        }
        exit();
    }
    let output = end(start("what_both_print_keeps_its_order", None));
    let text = String::from_utf8_lossy(&output.stdout);
    let lines: Vec<&str> =
        text.lines().filter(|l| l.starts_with("kernel") || l.starts_with("program")).collect();
    assert_eq!(lines, ["kernel 1", "program 1", "kernel 2", "program 2", "kernel 3", "program 3"], "{text}");
    assert_eq!(output.status.code(), Some(7));
}

#[test]
fn a_program_may_end_while_a_kernel_runs() {
    if is_child() {
        let context = Context::new();
        launch_endless(&context);
        exit();
    }
    let output = end(start("a_program_may_end_while_a_kernel_runs", None));
    assert_eq!(output.status.code(), Some(7), "{}", String::from_utf8_lossy(&output.stderr));
}

#[test]
fn an_interrupt_ends_a_program_that_waits_for_an_endless_kernel() {
    if is_child() {
        // A test that was started in the background has inherited that it is ignored.
        // SAFETY: the default needs no handler.
        unsafe { libc::signal(libc::SIGINT, libc::SIG_DFL) };
        let context = Context::new();
        let stream = launch_endless(&context);
        eprintln!("waiting");
        call("cuStreamSynchronize", (stream,));
        exit();
    }
    let mut child = start("an_interrupt_ends_a_program_that_waits_for_an_endless_kernel", None);
    let mut errors = std::io::BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    while !line.contains("waiting") {
        line.clear();
        assert_ne!(std::io::BufRead::read_line(&mut errors, &mut line).expect("a line"), 0);
    }
    std::thread::sleep(Duration::from_millis(100));
    // SAFETY: the child has not been waited for, so the number is still its own.
    unsafe { libc::kill(child.id() as i32, libc::SIGINT) };
    assert_eq!(end(child).status.signal(), Some(libc::SIGINT));
}

#[test]
fn the_end_of_a_pipe_stops_the_kernels_that_run() {
    const NAME: &str = "the_end_of_a_pipe_stops_the_kernels_that_run";
    if is_child() {
        let context = Context::new();
        // Its CTAs are no part of what is said of the next launch.
        let empty = context.module(include_str!("kernels.ptx")).kernel("empty");
        assert_eq!(launch(empty, [3, 1, 1], [1; 3], 0, &[]), 0);
        call("cuCtxSynchronize", ());
        let stream = launch_endless(&context);
        eprintln!("waiting");
        assert_eq!(answer("cuStreamSynchronize", (stream,)), LAUNCH_TIMEOUT);
        exit();
    }
    let folder = std::path::PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("interrupt");
    let _ = std::fs::remove_dir_all(&folder);
    std::fs::create_dir_all(&folder).expect("a folder");
    let (path, next) = (folder.join("pipe"), folder.join("next"));
    let pipe = |path: &std::path::Path| {
        assert!(Command::new("mkfifo").arg(path).status().is_ok_and(|status| status.success()));
        std::fs::OpenOptions::new().read(true).write(true).open(path).expect("a pipe")
    };
    let mut open = pipe(&path);
    let mut command = Command::new(std::env::current_exe().expect("a test has a file"));
    command.args(["--exact", NAME, "--nocapture"]).env(CHILD, "1").env("PTXVM_INTERRUPT", &path);
    let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().expect("a child starts");
    let mut errors = std::io::BufReader::new(child.stderr.take().expect("a pipe"));
    let mut line = String::new();
    while !line.contains("waiting") {
        line.clear();
        assert_ne!(std::io::BufRead::read_line(&mut errors, &mut line).expect("a line"), 0);
    }
    // The kernel may not have begun: then it is told again.
    for _ in 0..100 {
        std::thread::sleep(Duration::from_millis(100));
        if child.try_wait().expect("a child").is_some() {
            break;
        }
        let another = pipe(&next);
        std::fs::rename(&next, &path).expect("it can be replaced");
        open = another;
    }
    let output = end(child);
    drop(open);
    let mut said = String::new();
    std::io::Read::read_to_string(&mut errors, &mut said).expect("text");
    assert_eq!(output.status.code(), Some(7), "{said}");
    assert!(said.contains("interrupted; 0 of 1 CTAs had ended"), "{said}");
}

#[test]
fn a_timeout_ends_an_endless_kernel() {
    if is_child() {
        let context = Context::new();
        let stream = launch_endless(&context);
        assert_eq!(answer("cuStreamSynchronize", (stream,)), LAUNCH_TIMEOUT);
        exit();
    }
    let output = end(start("a_timeout_ends_an_endless_kernel", Some("0.2")));
    assert_eq!(output.status.code(), Some(7), "{}", String::from_utf8_lossy(&output.stderr));
}
