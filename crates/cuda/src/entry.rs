//! The macro around every entry point: it catches panics, and `--api-trace` prints each call.

use std::fmt::Debug;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use crate::abi::{Answer, CUresult};
use crate::{logged, options, report};

/// Declares entry points. The body is that of a function which gives an [`Answer`]. A name in brackets is that of the
/// variant for programs whose default stream is the thread's own.
///
/// They are `unsafe`, since they trust the pointers that they are handed (`abi/pointer.rs` says in what); their bodies
/// are not, unless the file around them allows it.
macro_rules! entry {
    ($($(#[$about:meta])* fn $name:ident $([$own:ident])? ($($argument:ident: $ty:ty),* $(,)?) $body:block)*) => {$(
        $(#[$about])*
        ///
        /// # Safety
        /// Every pointer among the arguments is null or what the driver API says of it.
        #[allow(unsafe_code, reason = "the name is for C programs, and so is the promise")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $ty),*) -> $crate::abi::CUresult {
            $crate::entry::answer(
                stringify!($name),
                &[$((stringify!($argument), &$argument)),*],
                &mut move || -> $crate::abi::Answer {
                    #[deny(unsafe_code)]
                    let answered: $crate::abi::Answer = $body;
                    answered
                },
            )
        }

        $crate::entry::own_variant! { [$($own)?] $name($($argument: $ty),*) }
    )*};
}
pub(crate) use entry;

/// The variant of an entry point for programs whose default stream is the thread's own, if it has one.
macro_rules! own_variant {
    ([] $($entry:tt)*) => {};
    ([$own:ident] $name:ident($($argument:ident: $ty:ty),*)) => {
        /// # Safety
        /// As for the one that it is a variant of.
        #[allow(unsafe_code, reason = "the name is for C programs, and so is the promise")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $own($($argument: $ty),*) -> $crate::abi::CUresult {
            // SAFETY: the same arguments, of which the caller promises the same.
            $crate::stream::own_default(|| unsafe { $name($($argument),*) })
        }
    };
}
pub(crate) use own_variant;

/// Declares entry points that say that they are not supported. They may be called with any arguments: in the C
/// calling conventions of our hosts the caller cleans up.
macro_rules! unsupported {
    ($($name:ident)*) => {$(
        #[allow(unsafe_code, reason = "the name is for C programs; they are handed nothing that they trust")]
        #[unsafe(no_mangle)]
        pub extern "C" fn $name() -> $crate::abi::CUresult {
            $crate::entry::refuse(stringify!($name))
        }
    )*};
}
pub(crate) use unsupported;

/// Runs the body of an entry point and gives what it answers to the program. There are some five hundred: what is
/// around their bodies is compiled once.
pub fn answer(name: &str, arguments: &[(&str, &dyn Debug)], body: &mut dyn FnMut() -> Answer) -> CUresult {
    // The arguments are shown as they came, before the body fills results in.
    let traced = options::get().choices.api_trace.then(|| (shown(arguments), Instant::now()));
    let result = match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => CUresult::SUCCESS,
        // That something is not done yet is no error.
        Ok(Err(CUresult::NOT_READY)) => CUresult::NOT_READY,
        Ok(Err(result)) => {
            logged::error(name, result);
            result
        }
        Err(_) => {
            report::bug(name);
            CUresult::UNKNOWN
        }
    };
    if let Some((arguments, began)) = traced {
        report::trace(name, &arguments, result, began.elapsed());
    }
    result
}

/// Arguments with their names.
fn shown(arguments: &[(&str, &dyn Debug)]) -> String {
    let each: Vec<String> = arguments.iter().map(|(name, value)| format!("{name}={value:?}")).collect();
    each.join(", ")
}

/// Says once of each entry point that it is not supported.
pub fn refuse(name: &'static str) -> CUresult {
    static SAID: Mutex<Vec<&str>> = Mutex::new(Vec::new());
    answer(name, &[], &mut || {
        let mut said = SAID.lock().unwrap_or_else(PoisonError::into_inner);
        if !said.contains(&name) {
            said.push(name);
            report::unsupported(name);
        }
        Err(CUresult::NOT_SUPPORTED)
    })
}
