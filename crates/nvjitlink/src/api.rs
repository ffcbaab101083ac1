//! The entry points, each under the plain name and under those of the headers of CUDA 13.0 to 13.4.
//!
//! They are `unsafe`, because they trust the pointers that a program passes; only `pointer.rs` dereferences them. A handle
//! is a number that is given out only once, so a stale or invented one finds nothing. No panic leaves this file.

use std::collections::HashMap;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, LazyLock, Mutex, MutexGuard, PoisonError};

use crate::pointer::{Data, Out, Room, Text, Texts};
use crate::result::{Answer, JitResult};
use crate::search;
use crate::session::Session;

/// The version of CUDA whose library this is, as libcuda has it.
const VERSION: (u32, u32) = (13, 4);

/// A function that ours has and NVIDIA's has not.
pub const OWN: &str = "ptxvm_reads_ltoir";

/// Whether LTO-IR can be linked, that is, whether NVIDIA's library is there too: 1 or 0.
#[allow(unsafe_code, reason = "the name is for C programs")]
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
        /// # Safety
        /// As for the plain name.
        #[allow(unsafe_code, reason = "the name is for C programs, and so is the promise")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $first($($argument: $ty),*) -> JitResult {
            // SAFETY: the same arguments, of which the caller promises the same.
            unsafe { $name($($argument),*) }
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
        /// # Safety
        /// Every pointer among the arguments is null or what nvJitLink.h says of it.
        #[allow(unsafe_code, reason = "the name is for C programs, and so is the promise")]
        #[unsafe(no_mangle)]
        pub unsafe extern "C" fn $name($($argument: $ty),*) -> JitResult {
            answer(stringify!($name), move || {
                #[deny(unsafe_code)]
                let answered: Answer = $body;
                answered
            })
        }

        versions! { [$($versioned)*] $name($($argument: $ty),*) }
    )*};
}

entry! {
    fn nvJitLinkVersion [](major: Out<u32>, minor: Out<u32>) {
        major.given()?;
        minor.given()?;
        major.set(VERSION.0)?;
        minor.set(VERSION.1)
    }

    fn nvJitLinkCreate [
        __nvJitLinkCreate_13_0 __nvJitLinkCreate_13_1 __nvJitLinkCreate_13_2 __nvJitLinkCreate_13_3
        __nvJitLinkCreate_13_4
    ](handle: Out<Handle>, count: u32, options: Texts) {
        handle.given()?;
        let (session, result) = Session::new(options.get(count as usize)?);
        let mut links = links();
        links.given += STEP;
        let number = links.given;
        links.sessions.insert(number, Arc::new(Mutex::new(session)));
        handle.set(std::ptr::without_provenance_mut(number))?;
        result.ok()
    }

    fn nvJitLinkDestroy [
        __nvJitLinkDestroy_13_0 __nvJitLinkDestroy_13_1 __nvJitLinkDestroy_13_2 __nvJitLinkDestroy_13_3
        __nvJitLinkDestroy_13_4
    ](handle: Out<Handle>) {
        let number = handle.get()?;
        if number.is_null() {
            return Err(JitResult::NULL_INPUT);
        }
        let removed = links().sessions.remove(&number.addr());
        handle.set(std::ptr::null_mut())?;
        removed.map(|_| ()).ok_or(JitResult::INVALID_INPUT)
    }

    fn nvJitLinkAddData [
        __nvJitLinkAddData_13_0 __nvJitLinkAddData_13_1 __nvJitLinkAddData_13_2 __nvJitLinkAddData_13_3
        __nvJitLinkAddData_13_4
    ](handle: Handle, kind: u32, data: Data, size: usize, name: Text) {
        let session = find(handle)?;
        let name = if name.is_null() { String::new() } else { name.get()? };
        data.with(size, |bytes| lock(&session).add(kind, bytes, &name))
    }

    fn nvJitLinkAddFile [
        __nvJitLinkAddFile_13_0 __nvJitLinkAddFile_13_1 __nvJitLinkAddFile_13_2 __nvJitLinkAddFile_13_3
        __nvJitLinkAddFile_13_4
    ](handle: Handle, kind: u32, file: Text) {
        let session = find(handle)?;
        let file = file.get()?;
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
    ](handle: Handle, size: Out<usize>) {
        answer_size(handle, size, |session| Ok(session.cubin()?.len()))
    }

    fn nvJitLinkGetLinkedCubin [
        __nvJitLinkGetLinkedCubin_13_0 __nvJitLinkGetLinkedCubin_13_1 __nvJitLinkGetLinkedCubin_13_2
        __nvJitLinkGetLinkedCubin_13_3 __nvJitLinkGetLinkedCubin_13_4
    ](handle: Handle, cubin: Room) {
        answer_bytes(handle, cubin, |session, room| room.fill(session.cubin()?))
    }

    fn nvJitLinkGetLinkedPtxSize [
        __nvJitLinkGetLinkedPtxSize_13_0 __nvJitLinkGetLinkedPtxSize_13_1 __nvJitLinkGetLinkedPtxSize_13_2
        __nvJitLinkGetLinkedPtxSize_13_3 __nvJitLinkGetLinkedPtxSize_13_4
    ](handle: Handle, size: Out<usize>) {
        answer_size(handle, size, |session| Ok(session.ptx()?.len()))
    }

    fn nvJitLinkGetLinkedPtx [
        __nvJitLinkGetLinkedPtx_13_0 __nvJitLinkGetLinkedPtx_13_1 __nvJitLinkGetLinkedPtx_13_2
        __nvJitLinkGetLinkedPtx_13_3 __nvJitLinkGetLinkedPtx_13_4
    ](handle: Handle, ptx: Room) {
        answer_bytes(handle, ptx, |session, room| room.fill(session.ptx()?))
    }

    fn nvJitLinkGetLinkedLTOIRSize [
        __nvJitLinkGetLinkedLTOIRSize_13_0 __nvJitLinkGetLinkedLTOIRSize_13_1 __nvJitLinkGetLinkedLTOIRSize_13_2
        __nvJitLinkGetLinkedLTOIRSize_13_3 __nvJitLinkGetLinkedLTOIRSize_13_4
    ](handle: Handle, size: Out<usize>) {
        answer_size(handle, size, |session| Ok(session.ltoir()?.len()))
    }

    fn nvJitLinkGetLinkedLTOIR [
        __nvJitLinkGetLinkedLTOIR_13_0 __nvJitLinkGetLinkedLTOIR_13_1 __nvJitLinkGetLinkedLTOIR_13_2
        __nvJitLinkGetLinkedLTOIR_13_3 __nvJitLinkGetLinkedLTOIR_13_4
    ](handle: Handle, ltoir: Room) {
        answer_bytes(handle, ltoir, |session, room| room.fill(session.ltoir()?))
    }

    fn nvJitLinkGetErrorLogSize [
        __nvJitLinkGetErrorLogSize_13_0 __nvJitLinkGetErrorLogSize_13_1 __nvJitLinkGetErrorLogSize_13_2
        __nvJitLinkGetErrorLogSize_13_3 __nvJitLinkGetErrorLogSize_13_4
    ](handle: Handle, size: Out<usize>) {
        answer_size(handle, size, |session| Ok(session.errors.bytes().len()))
    }

    fn nvJitLinkGetErrorLog [
        __nvJitLinkGetErrorLog_13_0 __nvJitLinkGetErrorLog_13_1 __nvJitLinkGetErrorLog_13_2
        __nvJitLinkGetErrorLog_13_3 __nvJitLinkGetErrorLog_13_4
    ](handle: Handle, log: Room) {
        answer_bytes(handle, log, |session, room| room.fill(&session.errors.bytes()))
    }

    fn nvJitLinkGetInfoLogSize [
        __nvJitLinkGetInfoLogSize_13_0 __nvJitLinkGetInfoLogSize_13_1 __nvJitLinkGetInfoLogSize_13_2
        __nvJitLinkGetInfoLogSize_13_3 __nvJitLinkGetInfoLogSize_13_4
    ](handle: Handle, size: Out<usize>) {
        answer_size(handle, size, |session| Ok(session.info.bytes().len()))
    }

    fn nvJitLinkGetInfoLog [
        __nvJitLinkGetInfoLog_13_0 __nvJitLinkGetInfoLog_13_1 __nvJitLinkGetInfoLog_13_2 __nvJitLinkGetInfoLog_13_3
        __nvJitLinkGetInfoLog_13_4
    ](handle: Handle, log: Room) {
        answer_bytes(handle, log, |session, room| room.fill(&session.info.bytes()))
    }
}

/// Runs the body of an entry point and gives what it answers to the program.
fn answer(name: &str, body: impl FnOnce() -> Answer) -> JitResult {
    match catch_unwind(AssertUnwindSafe(body)) {
        Ok(Ok(())) => JitResult::SUCCESS,
        Ok(Err(result)) => result,
        Err(_) => {
            ptxvm_host::say(format_args!(
                "ptxvm: internal error in {name}: this is a bug in ptxvm; please report it\n"
            ));
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

/// Answers how many bytes a result of a link has.
fn answer_size(handle: Handle, place: Out<usize>, size: impl FnOnce(&Session) -> Answer<usize>) -> Answer {
    let session = find(handle)?;
    place.given()?;
    place.set(size(&lock(&session))?)
}

/// Answers with the bytes of a result of a link.
fn answer_bytes(handle: Handle, room: Room, body: impl FnOnce(&Session, Room) -> Answer) -> Answer {
    let session = find(handle)?;
    room.given()?;
    body(&lock(&session), room)
}
