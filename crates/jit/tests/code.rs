//! Code is made, runs, and is freed.
#![allow(unsafe_code)]

mod llvm;

use std::ffi::c_void;

use llvm::{compiler, function};
use ptxvm_jit::llvm::{CompileError, Compiler, Level, Target};

/// `a[i] += b[i]` for 32 lanes.
const ADD: &str = r#"
define void @add(ptr %a, ptr %b) #0 {
  %x = load <32 x float>, ptr %a, align 4
  %y = load <32 x float>, ptr %b, align 4
  %z = fadd <32 x float> %x, %y
  store <32 x float> %z, ptr %a, align 4
  ret void
}
attributes #0 = { nounwind "prefer-vector-width"="512" }
"#;

/// Runs `add` and compares bits with Rust's.
fn check_add(compiler: &Compiler) {
    let compiled = compiler.compile(ADD, "default<O2>", &[]).expect("code");
    // SAFETY: the function takes two pointers.
    let add: extern "C" fn(*mut f32, *const f32) = unsafe { function(&compiled, "add") };
    let mut a: Vec<f32> = (0..32).map(|i| i as f32 * 0.1 - 1.0).collect();
    let b: Vec<f32> = (0..32).map(|i| if i == 7 { f32::INFINITY } else { i as f32 * 1e-3 }).collect();
    let expected: Vec<u32> = a.iter().zip(&b).map(|(a, b)| (a + b).to_bits()).collect();
    add(a.as_mut_ptr(), b.as_ptr());
    assert_eq!(a.iter().map(|a| a.to_bits()).collect::<Vec<_>>(), expected);
    assert!(compiled.code_bytes() > 0);
    assert_eq!(compiled.names().collect::<Vec<_>>(), ["add"]);
    assert_eq!(compiled.address("sub"), None);
}

#[test]
fn a_vector_add_has_the_right_bits_at_every_level() {
    for level in [Level::Baseline, Level::NoAvx512, Level::Host] {
        let Some(compiler) = compiler(Target { level, ..Target::default() }) else { return };
        check_add(&compiler);
    }
}

extern "C" fn twice(x: u32) -> u32 {
    x * 2
}

#[test]
fn code_sees_the_symbols_that_it_is_given_and_no_others() {
    let Some(compiler) = compiler(Target::default()) else { return };
    let ir = "declare i32 @twice(i32)
        declare i32 @getpid()
        define i32 @run(i32 %x) { %y = call i32 @twice(i32 %x) ret i32 %y }
        define i32 @pid() { %y = call i32 @getpid() ret i32 %y }";
    let refused = compiler.compile(ir, "", &[("twice", twice as *const c_void)]).expect_err("getpid");
    assert_eq!(refused, CompileError::Undefined(vec!["getpid".to_owned()]));
    let ir = ir.replace("call i32 @getpid()", "call i32 @twice(i32 4)");
    let compiled = compiler.compile(&ir, "", &[("twice", twice as *const c_void)]).expect("code");
    // SAFETY: the function takes and gives a number.
    let run: extern "C" fn(u32) -> u32 = unsafe { function(&compiled, "run") };
    assert_eq!(run(21), 42);
}
