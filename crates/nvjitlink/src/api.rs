//! The entry points, each under the plain name and under those of the headers of CUDA 13.0 to 13.4.
//!
//! A C program promises with every call that a pointer which is not null points to what nvJitLink.h says; that promise
//! is relied on here and nowhere else. Handles are numbers that are given once, so that a stale or invented one finds
//! nothing. No panic leaves this file.

use std::collections::HashMap;
use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use crate::result::{Answer, JitResult};
use crate::search;
use crate::session::Session;

/// The version of CUDA whose library this is, as libcuda has it.
const VERSION: (u32, u32) = (13, 4);

/// A function that ours has and NVIDIA's has not.
pub const OWN: &str = "ptxvm_reads_ltoir";

/// Whether LTO-IR can be linked, that is, whether NVIDIA's library is there too: 1 or 0.
#[unsafe(no_mangle)]
pub extern "C" fn ptxvm_reads_ltoir() -> u32 {
    catch_unwind(search::library).is_ok_and(|library| library.is_some()).into()
}

/// A handle of a link: a number, or null.
type Handle = *mut c_void;

/// The links that there are, by number.
#[derive(Default)]
struct Links {
    sessions: HashMap<usize, Arc<Mutex<Session>>>,
    given: usize,
}

static LINKS: LazyLock<Mutex<Links>> = LazyLock::new(Mutex::default);

/// A number is not an address, so that whoever follows a handle as a pointer stops at once.
const STEP: usize = 16;

/// The other names of an entry point.
macro_rules! versions {
    ([] $($entry:tt)*) => {};
    ([$first:ident $($rest:ident)*] $name:ident($($argument:ident: $ty:ty),*)) => {
        #[unsafe(no_mangle)]
        pub extern "C" fn $first($($argument: $ty),*) -> JitResult {
            $name($($argument),*)
        }

        versions! { [$($rest)*] $name($($argument: $ty),*) }
    };
}

/// Declares entry points: the plain name, those that call it, and the body.
macro_rules! entry {
    ($(
        $(#[$about:meta])*
        fn $name:ident [$($versioned:ident)*] ($($argument:ident: $ty:ty),*) $body:block
    )*) => {$(
        $(#[$about])*
        #[unsafe(no_mangle)]
        pub extern "C" fn $name($($argument: $ty),*) -> JitResult {
            answer(stringify!($name), move || $body)
        }

        versions! { [$($versioned)*] $name($($argument: $ty),*) }
    )*};
}

entry! {
    fn nvJitLinkVersion [](major: *mut u32, minor: *mut u32) {
        if major.is_null() || minor.is_null() {
            return Err(JitResult::NULL_INPUT);
        }
        set(major, VERSION.0)?;
        set(minor, VERSION.1)
    }

    fn nvJitLinkCreate [
        __nvJitLinkCreate_13_0 __nvJitLinkCreate_13_1 __nvJitLinkCreate_13_2 __nvJitLinkCreate_13_3
        __nvJitLinkCreate_13_4
    ](handle: *mut Handle, count: u32, options: *const *const c_char) {
        if handle.is_null() || (options.is_null() && count > 0) {
            return Err(JitResult::NULL_INPUT);
        }
        let (session, result) = Session::new(words(options, count as usize)?);
        let mut links = links();
        links.given += STEP;
        let number = links.given;
        links.sessions.insert(number, Arc::new(Mutex::new(session)));
        set(handle, std::ptr::without_provenance_mut(number))?;
        result.ok()
    }

    fn nvJitLinkDestroy [
        __nvJitLinkDestroy_13_0 __nvJitLinkDestroy_13_1 __nvJitLinkDestroy_13_2 __nvJitLinkDestroy_13_3
        __nvJitLinkDestroy_13_4
    ](handle: *mut Handle) {
        let number = get(handle)?;
        if number.is_null() {
            return Err(JitResult::NULL_INPUT);
        }
        let removed = links().sessions.remove(&number.addr());
        set(handle, std::ptr::null_mut())?;
        removed.map(|_| ()).ok_or(JitResult::INVALID_INPUT)
    }

    fn nvJitLinkAddData [
        __nvJitLinkAddData_13_0 __nvJitLinkAddData_13_1 __nvJitLinkAddData_13_2 __nvJitLinkAddData_13_3
        __nvJitLinkAddData_13_4
    ](handle: Handle, kind: u32, data: *const c_void, size: usize, name: *const c_char) {
        let session = find(handle)?;
        let name = if name.is_null() { String::new() } else { text(name)? };
        let bytes = bytes(data, size)?;
        lock(&session).add(kind, bytes, &name)
    }

    fn nvJitLinkAddFile [
        __nvJitLinkAddFile_13_0 __nvJitLinkAddFile_13_1 __nvJitLinkAddFile_13_2 __nvJitLinkAddFile_13_3
        __nvJitLinkAddFile_13_4
    ](handle: Handle, kind: u32, file: *const c_char) {
        let session = find(handle)?;
        let file = text(file)?;
        let mut session = lock(&session);
        let Ok(bytes) = std::fs::read(&file) else {
            session.errors.add(&format!("no such file: {file}"));
            return Err(JitResult::INVALID_INPUT);
        };
        if bytes.is_empty() {
            session.errors.add(&format!("bad input: {file}"));
        }
        session.add(kind, &bytes, &file)
    }

    fn nvJitLinkComplete [
        __nvJitLinkComplete_13_0 __nvJitLinkComplete_13_1 __nvJitLinkComplete_13_2 __nvJitLinkComplete_13_3
        __nvJitLinkComplete_13_4
    ](handle: Handle) {
        let session = find(handle)?;
        lock(&session).complete()
    }

    fn nvJitLinkGetLinkedCubinSize [
        __nvJitLinkGetLinkedCubinSize_13_0 __nvJitLinkGetLinkedCubinSize_13_1 __nvJitLinkGetLinkedCubinSize_13_2
        __nvJitLinkGetLinkedCubinSize_13_3 __nvJitLinkGetLinkedCubinSize_13_4
    ](handle: Handle, size: *mut usize) {
        result(handle, size, |session, size| set(size, session.cubin()?.len()))
    }

    fn nvJitLinkGetLinkedCubin [
        __nvJitLinkGetLinkedCubin_13_0 __nvJitLinkGetLinkedCubin_13_1 __nvJitLinkGetLinkedCubin_13_2
        __nvJitLinkGetLinkedCubin_13_3 __nvJitLinkGetLinkedCubin_13_4
    ](handle: Handle, cubin: *mut c_void) {
        result(handle, cubin, |session, cubin| fill(cubin, session.cubin()?))
    }

    fn nvJitLinkGetLinkedPtxSize [
        __nvJitLinkGetLinkedPtxSize_13_0 __nvJitLinkGetLinkedPtxSize_13_1 __nvJitLinkGetLinkedPtxSize_13_2
        __nvJitLinkGetLinkedPtxSize_13_3 __nvJitLinkGetLinkedPtxSize_13_4
    ](handle: Handle, size: *mut usize) {
        result(handle, size, |session, size| set(size, session.ptx()?.len()))
    }

    fn nvJitLinkGetLinkedPtx [
        __nvJitLinkGetLinkedPtx_13_0 __nvJitLinkGetLinkedPtx_13_1 __nvJitLinkGetLinkedPtx_13_2
        __nvJitLinkGetLinkedPtx_13_3 __nvJitLinkGetLinkedPtx_13_4
    ](handle: Handle, ptx: *mut c_char) {
        result(handle, ptx.cast(), |session, ptx| fill(ptx, session.ptx()?))
    }

    fn nvJitLinkGetLinkedLTOIRSize [
        __nvJitLinkGetLinkedLTOIRSize_13_0 __nvJitLinkGetLinkedLTOIRSize_13_1 __nvJitLinkGetLinkedLTOIRSize_13_2
        __nvJitLinkGetLinkedLTOIRSize_13_3 __nvJitLinkGetLinkedLTOIRSize_13_4
    ](handle: Handle, size: *mut usize) {
        result(handle, size, |session, size| set(size, session.ltoir()?.len()))
    }

    fn nvJitLinkGetLinkedLTOIR [
        __nvJitLinkGetLinkedLTOIR_13_0 __nvJitLinkGetLinkedLTOIR_13_1 __nvJitLinkGetLinkedLTOIR_13_2
        __nvJitLinkGetLinkedLTOIR_13_3 __nvJitLinkGetLinkedLTOIR_13_4
    ](handle: Handle, ltoir: *mut c_void) {
        result(handle, ltoir, |session, ltoir| fill(ltoir, session.ltoir()?))
    }

    fn nvJitLinkGetErrorLogSize [
        __nvJitLinkGetErrorLogSize_13_0 __nvJitLinkGetErrorLogSize_13_1 __nvJitLinkGetErrorLogSize_13_2
        __nvJitLinkGetErrorLogSize_13_3 __nvJitLinkGetErrorLogSize_13_4
    ](handle: Handle, size: *mut usize) {
        result(handle, size, |session, size| set(size, session.errors.bytes().len()))
    }

    fn nvJitLinkGetErrorLog [
        __nvJitLinkGetErrorLog_13_0 __nvJitLinkGetErrorLog_13_1 __nvJitLinkGetErrorLog_13_2
        __nvJitLinkGetErrorLog_13_3 __nvJitLinkGetErrorLog_13_4
    ](handle: Handle, log: *mut c_char) {
        result(handle, log.cast(), |session, log| fill(log, &session.errors.bytes()))
    }

    fn nvJitLinkGetInfoLogSize [
        __nvJitLinkGetInfoLogSize_13_0 __nvJitLinkGetInfoLogSize_13_1 __nvJitLinkGetInfoLogSize_13_2
        __nvJitLinkGetInfoLogSize_13_3 __nvJitLinkGetInfoLogSize_13_4
    ](handle: Handle, size: *mut usize) {
        result(handle, size, |session, size| set(size, session.info.bytes().len()))
    }

    fn nvJitLinkGetInfoLog [
        __nvJitLinkGetInfoLog_13_0 __nvJitLinkGetInfoLog_13_1 __nvJitLinkGetInfoLog_13_2 __nvJitLinkGetInfoLog_13_3
        __nvJitLinkGetInfoLog_13_4
    ](handle: Handle, log: *mut c_char) {
        result(handle, log.cast(), |session, log| fill(log, &session.info.bytes()))
    }
}

/// Runs the body of an entry point and gives what it answers to the program.
fn answer(name: &str, body: impl FnOnce() -> Answer) -> JitResult {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => JitResult::SUCCESS,
        Ok(Err(result)) => result,
        Err(_) => {
            eprintln!("ptxvm: internal error in {name}: this is a bug in ptxvm; please report it");
            JitResult::INTERNAL
        }
    }
}

fn links() -> MutexGuard<'static, Links> {
    LINKS.lock().unwrap_or_else(PoisonError::into_inner)
}

fn lock(session: &Mutex<Session>) -> MutexGuard<'_, Session> {
    session.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The link of a handle.
fn find(handle: Handle) -> Answer<Arc<Mutex<Session>>> {
    if handle.is_null() {
        return Err(JitResult::NULL_INPUT);
    }
    links().sessions.get(&handle.addr()).map(Arc::clone).ok_or(JitResult::INVALID_INPUT)
}

/// Answers a question about a link, for which there must be a place.
fn result<T>(handle: Handle, place: *mut T, body: impl FnOnce(&Session, *mut T) -> Answer) -> Answer {
    let session = find(handle)?;
    if place.is_null() {
        return Err(JitResult::NULL_INPUT);
    }
    let session = lock(&session);
    body(&session, place)
}

fn set<T>(place: *mut T, value: T) -> Answer {
    if place.is_null() {
        return Err(JitResult::NULL_INPUT);
    }
    // SAFETY: the caller promises a place for a `T`; it may hold garbage, which is not dropped.
    unsafe { place.write_unaligned(value) };
    Ok(())
}

fn get<T: Copy>(place: *const T) -> Answer<T> {
    if place.is_null() {
        return Err(JitResult::NULL_INPUT);
    }
    // SAFETY: the caller promises a `T` there.
    Ok(unsafe { place.read_unaligned() })
}

/// Writes bytes where the caller has made room for as many as it was told.
fn fill(place: *mut c_void, bytes: &[u8]) -> Answer {
    // SAFETY: the caller promises that much room, in memory of its own.
    unsafe { place.cast::<u8>().copy_from_nonoverlapping(bytes.as_ptr(), bytes.len()) };
    Ok(())
}

/// The bytes of an input, for the time of the call.
fn bytes<'a>(data: *const c_void, size: usize) -> Answer<&'a [u8]> {
    if size == 0 {
        return Ok(&[]);
    }
    if data.is_null() || size > isize::MAX as usize {
        return Err(JitResult::NULL_INPUT);
    }
    // SAFETY: the caller promises so many bytes that stay as they are during the call, and whoever calls this lets go of
    // them before it ends.
    Ok(unsafe { std::slice::from_raw_parts(data.cast(), size) })
}

fn text(text: *const c_char) -> Answer<String> {
    if text.is_null() {
        return Err(JitResult::NULL_INPUT);
    }
    // SAFETY: the caller promises a string that ends with a zero.
    Ok(unsafe { CStr::from_ptr(text) }.to_string_lossy().into_owned())
}

fn words(options: *const *const c_char, count: usize) -> Answer<Vec<String>> {
    (0..count).map(|index| text(get(options.wrapping_add(index))?)).collect()
}
