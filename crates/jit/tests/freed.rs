//! Code is freed when it is dropped. One test in a process of its own: what another compiles meanwhile may come to lie
//! where the freed code was.
#![allow(unsafe_code)]

mod llvm;

use std::ffi::c_void;

use llvm::{compiler, function};
use ptxvm_jit::llvm::Target;

const ADD_ONE: &str = "define i32 @add(i32 %x) { %y = add i32 %x, 1 ret i32 %y }";

/// Whether code may be run at an address.
fn is_executable(address: *const c_void) -> bool {
    let maps = std::fs::read_to_string("/proc/self/maps").expect("maps");
    let holds = |range: &str| {
        let (start, end) = range.split_once('-')?;
        let bounds = usize::from_str_radix(start, 16).ok()?..usize::from_str_radix(end, 16).ok()?;
        bounds.contains(&address.addr()).then_some(())
    };
    maps.lines().any(|line| {
        let mut words = line.split_whitespace();
        words.next().and_then(holds).is_some() && words.next().is_some_and(|rights| rights.contains('x'))
    })
}

#[test]
fn code_is_freed_when_it_is_dropped_and_not_before() {
    let Some(compiler) = compiler(Target::default()) else { return };
    let first = compiler.compile(ADD_ONE, "", &[]).expect("code");
    let second = compiler.compile(ADD_ONE, "", &[]).expect("code");
    let addresses = [&first, &second].map(|compiled| compiled.address("add").expect("add"));
    assert_ne!(addresses[0], addresses[1]);
    drop(first);
    // Jobs are done in order: what comes after a drop finds it done.
    compiler.emit_assembly(ADD_ONE, "").expect("assembly");
    assert_eq!(addresses.map(is_executable), [false, true]);
    // The code outlives the compiler.
    drop(compiler);
    // SAFETY: the function takes a number and gives one.
    let add: extern "C" fn(i32) -> i32 = unsafe { function(&second, "add") };
    assert_eq!(add(41), 42);
}
