//! The profiler's entry points. There is no profiler, but programs that start and stop it go on.

use crate::context::current;
use crate::entry::entry;

entry! {
    fn cuProfilerStart() {
        current().map(|_| ())
    }

    fn cuProfilerStop() {
        current().map(|_| ())
    }
}
