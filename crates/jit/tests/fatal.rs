//! When LLVM gives up, the process goes on without it.
#![allow(unsafe_code)]

mod llvm;

use llvm::{compiler, function};
use ptxvm_jit::llvm::{CompileError, Target};

const SEVEN: &str = "define i32 @seven() { ret i32 7 }";

/// Instructions of another processor cannot be selected, and a collector of garbage that nobody knows cannot be asked:
/// LLVM has no error for either but the end of the process.
#[cfg(target_arch = "x86_64")]
const FATAL: [&str; 2] = [
    "declare i32 @llvm.aarch64.crc32b(i32, i32)
    define i32 @f(i32 %x) { %y = call i32 @llvm.aarch64.crc32b(i32 %x, i32 %x) ret i32 %y }",
    "define void @f() gc \"nobody\" { ret void }",
];
#[cfg(not(target_arch = "x86_64"))]
const FATAL: [&str; 2] = [
    "declare i32 @llvm.x86.sse42.crc32.32.8(i32, i8)
    define i32 @f(i32 %x) { %y = call i32 @llvm.x86.sse42.crc32.32.8(i32 %x, i8 1) ret i32 %y }",
    "define void @f() gc \"nobody\" { ret void }",
];

#[test]
fn a_fatal_error_leaves_the_process_alive_and_later_compilations_refuse() {
    for fatal in FATAL {
        let Some(compiler) = compiler(Target::default()) else { return };
        let before = compiler.compile(SEVEN, "", &[]).expect("code");
        let error = compiler.compile(fatal, "default<O1>", &[]).expect_err("a fatal error");
        let CompileError::Broken(message) = &error else { panic!("{error:?}") };
        assert!(!message.is_empty());
        assert_eq!(compiler.compile(SEVEN, "", &[]).expect_err("broken"), error);
        assert_eq!(compiler.emit_assembly(SEVEN, "").expect_err("broken"), error);
        // What was made before stays, and can be dropped.
        // SAFETY: the function takes nothing and gives a number.
        let seven: extern "C" fn() -> i32 = unsafe { function(&before, "seven") };
        assert_eq!(seven(), 7);
        drop(before);
    }
}

#[test]
fn who_waits_meanwhile_is_told_and_another_compiler_serves() {
    let Some(compiler) = compiler(Target::default()) else { return };
    let answers: Vec<_> = std::thread::scope(|scope| {
        let one = |number| {
            let ir = if number % 4 == 0 { FATAL[0] } else { SEVEN };
            compiler.compile(ir, "default<O2>", &[]).map(|compiled| compiled.code_bytes())
        };
        let threads: Vec<_> = (0..8).map(|number| scope.spawn(move || one(number))).collect();
        threads.into_iter().map(|thread| thread.join().expect("no panic")).collect()
    });
    let broken = |answer: &Result<usize, CompileError>| matches!(answer, Err(CompileError::Broken(_)));
    assert!(broken(&answers[0]) && broken(&answers[4]), "{answers:?}");
    assert!(answers.iter().all(|answer| answer.is_ok() || broken(answer)), "{answers:?}");
    let Some(another) = llvm::compiler(Target::default()) else { return };
    another.compile(SEVEN, "default<O2>", &[]).expect("code");
}
