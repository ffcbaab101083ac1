//! What happens when LLVM gives up.
//!
//! After a fatal error LLVM ends the process as soon as its handler returns. Ours therefore never returns on a thread
//! that has said what is to be done instead: that thread is lost, and everything else goes on.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::ffi::c_char;
use std::rc::Rc;

use super::functions::Functions;
use super::text;

/// What a thread does for ever after a fatal error.
pub trait GiveUp {
    /// Is called on the thread itself, from within LLVM, which must not be returned to.
    fn give_up(&self, reason: &str) -> !;
}

thread_local! {
    static LAST: RefCell<Option<Rc<dyn GiveUp>>> = const { RefCell::new(None) };
}

/// Says what this thread does for ever after a fatal error of LLVM's, which that is told.
pub fn on_this_thread(last: Rc<dyn GiveUp>) {
    LAST.with(|place| *place.borrow_mut() = Some(last));
}

/// Makes the handler the library's.
pub fn install(functions: &Functions) {
    // SAFETY: a function that is always there.
    unsafe { (functions.LLVMInstallFatalErrorHandler)(handle) };
}

/// LLVM's call when it gives up.
extern "C" fn handle(reason: *const c_char) {
    // SAFETY: a string that ends with a zero, and stays during this call.
    let reason = unsafe { text::copy(reason) };
    // A thread whose values are gone has nothing to do any more either.
    let last = LAST.try_with(|last| last.borrow_mut().take()).ok().flatten();
    if let Some(last) = last {
        last.give_up(&reason);
    }
    // Another user of the same library gets what it would have had without us: the process ends.
}
