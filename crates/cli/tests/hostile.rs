//! Files made to hurt: deep nesting, endless lines, a million errors. Each must end with a message, not with a crash.
//!
//! None of these asserts a time; what is not linear would not end within the patience of a test run.

use std::io::Write;
use std::process::{Command, Stdio};

/// Runs `ptxvm check` and gives its exit code; the output is drained and counted.
fn check(input: Vec<u8>) -> (Option<i32>, usize) {
    ptxvm(&["check", "-"], input)
}

fn ptxvm(arguments: &[&str], input: Vec<u8>) -> (Option<i32>, usize) {
    let mut child = Command::new(env!("CARGO_BIN_EXE_ptxvm"))
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the command starts");
    let mut stdin = child.stdin.take().expect("stdin is piped");
    let writer = std::thread::spawn(move || stdin.write_all(&input));
    let output = child.wait_with_output().expect("the command ends");
    writer.join().expect("the writer ends").expect("all input is read");
    (output.status.code(), output.stderr.len())
}

fn module(body: &str) -> Vec<u8> {
    format!(".version 9.1\n.target sm_90a\n.address_size 64\n{body}").into_bytes()
}

fn kernel(body: &str) -> Vec<u8> {
    module(&format!(".entry k() {{ .reg .b32 %r<9>;\n{body}\nret; }}\n"))
}

/// Wrong, said so, and not at unreasonable length.
fn is_refused(input: Vec<u8>) {
    let size = input.len();
    let (code, shown) = check(input);
    assert_eq!(code, Some(2));
    assert!(
        shown > 0 && shown < 1_000_000 + size / 10,
        "{shown} bytes of messages for {size} bytes of input"
    );
}

#[test]
fn nesting() {
    let deep = 1_000_000;
    assert_eq!(check(kernel(&format!("{}{}", "{".repeat(deep), "}".repeat(deep)))).0, Some(0));
    is_refused(kernel(&"{".repeat(deep)));
    is_refused(kernel(&"}".repeat(deep)));
    is_refused(kernel(&format!("mov.u32 %r0, {}1;", "(".repeat(deep))));
    is_refused(kernel(&format!("mov.u32 %r0, {}1;", "-(".repeat(deep))));
    is_refused(kernel(&format!("mov.u32 %r0, {}1", "1?".repeat(deep))));
    is_refused(kernel(&format!("mov.b32 %r0, {}1;", "{".repeat(deep))));
    is_refused(kernel(&format!("ld.global.u32 %r0, {}1;", "[".repeat(deep))));
    is_refused(module(&format!(".global .u32 a[] = {};", "{".repeat(deep))));
    is_refused(module(&format!(".entry k{}", "(".repeat(deep))));
}

#[test]
fn long_lines_and_tokens() {
    let long = 10_000_000;
    is_refused(kernel(&format!("add.s32 %r0, %r1, {};", "x".repeat(long))));
    is_refused(kernel(&format!("add{} %r0, %r1, %r2;", ".s32".repeat(long / 4))));
    is_refused(kernel(&format!("add.s32 %r0{};", ", %r1".repeat(long / 5))));
    is_refused(kernel(&format!("mov.u32 %r0, {};", "9".repeat(long))));
    is_refused(kernel(&format!("mov.b64 {{%r0{}}}, %r1;", ", %r1".repeat(long / 5))));
    is_refused(module(&"\"".repeat(long + 1)));
    is_refused(module(&format!("/*{}", "*".repeat(long))));
    is_refused(module(&"\t é".repeat(long / 4)));
    assert_eq!(check(module(&format!("//{}\n", "x".repeat(long)))).0, Some(0));
    assert_eq!(check(kernel(&"add.s32 %r0, %r1, %r2;".repeat(long / 22))).0, Some(0));
}

#[test]
fn a_million_errors() {
    is_refused(kernel(&"add.ftz.s32 %r0, %r1, %r2;\n".repeat(1_000_000)));
    is_refused(kernel(&"nonsense %r0;\n".repeat(1_000_000)));
    is_refused(kernel(&"add.s32 %r0, %undeclared, %r1;\n".repeat(1_000_000)));
    is_refused(kernel(&"];\n".repeat(1_000_000)));
    is_refused(module(&"garbage\n".repeat(1_000_000)));
    let labels: String = (0..300_000).map(|i| format!("L{}:\n", i / 2)).collect();
    is_refused(kernel(&labels));
    let names: String = (0..300_000).map(|i| format!("add.s32 %r0, %r1, %u{i};\n")).collect();
    is_refused(kernel(&names));
}

#[test]
fn many_declarations() {
    let registers: String =
        (0..200_000).map(|i| format!(".reg .b32 %a{i};\nmov.u32 %a{i}, {i};\n")).collect();
    assert_eq!(check(kernel(&registers)).0, Some(0));
    let ranges: String =
        (0..100_000).map(|i| format!(".reg .b32 %b{i}_<4>;\nmov.u32 %b{i}_3, {i};\n")).collect();
    assert_eq!(check(kernel(&ranges)).0, Some(0));
    let globals: String = (0..200_000).map(|i| format!(".global .u32 g{i} = {i};\n")).collect();
    assert_eq!(check(module(&globals)).0, Some(0));
    let scopes = "{ .reg .b32 %s; mov.u32 %s, 1; }\n".repeat(200_000);
    assert_eq!(check(kernel(&scopes)).0, Some(0));
    is_refused(kernel(".reg .b32 %z<4294967295>; add.s32 %z1, %z2, %z5000000000;"));
}

/// Links the kernel and begins to run it.
fn begins(input: Vec<u8>) {
    assert_eq!(ptxvm(&["run", "-", "--max-instructions", "1000"], input).0, Some(3));
}

#[test]
fn many_branches() {
    let count = 100_000;
    let loops = |to: &dyn Fn(usize) -> usize| -> String {
        let block = |i| format!("L{i}: add.u32 %r0, %r0, 1; setp.ne.u32 %p, %r0, {i}; @%p bra L{};\n", to(i));
        (0..count).map(block).collect()
    };
    let of = |body: String| kernel(&format!(".reg .pred %p;\n{body}"));
    // Each loop in the one before it, all around one head, and with entrances everywhere.
    begins(of(loops(&|i| i.saturating_sub(1))));
    begins(of(loops(&|_| 0)));
    begins(of(loops(&|i| i * 7919 % count)));
    // Upwards through the text, with a register for each block that is live from below.
    let count = 16_000;
    let upwards: String = (1..count)
        .map(|i| format!("L{i}: add.u32 %q{i}, %q{}, 1; bra L{};\n", i * 7919 % count, i - 1))
        .collect();
    let body = format!(".reg .b32 %q<{count}>;\nbra L{};\nL0: bra L{};\n{upwards}", count - 1, count - 1);
    begins(kernel(&body));
}
