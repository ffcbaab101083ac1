//! Calls of the machine's functions that are hardly ever made.
//!
//! Such a call keeps the general registers, as if it were not there: else what lives in them would be put aside on the
//! way that is always taken, and a kernel that streams through memory waits for every store. LLVM 15 keeps the register of
//! the answer, too, so that the answer comes by way of memory.

use super::Emitter;
use super::writer::Name;

impl Emitter<'_> {
    /// Asks a function of the machine: the frame is its first argument, others have types and names.
    pub(super) fn ask(&mut self, function: &str, ty: &str, arguments: &[(&str, &str)]) -> Name {
        let all = || [("ptr", "%frame")].into_iter().chain(arguments.iter().copied());
        let types = all().map(|(ty, _)| ty).collect::<Vec<_>>().join(", ");
        let given = all().map(|(ty, name)| format!("{ty} {name}")).collect::<Vec<_>>().join(", ");
        let numbered = all().enumerate().map(|(at, (ty, _))| format!("{ty} %{at}"));
        let numbered = numbered.collect::<Vec<_>>().join(", ");
        self.writer.declare(format!("declare {ty} @ptxvm_{function}({types})"));
        self.writer.declare(format!(
            "define internal preserve_mostcc void @ask_{function}({numbered}, ptr %to) noinline cold nounwind {{\n  \
             %answer = call {ty} @ptxvm_{function}({numbered})\n  store {ty} %answer, ptr %to\n  ret void\n}}"
        ));
        self.tell_warp();
        let to = format!("%answer.{ty}");
        self.slot(to.clone(), ty);
        self.writer.line(format!("call preserve_mostcc void @ask_{function}({given}, ptr {to})"));
        self.writer.value(format!("load {ty}, ptr {to}"))
    }
}
