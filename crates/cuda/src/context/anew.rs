//! What a test runner needs between two tests of one process, and no other driver has: a mistake of one test must neither
//! break the next nor hide it.

use super::Context;
use crate::entry::entry;
use crate::handles::Handle;
use crate::{options, report};

entry! {
    /// Waits for all work, makes contexts usable again that a guest's fault has broken, and tells again what was told
    /// before. Memory, modules and handles stay as they are.
    fn ptxvm_begin_anew() {
        for context in Handle::<Context>::all() {
            // What the work answers has been told to whoever asked for it.
            let _ = context.synchronize();
            context.mend();
        }
        report::forget_told();
        Ok(())
    }

    /// Has launches from now on take another of the orders that PTX leaves open.
    fn ptxvm_set_seed(seed: u64) {
        options::set_seed(seed);
        Ok(())
    }
}
