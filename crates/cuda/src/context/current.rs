//! A thread's stack of contexts. A call that names no context uses the top.

use std::cell::{Cell, RefCell};
use std::sync::Arc;

use super::{CUcontext, Context};
use crate::abi::{Answer, CUresult};
use crate::driver;

thread_local! {
    /// The top; null if there is none. It is there to the thread's very end: destructors of a program's own thread-local
    /// variables call the driver too.
    static TOP: Cell<CUcontext> = const { Cell::new(CUcontext::NULL) };
    /// What lies below the top. A thread that is ending has forgotten it.
    static BELOW: RefCell<Vec<CUcontext>> = const { RefCell::new(Vec::new()) };
}

/// The handle of the current context; null if there is none.
pub fn top() -> CUcontext {
    TOP.get()
}

/// The current context, ready for use.
///
/// # Errors
/// There is none, it has been destroyed, or a fault has made it unusable.
pub fn current() -> Answer<Arc<Context>> {
    let context = current_even_if_broken()?;
    context.check()?;
    Ok(context)
}

/// The current context, for what can still be asked after a fault.
///
/// # Errors
/// There is none, or it has been destroyed.
pub fn current_even_if_broken() -> Answer<Arc<Context>> {
    driver::get()?;
    let handle = top();
    if handle.is_null() {
        return Err(CUresult::INVALID_CONTEXT);
    }
    handle.find().ok_or(CUresult::CONTEXT_IS_DESTROYED)
}

/// Puts a context on top.
pub fn push(handle: CUcontext) {
    let before = TOP.replace(handle);
    if !before.is_null() {
        let _ = BELOW.try_with(|below| below.borrow_mut().push(before));
    }
}

/// Takes the top away.
pub fn pop() -> Option<CUcontext> {
    let below = BELOW.try_with(|below| below.borrow_mut().pop()).ok().flatten();
    let top = TOP.replace(below.unwrap_or(CUcontext::NULL));
    (!top.is_null()).then_some(top)
}

/// Puts a context in the place of the top; null takes the top away.
pub fn set(handle: CUcontext) {
    pop();
    if !handle.is_null() {
        push(handle);
    }
}
