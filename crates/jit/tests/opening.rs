//! A process may end while a thread of it opens LLVM.
//!
//! What is tested is the end of the main thread, so this program has no harness: it runs itself again and again, and each
//! time ends a little later.

mod llvm;

use std::process::Command;
use std::time::Duration;

use llvm::compiler;
use ptxvm_jit::llvm::{Target, wait_at_end};

/// The variable that says after how many microseconds the process is to end.
const END: &str = "PTXVM_JIT_TEST_END";

fn main() {
    if let Ok(microseconds) = std::env::var(END) {
        return end_after(Duration::from_micros(microseconds.parse().expect("a number")));
    }
    let own = std::env::current_exe().expect("this program");
    // LLVM runs code of its own in the first few milliseconds. Without the wait about one process in a hundred falls.
    for microseconds in (0..6000).step_by(20) {
        let mut command = Command::new(&own);
        let output = command.env(END, microseconds.to_string()).output().expect("a process");
        let told = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "after {microseconds} us: {:?}\n{told}", output.status);
    }
}

fn end_after(time: Duration) {
    wait_at_end();
    std::thread::spawn(|| {
        let compiler = compiler(Target::default())?;
        compiler.compile("define i32 @seven() { ret i32 7 }", "", &[]).ok()
    });
    std::thread::sleep(time);
}
