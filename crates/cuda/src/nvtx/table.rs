//! The tables that NVTX hands over, and the functions that are put into them.
#![allow(unsafe_code)]

use std::ffi::c_void;
use std::ptr::null_mut;

use super::call;

/// `NVTX_ETID_CALLBACKS`
const CALLBACKS: u32 = 1;
/// `NVTX_CB_MODULE_CORE` and `NVTX_CB_MODULE_CORE2`: functions without and with domains.
const CORE: u32 = 1;
const CORE2: u32 = 5;

/// Gives one of NVTX's tables, or null.
type GetExportTable = unsafe extern "C" fn(u32) -> *const Callbacks;
/// A place of a function pointer, which is null where NVTX has no such function.
type Slot = *mut *const c_void;

/// `NvtxExportTableCallbacks`
#[repr(C)]
pub struct Callbacks {
    size: usize,
    /// Gives the places of a module's functions, and how many there are.
    table: Option<unsafe extern "C" fn(u32, *mut *mut Slot, *mut u32) -> i32>,
}

/// What NVTX calls once for each program and library that uses it. 1 is success: who gets 0 takes this library away again.
///
/// # Safety
/// The function gives NVTX's tables.
#[allow(non_snake_case, reason = "the name is NVTX's")]
#[unsafe(no_mangle)]
pub unsafe extern "C" fn InitializeInjectionNvtx2(get: Option<GetExportTable>) -> i32 {
    let Some(get) = get else { return 0 };
    // SAFETY: the caller promises that the function gives tables by number.
    let callbacks = unsafe { get(CALLBACKS) };
    if callbacks.is_null() {
        return 0;
    }
    // SAFETY: the table of this number has this type.
    let callbacks = unsafe { callbacks.read() };
    let Some(table) = callbacks.table.filter(|_| callbacks.size >= size_of::<Callbacks>()) else { return 0 };
    for (module, functions) in [(CORE, core()), (CORE2, core2())] {
        let (mut slots, mut count) = (null_mut(), 0u32);
        // SAFETY: there are places for both answers.
        if unsafe { table(module, &raw mut slots, &raw mut count) } != 1 || slots.is_null() {
            continue;
        }
        for (index, function) in functions {
            if index < count as usize {
                // SAFETY: there are `count` slots.
                let slot = unsafe { slots.add(index).read() };
                if !slot.is_null() {
                    // SAFETY: the slot is the place of the function of this number, which has the type of ours.
                    unsafe { slot.write(function) };
                }
            }
        }
    }
    1
}

/// The functions of `NvtxCallbackIdCore`.
fn core() -> Vec<(usize, *const c_void)> {
    vec![
        (4, call::start_ex as *const c_void),
        (5, call::start_narrow as *const c_void),
        (6, call::start_wide as *const c_void),
        (7, call::end_default as *const c_void),
        (8, call::push_ex as *const c_void),
        (9, call::push_narrow as *const c_void),
        (10, call::push_wide as *const c_void),
        (11, call::pop_default as *const c_void),
    ]
}

/// The functions of `NvtxCallbackIdCore2`.
fn core2() -> Vec<(usize, *const c_void)> {
    vec![
        (2, call::domain_start as *const c_void),
        (3, call::domain_end as *const c_void),
        (4, call::domain_push as *const c_void),
        (5, call::domain_pop as *const c_void),
        (10, call::domain_string_narrow as *const c_void),
        (11, call::domain_string_wide as *const c_void),
        (12, call::domain_narrow as *const c_void),
        (13, call::domain_wide as *const c_void),
    ]
}
