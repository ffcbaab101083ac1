//! A process may fork and end while it compiles.
//!
//! Each case is a process of its own: this program again, which is told by its environment what to do.
#![allow(unsafe_code)]

mod llvm;

use std::borrow::Borrow;
use std::process::{Command, Output};
use std::sync::Arc;
use std::time::{Duration, Instant};

use llvm::compiler;
use ptxvm_jit::llvm::{CompileError, Compiler, Target};

/// The variable that says what to do.
const CASE: &str = "PTXVM_JIT_TEST_CASE";

/// A function that takes LLVM some tenths of a second.
fn long() -> String {
    let mut ir = "define void @long(ptr %p) {\n  %x0 = load <32 x i32>, ptr %p\n".to_owned();
    for i in 0..3000 {
        let operation = ["add", "xor", "mul", "sub"][i % 4];
        ir += &format!("  %x{} = {operation} <32 x i32> %x{i}, %x{}\n", i + 1, i / 2);
    }
    ir + "  store <32 x i32> %x3000, ptr %p\n  ret void\n}\n"
}

/// Runs a case, and waits for its end.
fn run_case(case: &str) -> Output {
    let own = std::env::current_exe().expect("this program");
    let mut command = Command::new(own);
    command.args(["case", "--exact", "--nocapture", "--test-threads=1"]).env(CASE, case);
    command.output().expect("a process")
}

fn assert_well(case: &str) {
    let output = run_case(case);
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let told = format!("{case}: {:?}\n{}\n{}", output.status, text(&output.stdout), text(&output.stderr));
    assert!(output.status.success(), "{told}");
}

/// What a process does that has been told to.
#[test]
fn case() {
    let Ok(case) = std::env::var(CASE) else { return };
    let Some(compiler) = compiler(Target::default()) else { return };
    match case.split_once(' ') {
        Some(("end", milliseconds)) => {
            compile_for_ever(compiler);
            std::thread::sleep(Duration::from_millis(milliseconds.parse().expect("a number")));
            std::process::exit(0);
        }
        Some(("fork", milliseconds)) => fork(compiler, milliseconds.parse().expect("a number")),
        _ => panic!("{case}"),
    }
}

/// Compiles on a thread until the process ends. Nobody asks for the result.
fn compile_for_ever(compiler: impl Borrow<Compiler> + Send + 'static) {
    let ir = long();
    std::thread::spawn(move || {
        while !matches!(compiler.borrow().compile(&ir, "default<O2>", &[]), Err(CompileError::Ending)) {}
    });
}

/// Forks while another thread compiles. The child is told that it has no compiler, and ends as processes do.
fn fork(compiler: Compiler, milliseconds: u64) {
    let compiler = Arc::new(compiler);
    let kept = compiler.compile("define i32 @seven() { ret i32 7 }", "", &[]).expect("code");
    compile_for_ever(Arc::clone(&compiler));
    std::thread::sleep(Duration::from_millis(milliseconds));
    // SAFETY: the child calls nothing that waits for other threads; that this is so is what is tested.
    let child = unsafe { libc::fork() };
    if child == 0 {
        let refused = compiler.compile("", "", &[]).map(|compiled| compiled.code_bytes());
        let refused = refused.is_err_and(|error| error == CompileError::Forked);
        // SAFETY: the function takes nothing and gives a number.
        let seven: extern "C" fn() -> i32 = unsafe { llvm::function(&kept, "seven") };
        let runs = seven() == 7;
        drop(kept);
        std::process::exit(if refused && runs { 7 } else { 1 });
    }
    let begun = Instant::now();
    let mut status = 0;
    // SAFETY: a child of this process, and a place for its status.
    while unsafe { libc::waitpid(child, &raw mut status, libc::WNOHANG) } == 0 {
        assert!(begun.elapsed() < Duration::from_secs(60), "the child hangs");
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(libc::WIFEXITED(status) && libc::WEXITSTATUS(status) == 7, "the child's status is {status:#x}");
    std::process::exit(0);
}

#[test]
fn a_process_may_end_while_it_compiles() {
    for milliseconds in [0, 5, 15, 40, 80, 120, 200, 300] {
        assert_well(&format!("end {milliseconds}"));
    }
}

#[test]
fn a_process_may_fork_while_it_compiles() {
    for milliseconds in [1, 10, 50, 150] {
        assert_well(&format!("fork {milliseconds}"));
    }
}
