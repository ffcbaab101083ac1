//! The macros around every function: a panic never leaves the library, and nothing is answered before it is initialised.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crate::result::{Answer, NvmlReturn};
use crate::state;

/// Declares functions that are served. The body is that of a function which gives an [`Answer`].
///
/// They are `unsafe`, since they trust the pointers that they are handed (`ptxvm_abi::pointer` says in what); their bodies
/// are not.
macro_rules! entry {
    ($($(#[$about:meta])* fn $name:ident($($argument:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        $crate::entry::function! { answer $(#[$about])* $name($($argument: $ty),*) $body }
    )*};
}
pub(crate) use entry;

/// Functions that may be called before the library is initialised.
macro_rules! early {
    ($($(#[$about:meta])* fn $name:ident($($argument:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        $crate::entry::function! { answer_early $(#[$about])* $name($($argument: $ty),*) $body }
    )*};
}
pub(crate) use early;

macro_rules! function {
    ($answer:ident $(#[$about:meta])* $name:ident($($argument:ident: $ty:ty),*) $body:block) => {
        $(#[$about])*
        ///
        /// # Safety
        /// Every pointer among the arguments is null or what nvml.h says of it.
        #[allow(unsafe_code, non_snake_case, reason = "the name is for C programs, and so is the promise")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $ty),*) -> $crate::result::NvmlReturn {
            $crate::entry::$answer(stringify!($name), &mut move || -> $crate::result::Answer {
                #[deny(unsafe_code)]
                let answered: $crate::result::Answer = $body;
                answered
            })
        }
    };
}
pub(crate) use function;

/// Declares functions that say that they are not supported. They may be called with any arguments: in the C calling
/// conventions of our hosts the caller cleans up.
macro_rules! unsupported {
    ($($name:ident)*) => {$(
        #[allow(unsafe_code, non_snake_case, reason = "the name is for C programs; they are handed nothing that they trust")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() -> $crate::result::NvmlReturn {
            $crate::entry::answer(stringify!($name), &mut || Err($crate::result::NvmlReturn::NOT_SUPPORTED))
        }
    )*};
}
pub(crate) use unsupported;

/// Runs the body of a function if the library is initialised.
pub fn answer(name: &str, body: &mut dyn FnMut() -> Answer) -> NvmlReturn {
    answer_early(name, &mut || {
        state::ready()?;
        body()
    })
}

/// Runs the body of a function.
pub fn answer_early(name: &str, body: &mut dyn FnMut() -> Answer) -> NvmlReturn {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => NvmlReturn::SUCCESS,
        Ok(Err(why)) => why,
        Err(_) => {
            ptxvm_host::say(format_args!(
                "ptxvm: internal error in {name}: this is a bug in ptxvm; please report it\n"
            ));
            NvmlReturn::UNKNOWN
        }
    }
}
