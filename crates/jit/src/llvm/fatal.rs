//! What happens when LLVM gives up.
//!
//! After a fatal error LLVM ends the process as soon as its handler returns. Ours therefore never returns on a thread
//! that has said what is to be done instead: that thread is lost, and everything else goes on.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::ffi::{c_char, c_void};
use std::mem::MaybeUninit;
use std::rc::Rc;
use std::sync::{Mutex, PoisonError};

use super::functions::Functions;
use super::text;

/// What a thread does for ever after a fatal error.
pub trait GiveUp {
    /// Lets go of memory that was kept for this: there may be none left to say anything with.
    fn make_room(&self);

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

/// Makes the handlers the library's, once: LLVM takes a second one for a mistake.
pub fn install(functions: &Functions) {
    /// By a function of theirs, the libraries that have them.
    static INSTALLED: Mutex<Vec<usize>> = Mutex::new(Vec::new());
    let mut installed = INSTALLED.lock().unwrap_or_else(PoisonError::into_inner);
    let library = functions.LLVMInstallFatalErrorHandler as *const c_void as usize;
    if installed.contains(&library) {
        return;
    }
    installed.push(library);
    // SAFETY: a function that is always there.
    unsafe { (functions.LLVMInstallFatalErrorHandler)(handle) };
    if let Some(install) = functions._ZN4llvm31install_bad_alloc_error_handlerEPFvPvPKcbES0_ {
        // SAFETY: a function that is always there, and uses nothing that it is given to keep.
        unsafe { install(handle_memory, std::ptr::null_mut()) };
        install_for_new(functions);
    }
}

/// Has C++'s `new` tell LLVM when it finds no memory, instead of throwing what LLVM cannot catch. Only where LLVM has a
/// C++ library of its own, as in Rust's toolchains: one that is shared tells other users in the process too.
fn install_for_new(functions: &Functions) {
    let install = functions._ZN4llvm33install_out_of_memory_new_handlerEv;
    let (Some(install), Some(set)) = (install, functions._ZSt15set_new_handlerPFvvE) else { return };
    let own = library_of(functions.LLVMContextCreate as *const c_void);
    if own.is_some() && own == library_of(set as *const c_void) {
        // SAFETY: it may be called at any time.
        unsafe { install() };
    }
}

/// Where the library begins that has a function at this address.
fn library_of(function: *const c_void) -> Option<*mut c_void> {
    let mut info = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: a place for the answer, which is filled if it is not 0.
    unsafe { (libc::dladdr(function, info.as_mut_ptr()) != 0).then(|| info.assume_init().dli_fbase) }
}

/// LLVM's call when one of its containers finds no memory.
extern "C" fn handle_memory(_kept: *mut c_void, reason: *const c_char, _crash: bool) {
    handle(reason);
}

/// LLVM's call when it gives up.
extern "C" fn handle(reason: *const c_char) {
    // A thread whose values are gone has nothing to do any more either.
    let last = LAST.try_with(|last| last.borrow_mut().take()).ok().flatten();
    if let Some(last) = last {
        last.make_room();
        // SAFETY: a string that ends with a zero, and stays during this call.
        last.give_up(&unsafe { text::copy(reason) });
    }
    // Another user of the same library gets what it would have had without us: the process ends.
}
