//! Frees memory in the order of a stream.

use std::sync::Arc;

use crate::context::Context;
use crate::memory::Record;

/// Memory that programs can name no more, and that is given back when the stream gets there.
#[derive(Clone)]
pub struct Free {
    pub record: Arc<Record>,
}

impl Free {
    /// Does it.
    pub fn run(&self, context: &Context) {
        self.record.release(context.device.memory());
    }
}
