//! The functions that NVTX calls in place of its own.
#![allow(unsafe_code)]

use std::ffi::c_char;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicU64, Ordering};

use super::message::{EventAttributes, message, narrow, range, register, wide};
use super::range::{end, pop, push, start};

/// The number of the domain that every program has.
const DEFAULT: u64 = 0;
/// The numbers of the process's ranges.
static NEXT: AtomicU64 = AtomicU64::new(1);

/// What a function does; a bug of ours must not end the program.
fn guarded<R: Default>(work: impl FnOnce() -> R) -> R {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_default()
}

fn begin(domain: u64, name: &str) -> u64 {
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    start(number, range(domain, name));
    number
}

/// Functions that NVTX's headers declare. What they are handed is what those say.
macro_rules! calls {
    ($(fn $name:ident($($argument:ident: $ty:ty),*) $(-> $result:ty)? $body:block)*) => {$(
        pub unsafe extern "C" fn $name($($argument: $ty),*) $(-> $result)? {
            guarded(move || $body)
        }
    )*};
}

calls! {
    fn push_ex(event: *const EventAttributes) -> i32 {
        // SAFETY: the caller promises what nvToolsExt.h says of its arguments.
        push(DEFAULT, range(DEFAULT, &unsafe { message(event) }))
    }

    fn push_narrow(text: *const c_char) -> i32 {
        // SAFETY: as above.
        push(DEFAULT, range(DEFAULT, &unsafe { narrow(text) }))
    }

    fn push_wide(text: *const u32) -> i32 {
        // SAFETY: as above.
        push(DEFAULT, range(DEFAULT, &unsafe { wide(text) }))
    }

    fn pop_default() -> i32 {
        pop(DEFAULT)
    }

    fn start_ex(event: *const EventAttributes) -> u64 {
        // SAFETY: as above.
        begin(DEFAULT, &unsafe { message(event) })
    }

    fn start_narrow(text: *const c_char) -> u64 {
        // SAFETY: as above.
        begin(DEFAULT, &unsafe { narrow(text) })
    }

    fn start_wide(text: *const u32) -> u64 {
        // SAFETY: as above.
        begin(DEFAULT, &unsafe { wide(text) })
    }

    fn end_default(number: u64) {
        end(number);
    }

    fn domain_push(domain: u64, event: *const EventAttributes) -> i32 {
        // SAFETY: as above.
        push(domain, range(domain, &unsafe { message(event) }))
    }

    fn domain_pop(domain: u64) -> i32 {
        pop(domain)
    }

    fn domain_start(domain: u64, event: *const EventAttributes) -> u64 {
        // SAFETY: as above.
        begin(domain, &unsafe { message(event) })
    }

    fn domain_end(_domain: u64, number: u64) {
        end(number);
    }

    fn domain_string_narrow(_domain: u64, text: *const c_char) -> u64 {
        // SAFETY: as above.
        register(&unsafe { narrow(text) })
    }

    fn domain_string_wide(_domain: u64, text: *const u32) -> u64 {
        // SAFETY: as above.
        register(&unsafe { wide(text) })
    }

    fn domain_narrow(name: *const c_char) -> u64 {
        // SAFETY: as above.
        register(&unsafe { narrow(name) })
    }

    fn domain_wide(name: *const u32) -> u64 {
        // SAFETY: as above.
        register(&unsafe { wide(name) })
    }
}
