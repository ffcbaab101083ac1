//! Calls of functions of this process that are hardly ever made.
//!
//! Such a call keeps all registers, as if it were not there: else what lives in them would be put aside on the way that is
//! always taken, and LLVM would look long for what to do with them. The answer comes by way of memory.

use std::fmt::Write;

use super::Emitter;
use super::writer::{Name, Writer};

/// The attribute of a function that keeps registers, and of calls of it.
const KEEPS: &str = "\"no_caller_saved_registers\"";

/// What it gives, for nothing: LLVM would else clear the upper parts of the registers when it returns, which it has kept.
const NOTHING: &str = "<16 x i32>";

impl Writer {
    /// Calls a function of this process, by another one that keeps registers. Arguments have types and names; `body` are the
    /// lines of the other one, in which they are numbered.
    pub fn call_cold(&mut self, name: &str, arguments: &[(&str, &str)], body: &str) {
        let (mut parameters, mut narrowed, mut given) = (Vec::new(), String::new(), Vec::new());
        for (at, (ty, value)) in arguments.iter().enumerate() {
            // LLVM forgets that an argument of less than a whole register takes all of it.
            if *ty == "i32" {
                parameters.push(format!("i64 %wide{at}"));
                let _ = writeln!(narrowed, "  %a{at} = trunc i64 %wide{at} to i32");
                given.push(format!("i64 {}", self.value(format!("zext i32 {value} to i64"))));
            } else {
                parameters.push(format!("{ty} %a{at}"));
                given.push(format!("{ty} {value}"));
            }
        }
        let (parameters, given) = (parameters.join(", "), given.join(", "));
        self.declare(format!(
            "define internal {NOTHING} @{name}({parameters}) noinline cold nounwind {KEEPS} {{
{narrowed}{body}  ret {NOTHING} zeroinitializer\n}}"
        ));
        self.value(format!("call {NOTHING} @{name}({given}) {KEEPS}"));
    }
}

impl Emitter<'_> {
    /// Asks a function of the machine: the frame is its first argument, others have types and names.
    pub(super) fn ask(&mut self, function: &str, ty: &str, arguments: &[(&str, &str)]) -> Name {
        let all: Vec<(&str, &str)> = [&[("ptr", "%frame")], arguments].concat();
        let types = all.iter().map(|(ty, _)| *ty).collect::<Vec<_>>().join(", ");
        let numbered = all.iter().enumerate().map(|(at, (ty, _))| format!("{ty} %a{at}"));
        let numbered = numbered.collect::<Vec<_>>().join(", ");
        self.writer.declare(format!("declare {ty} @ptxvm_{function}({types})"));
        self.tell_warp();
        let (to, last) = (format!("%answer.{ty}"), all.len());
        self.slot(to.clone(), ty);
        let body = format!(
            "  %answer = call {ty} @ptxvm_{function}({numbered})\n  store {ty} %answer, ptr %a{last}\n"
        );
        self.writer.call_cold(&format!("ask_{function}"), &[&all[..], &[("ptr", &to)]].concat(), &body);
        self.writer.value(format!("load {ty}, ptr {to}"))
    }
}
