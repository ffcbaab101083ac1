//! The way of every call: panics are caught, and why it failed is kept for the thread.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::message;
use crate::status::{Status, Told};

/// Does what a call asks for, and keeps why it failed.
pub fn answer(call: impl FnOnce() -> Result<(), Told>) -> Status {
    // A panic that left a C function would abort, and that looks like the program's own fault.
    let done = catch_unwind(AssertUnwindSafe(call)).unwrap_or_else(|panic| {
        let said = panic.downcast_ref::<&str>().map(|said| (*said).to_owned());
        Err(Told::bug(said.or_else(|| panic.downcast_ref::<String>().cloned()).unwrap_or_default()))
    });
    match done {
        Ok(()) => Status::Ok,
        Err(told) => {
            let status = told.status;
            message::keep(told);
            status
        }
    }
}
