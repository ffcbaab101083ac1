//! Coverage-guided: any bytes as an image to be linked, of the kind that the first of them says. Nothing may crash, read
//! further than the bytes, or answer that it does not know. Good seeds are the files of `crates/cuda/tests/images`.
#![no_main]

use std::ffi::{c_char, c_void};
use std::ptr::{null, null_mut};
use std::sync::Once;

use cuda as _;
use libfuzzer_sys::fuzz_target;

unsafe extern "C" {
    fn cuInit(flags: u32) -> u32;
    fn cuDevicePrimaryCtxRetain(context: *mut *mut c_void, device: i32) -> u32;
    fn cuCtxSetCurrent(context: *mut c_void) -> u32;
    fn cuLinkCreate_v2(count: u32, options: *const u32, values: *mut usize, state: *mut *mut c_void) -> u32;
    fn cuLinkAddData_v2(
        state: *mut c_void,
        kind: u32,
        data: *const u8,
        size: usize,
        name: *const c_char,
        count: u32,
        options: *const u32,
        values: *mut usize,
    ) -> u32;
    fn cuLinkDestroy(state: *mut c_void) -> u32;
}

/// What the driver answers when something happened that it has no name for.
const UNKNOWN: u32 = 999;

fuzz_target!(|bytes: &[u8]| {
    static CONTEXT: Once = Once::new();
    let Some((kind, image)) = bytes.split_first() else { return };
    // SAFETY: these are the driver's functions, called as its manual says.
    unsafe {
        CONTEXT.call_once(|| {
            let mut context = null_mut();
            assert_eq!(cuInit(0), 0);
            assert_eq!(cuDevicePrimaryCtxRetain(&raw mut context, 0), 0);
            assert_eq!(cuCtxSetCurrent(context), 0);
        });
        let mut state = null_mut();
        assert_eq!(cuLinkCreate_v2(0, null(), null_mut(), &raw mut state), 0);
        let (kind, name) = (u32::from(kind % 6), c"image".as_ptr());
        let answer =
            cuLinkAddData_v2(state, kind, image.as_ptr(), image.len(), name, 0, null(), null_mut());
        assert_ne!(answer, UNKNOWN);
        assert_eq!(cuLinkDestroy(state), 0);
    }
});
