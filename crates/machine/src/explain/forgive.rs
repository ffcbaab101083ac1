//! Whether an operation may go on after a mistake that silicon survives (`explain/mistake.rs`).

use crate::context::{Context, Flow};
use crate::explain::finding::Kind;
use crate::state::worker::Fault;

impl Context<'_> {
    /// A mistake of a lane that an H200 survives. Whether the operation may go on as it does there; if not, the warp
    /// stops, and the operation is executed again if the launch goes on.
    ///
    /// # Errors
    /// The warp stops.
    pub fn mistake(
        &mut self,
        kind: Kind,
        lane: usize,
        message: impl FnOnce() -> String,
        notes: impl FnOnce() -> Vec<String>,
    ) -> Result<(), Flow> {
        if self.forgives() {
            return Ok(());
        }
        self.worker.fault = Some(Fault { survived: true, ..Fault::new(kind, lane, message(), notes()) });
        Err(Flow::Stop)
    }

    /// Says of the fault that has just been made that an H200 survives it, or, the second time, forgives it.
    pub(crate) fn survived(&mut self) -> Result<(), Flow> {
        if self.forgives() {
            self.worker.fault = None;
            return Ok(());
        }
        if let Some(fault) = &mut self.worker.fault {
            fault.survived = true;
        }
        Err(Flow::Stop)
    }

    /// Whether the instruction is executed again and forgivingly; then one more thread is.
    pub(crate) fn forgives(&mut self) -> bool {
        self.worker.forgiven += u64::from(self.worker.forgiving);
        self.worker.forgiving
    }
}
