//! The macros around every entry point: a panic never leaves the library, and an error is kept as the thread's last.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};

use crate::error::{Answer, CudaError};
use crate::{context, last_error};

/// Declares entry points. The body is that of a function which gives an [`Answer`]; a context is current when it runs. A name
/// in brackets is that of the variant for programs whose default stream is the thread's own.
///
/// They are `unsafe`, since they trust the pointers that they are handed (`ptxvm_abi::pointer` says in what); their bodies
/// are not, unless the file around them allows it.
macro_rules! entry {
    ($($(#[$about:meta])* fn $name:ident $([$own:ident])? ($($argument:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        $crate::entry::function! { answer both [$($own)?] $(#[$about])* $name($($argument: $ty),*) $body }
    )*};
}
pub(crate) use entry;

/// Entry points that need no context, and make none.
macro_rules! early {
    ($($(#[$about:meta])* fn $name:ident $([$own:ident])? ($($argument:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        $crate::entry::function! { answer_early both [$($own)?] $(#[$about])* $name($($argument: $ty),*) $body }
    )*};
}
pub(crate) use early;

/// Entry points that have other arguments, or another structure, in CUDA 12.
macro_rules! of_13 {
    ($($(#[$about:meta])* fn $name:ident $([$own:ident])? ($($argument:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        $crate::entry::function! { answer of_13 [$($own)?] $(#[$about])* $name($($argument: $ty),*) $body }
    )*};
}
pub(crate) use of_13;

/// Their counterparts there.
#[cfg(versioned)]
macro_rules! of_12 {
    ($($(#[$about:meta])* fn $name:ident $([$own:ident])? ($($argument:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        $crate::entry::function! { answer of_12 [$($own)?] $(#[$about])* $name($($argument: $ty),*) $body }
    )*};
}
#[cfg(versioned)]
pub(crate) use of_12;

/// Entry points that only CUDA 12 has.
#[cfg(versioned)]
macro_rules! only_12 {
    ($($(#[$about:meta])* fn $name:ident $([$own:ident])? ($($argument:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        $crate::entry::function! { answer only_12 [$($own)?] $(#[$about])* $name($($argument: $ty),*) $body }
    )*};
}
#[cfg(versioned)]
pub(crate) use only_12;

/// The function of an entry point, and that of its variant.
macro_rules! function {
    ($answer:ident $versions:ident [$($own:ident)?] $(#[$about:meta])* $name:ident($($argument:ident: $ty:ty),*) $body:block) => {
        $(#[$about])*
        ///
        /// # Safety
        /// Every pointer among the arguments is null or what the runtime API says of it.
        #[allow(unsafe_code, non_snake_case, reason = "the name is for C programs, and so is the promise")]
        #[cfg_attr(not(versioned), unsafe(no_mangle))]
        pub unsafe extern "C" fn $name($($argument: $ty),*) -> $crate::error::CudaError {
            $crate::entry::$answer(
                stringify!($name),
                #[allow(unused_mut, reason = "some bodies change what they have been handed")]
                &mut move || -> $crate::error::Answer {
                    #[deny(unsafe_code)]
                    let answered: $crate::error::Answer = $body;
                    answered
                },
            )
        }

        $crate::symbol::export!($versions $name);
        $crate::entry::own_variant! { $versions [$($own)?] $name($($argument: $ty),*) }
    };
}
pub(crate) use function;

/// The variant of an entry point for programs whose default stream is the thread's own, if it has one.
macro_rules! own_variant {
    ($versions:ident [] $($entry:tt)*) => {};
    ($versions:ident [$own:ident] $name:ident($($argument:ident: $ty:ty),*)) => {
        /// # Safety
        /// As for the one that it is a variant of.
        #[allow(unsafe_code, non_snake_case, reason = "the name is for C programs, and so is the promise")]
        #[cfg_attr(not(versioned), unsafe(no_mangle))]
        pub unsafe extern "C" fn $own($($argument: $ty),*) -> $crate::error::CudaError {
            // SAFETY: the same arguments, of which the caller promises the same.
            $crate::driver::own_default(|| unsafe { $name($($argument),*) })
        }
        $crate::symbol::export!($versions $own);
    };
}
pub(crate) use own_variant;

/// Declares entry points that say that they are not supported. They may be called with any arguments: in the C
/// calling conventions of our hosts the caller cleans up.
macro_rules! unsupported {
    ($($name:ident)*) => {
        $crate::entry::refused! { both $($name)* }
    };
}
pub(crate) use unsupported;

/// The same of those that only CUDA 12 has.
#[cfg(versioned)]
macro_rules! unsupported_of_12 {
    ($($name:ident)*) => {
        $crate::entry::refused! { only_12 $($name)* }
    };
}
#[cfg(versioned)]
pub(crate) use unsupported_of_12;

/// Functions that refuse.
macro_rules! refused {
    ($versions:ident $($name:ident)*) => {$(
        #[allow(unsafe_code, non_snake_case, reason = "the name is for C programs; they are handed nothing that they trust")]
        #[cfg_attr(not(versioned), unsafe(no_mangle))]
        pub extern "C" fn $name() -> $crate::error::CudaError {
            $crate::entry::refuse(stringify!($name))
        }
        $crate::symbol::export!($versions $name);
    )*};
}
pub(crate) use refused;

/// Declares functions of the registration interface, which give no error code. A panic ends in nothing done.
macro_rules! no_result {
    ($($(#[$about:meta])* fn $name:ident($($argument:ident: $ty:ty),* $(,)?) -> $result:ty $body:block)*) => {$(
        $(#[$about])*
        ///
        /// # Safety
        /// Every pointer among the arguments is null or what nvcc's code hands over.
        #[allow(unsafe_code, non_snake_case, reason = "the name is for C programs, and so is the promise")]
        #[cfg_attr(not(versioned), unsafe(no_mangle))]
        pub unsafe extern "C" fn $name($($argument: $ty),*) -> $result {
            $crate::entry::guarded(stringify!($name), move || {
                #[deny(unsafe_code)]
                let done: $result = $body;
                done
            })
        }
        $crate::symbol::export!($name);
    )*};
}
pub(crate) use no_result;

/// Runs the body of an entry point with a context, and gives what it answers to the program.
pub fn answer(name: &str, body: &mut dyn FnMut() -> Answer) -> CudaError {
    answer_early(name, &mut || {
        context::ready()?;
        body()
    })
}

/// Runs the body of an entry point and gives what it answers to the program. There are some four hundred: what is around
/// their bodies is compiled once.
pub fn answer_early(name: &str, body: &mut dyn FnMut() -> Answer) -> CudaError {
    let answered = catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        tell_bug(name);
        Err(CudaError::UNKNOWN)
    });
    match answered {
        Ok(()) => CudaError::SUCCESS,
        // That something is not done yet is no error to remember.
        Err(CudaError::NOT_READY) => CudaError::NOT_READY,
        Err(error) => {
            last_error::remember(error);
            error
        }
    }
}

/// Runs the body of a function that gives no error code.
pub fn guarded<R: Default>(name: &str, body: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or_else(|_| {
        tell_bug(name);
        R::default()
    })
}

fn tell_bug(name: &str) {
    ptxvm_host::say(format_args!(
        "ptxvm: internal error in {name}: this is a bug in ptxvm; please report it\n"
    ));
}

/// Says once of each entry point that it is not supported.
pub fn refuse(name: &'static str) -> CudaError {
    static SAID: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    answer_early(name, &mut || {
        let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
        if !said.contains(&name) {
            said.push(name);
            ptxvm_host::say(format_args!("ptxvm: {name} is not supported\n"));
        }
        Err(CudaError::NOT_SUPPORTED)
    })
}
