//! Code is made, runs with the right bits, and sees what it is given.
#![allow(unsafe_code)]

mod llvm;

use std::ffi::c_void;

use llvm::{compiler, function};
use ptxvm_jit::llvm::{CompileError, Compiler, Effort, Level, Target};

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

/// Compiles and runs `add`, and compares bits with Rust's.
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
fn a_vector_add_has_the_right_bits_at_every_level_and_effort() {
    for level in [Level::Baseline, Level::NoAvx512, Level::Host] {
        for effort in [Effort::None, Effort::Less, Effort::Default, Effort::Aggressive] {
            let Some(compiler) = compiler(Target { level, effort }) else { return };
            check_add(&compiler);
        }
    }
}

/// `ADD` is two additions of 512 bits if the level has them, else four of 256 or eight of 128.
#[cfg(target_arch = "x86_64")]
#[test]
fn a_level_uses_the_registers_that_it_has() {
    let widest = |level| {
        let compiler = compiler(Target { level, ..Target::default() })?;
        let assembly = compiler.emit_assembly(ADD, "default<O2>").expect("assembly");
        ["%zmm", "%ymm", "%xmm"].into_iter().find(|register| assembly.contains(register))
    };
    let Some(baseline) = widest(Level::Baseline) else { return };
    assert_eq!(baseline, "%xmm");
    let (avx, avx512) = (is_x86_feature_detected!("avx"), is_x86_feature_detected!("avx512f"));
    assert_eq!(widest(Level::NoAvx512), Some(if avx { "%ymm" } else { "%xmm" }));
    assert_eq!(
        widest(Level::Host),
        Some(match (avx512, avx) {
            (true, _) => "%zmm",
            (false, true) => "%ymm",
            (false, false) => "%xmm",
        })
    );
}

#[test]
fn two_compilers_serve_several_threads() {
    let Some(host) = compiler(Target::default()) else { return };
    let Some(baseline) = compiler(Target { level: Level::Baseline, ..Target::default() }) else { return };
    std::thread::scope(|scope| {
        for thread in 0..6 {
            let compiler = if thread % 2 == 0 { &host } else { &baseline };
            scope.spawn(move || (0..5).for_each(|_| check_add(compiler)));
        }
    });
}

extern "C" fn twice(x: u32) -> u32 {
    x.wrapping_mul(2)
}

#[test]
fn code_sees_the_symbols_that_it_is_given_and_no_others() {
    let Some(compiler) = compiler(Target::default()) else { return };
    let twice = ("twice", twice as *const c_void);
    let ir = "declare i32 @twice(i32)
        declare i32 @getpid()
        define i32 @run(i32 %x) { %y = call i32 @twice(i32 %x) ret i32 %y }
        define i32 @pid() { %y = call i32 @getpid() ret i32 %y }";
    // The process has a `getpid`, and it is not found.
    let refused = compiler.compile(ir, "", &[twice]).expect_err("getpid");
    assert_eq!(refused, CompileError::Undefined(vec!["getpid".to_owned()]));
    assert!(refused.to_string().contains("getpid"), "{refused}");
    let ir = ir.replace("call i32 @getpid()", "call i32 @twice(i32 4)");
    let compiled = compiler.compile(&ir, "", &[twice, ("unused", std::ptr::null())]).expect("code");
    // SAFETY: the functions take a number or nothing, and give a number.
    let (run, pid): (extern "C" fn(u32) -> u32, extern "C" fn() -> u32) =
        unsafe { (function(&compiled, "run"), function(&compiled, "pid")) };
    assert_eq!((run(21), pid()), (42, 8));
}

#[test]
fn what_code_generation_needs_must_be_given_too() {
    let Some(compiler) = compiler(Target::default()) else { return };
    let ir = "declare void @llvm.memcpy.p0.p0.i64(ptr, ptr, i64, i1)
        define void @copy(ptr %to, ptr %from, i64 %n) {
          call void @llvm.memcpy.p0.p0.i64(ptr %to, ptr %from, i64 %n, i1 false)
          ret void
        }";
    let refused = compiler.compile(ir, "default<O2>", &[]).expect_err("memcpy");
    assert_eq!(refused, CompileError::Undefined(vec!["memcpy".to_owned()]));
    let memcpy = ("memcpy", libc::memcpy as *const c_void);
    let compiled = compiler.compile(ir, "default<O2>", &[memcpy]).expect("code");
    // SAFETY: the function takes two pointers and a number.
    let copy: extern "C" fn(*mut u8, *const u8, u64) = unsafe { function(&compiled, "copy") };
    let (mut to, from) = ([0_u8; 5], [1_u8, 2, 3, 4, 5]);
    copy(to.as_mut_ptr(), from.as_ptr(), 4);
    assert_eq!(to, [1, 2, 3, 4, 0]);
}

/// Constants, variables and tables of jumps lie beside the code, and code finds them.
#[test]
fn code_finds_its_own_data() {
    let Some(compiler) = compiler(Target::default()) else { return };
    let ir = "@counter = global i32 40
        @table = internal constant [4 x i32] [i32 7, i32 11, i32 13, i32 17]
        @names = constant [2 x ptr] [ptr @counter, ptr @add]
        define i32 @add(i32 %x) {
          %old = load i32, ptr @counter
          %new = add i32 %old, %x
          store i32 %new, ptr @counter
          ret i32 %new
        }
        define double @scale(double %x) uwtable { %y = fmul double %x, 1.0e-3 ret double %y }
        define i32 @entry(i64 %i) {
          %p = getelementptr [4 x i32], ptr @table, i64 0, i64 %i
          %v = load i32, ptr %p
          ret i32 %v
        }
        define i32 @choose(i32 %x) noinline {
          switch i32 %x, label %z [ i32 0, label %a i32 1, label %b i32 2, label %c i32 3, label %d i32 4, label %e ]
        a: %ra = call i32 @add(i32 100) ret i32 %ra
        b: %rb = call i32 @entry(i64 1) ret i32 %rb
        c: %rc = call i32 @entry(i64 2) ret i32 %rc
        d: %rd = call i32 @add(i32 -200) ret i32 %rd
        e: ret i32 5
        z: ret i32 -1
        }";
    for passes in ["", "default<O1>"] {
        let compiled = compiler.compile(ir, passes, &[]).expect("code");
        // SAFETY: the types are those of the functions, and of the variable.
        let (add, scale, entry, choose, counter) = unsafe {
            (
                function::<extern "C" fn(i32) -> i32>(&compiled, "add"),
                function::<extern "C" fn(f64) -> f64>(&compiled, "scale"),
                function::<extern "C" fn(i64) -> i32>(&compiled, "entry"),
                function::<extern "C" fn(i32) -> i32>(&compiled, "choose"),
                function::<*const i32>(&compiled, "counter"),
            )
        };
        assert_eq!((add(1), add(1)), (41, 42));
        // SAFETY: nobody writes it meanwhile.
        assert_eq!(unsafe { counter.read_volatile() }, 42);
        assert_eq!(scale(2.0).to_bits(), (2.0 * 1.0e-3_f64).to_bits());
        assert_eq!([0, 1, 2, 3].map(|i| entry(i)), [7, 11, 13, 17]);
        assert_eq!([1, 2, 4, 5, 0, 3].map(|x| choose(x)), [11, 13, 5, -1, 142, -58]);
        assert!(compiled.data_bytes() > 0);
        assert_eq!(compiled.address("table"), None, "an internal name is not to be had");
    }
}

#[test]
fn code_may_be_kept_run_and_dropped_by_any_thread() {
    let Some(compiler) = compiler(Target::default()) else { return };
    let compiled = compiler.compile(ADD, "default<O1>", &[]).expect("code");
    std::thread::scope(|scope| {
        for _ in 0..3 {
            scope.spawn(|| {
                // SAFETY: the function takes two pointers.
                let add: extern "C" fn(*mut f32, *const f32) = unsafe { function(&compiled, "add") };
                let (mut a, b) = ([1.0_f32; 32], [0.25_f32; 32]);
                add(a.as_mut_ptr(), b.as_ptr());
                assert_eq!(a, [1.25; 32]);
            });
        }
    });
    std::thread::spawn(move || drop(compiled)).join().expect("no panic");
    check_add(&compiler);
}
