//! Calls of the machine's functions that are hardly ever made.
//!
//! Such a call keeps the general registers, as if it were not there: else what lives in them would be put aside on the
//! way that is always taken, and a kernel that streams through memory waits for every store.

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
            "define internal preserve_mostcc {ty} @ask_{function}({numbered}) noinline cold nounwind {{\n  \
             %answer = call {ty} @ptxvm_{function}({numbered})\n  ret {ty} %answer\n}}"
        ));
        self.tell_warp();
        self.writer.value(format!("call preserve_mostcc {ty} @ask_{function}({given})"))
    }
}
