//! Object files are linked into this process by LLVM's own linker (ORC's LLJIT), each in a library of its own, which
//! sees nothing but the symbols that it is given.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{c_int, c_void};
use std::rc::Rc;

use super::context::OwnBuffer;
use super::error::CompileError;
use super::functions::{
    Dylib, EXPORTED_CALLABLE, Error, Functions, Jit, LookupElement, SearchElement, Session, SymbolPair,
};
use super::text;

/// `LLVMOrcLookupKindStatic`, `LLVMOrcJITDylibLookupFlagsMatchExportedSymbolsOnly`, `LLVMOrcSymbolLookupFlagsRequiredSymbol`
const STATIC_EXPORTED_REQUIRED: c_int = 0;

/// The linker, with the libraries that it has made.
pub struct Linker {
    functions: &'static Functions,
    jit: Jit,
    /// Libraries whose code has been freed. LLVM's C interface cannot remove a library, so each is used again.
    free: RefCell<Vec<Dylib>>,
    made: RefCell<usize>,
    /// The session has its address.
    complaints: Box<Complaints>,
}

/// What the linker reports beside what it returns.
struct Complaints {
    functions: &'static Functions,
    errors: RefCell<Vec<String>>,
}

/// Linked code: where its symbols are, and what frees it.
pub struct Linked {
    pub addresses: BTreeMap<String, u64>,
    pub place: Place,
}

/// The library that some code lies in, as a number that other threads may keep. It is given back to the linker that
/// made it, by [`Linker::free`].
pub struct Place(Dylib);

// SAFETY: it is only kept; `Linker::free` uses it, on the linker's own thread.
unsafe impl Send for Place {}
// SAFETY: as above.
unsafe impl Sync for Place {}

impl Linker {
    pub fn new(functions: &'static Functions) -> Result<Self, CompileError> {
        let complaints = Box::new(Complaints { functions, errors: RefCell::default() });
        let mut jit = Jit::NULL;
        // SAFETY: a place for the result; without a builder LLVM chooses what fits the host.
        let error = unsafe {
            text::take_error(functions, (functions.LLVMOrcCreateLLJIT)(&raw mut jit, std::ptr::null_mut()))
        };
        if let Some(message) = error {
            return Err(CompileError::Setup(message));
        }
        // SAFETY: the linker's own session, and an address that is good for as long as the linker lives.
        unsafe {
            let session = (functions.LLVMOrcLLJITGetExecutionSession)(jit);
            let address: *const Complaints = &raw const *complaints;
            (functions.LLVMOrcExecutionSessionSetErrorReporter)(session, note, address.cast_mut().cast());
        }
        Ok(Self { functions, jit, free: RefCell::default(), made: RefCell::default(), complaints })
    }

    /// Links an object file and finds the names that it defines. The symbols are all that it lacks, and each name is
    /// there once.
    pub fn link(
        &self,
        object: OwnBuffer,
        defined: &[String],
        symbols: &[(&str, u64)],
    ) -> Result<Linked, CompileError> {
        let dylib = self.library();
        let linked = self.fill(dylib, object, symbols).and_then(|()| self.look_up(dylib, defined));
        let place = Place(dylib);
        match linked {
            Ok(addresses) => Ok(Linked { addresses, place }),
            Err(message) => {
                self.free(place);
                Err(CompileError::Link(message))
            }
        }
    }

    /// Frees what lies in a library. Nobody may run or read it any more.
    pub fn free(&self, place: Place) {
        // SAFETY: a library of this linker, and the pool of its names.
        let error = unsafe {
            let error = text::take_error(self.functions, (self.functions.LLVMOrcJITDylibClear)(place.0));
            let pool = (self.functions.LLVMOrcExecutionSessionGetSymbolStringPool)(self.session());
            (self.functions.LLVMOrcSymbolStringPoolClearDeadEntries)(pool);
            error
        };
        // One that could not be emptied is not used again.
        if error.is_none() {
            self.free.borrow_mut().push(place.0);
        }
    }

    /// An empty library.
    fn library(&self) -> Dylib {
        if let Some(dylib) = self.free.borrow_mut().pop() {
            return dylib;
        }
        let mut made = self.made.borrow_mut();
        *made += 1;
        let name = text::terminated(&format!("kernel {made}"));
        // SAFETY: the linker's own session, and a name that no library has yet. A bare library is one without the
        // platform's symbols and without those of the process.
        unsafe { (self.functions.LLVMOrcExecutionSessionCreateBareJITDylib)(self.session(), name.as_ptr()) }
    }

    fn session(&self) -> Session {
        // SAFETY: the linker is alive, and its session with it.
        unsafe { (self.functions.LLVMOrcLLJITGetExecutionSession)(self.jit) }
    }

    /// Puts the symbols and the object file into a library.
    fn fill(&self, dylib: Dylib, object: OwnBuffer, symbols: &[(&str, u64)]) -> Result<(), String> {
        let functions = self.functions;
        if !symbols.is_empty() {
            let pairs: Vec<SymbolPair> = symbols
                .iter()
                .map(|(name, address)| {
                    let name = text::terminated(name);
                    // SAFETY: a string that ends with a zero; the name is counted for `LLVMOrcAbsoluteSymbols`, which
                    // takes it.
                    let name =
                        unsafe { (functions.LLVMOrcExecutionSessionIntern)(self.session(), name.as_ptr()) };
                    SymbolPair { name, address: *address, flags: EXPORTED_CALLABLE }
                })
                .collect();
            // SAFETY: as many pairs as it is told; the unit is the library's if it is defined, else ours.
            unsafe {
                let unit = (functions.LLVMOrcAbsoluteSymbols)(pairs.as_ptr(), pairs.len());
                let error = (functions.LLVMOrcJITDylibDefine)(dylib, unit);
                if let Some(message) = text::take_error(functions, error) {
                    (functions.LLVMOrcDisposeMaterializationUnit)(unit);
                    return Err(message);
                }
            }
        }
        // SAFETY: a library of this linker, which takes the object file.
        let error = unsafe {
            let error = (functions.LLVMOrcLLJITAddObjectFile)(self.jit, dylib, object.into_raw());
            text::take_error(functions, error)
        };
        error.map_or(Ok(()), Err)
    }

    /// The addresses of names in a library. It links, since nothing is linked before it is asked for.
    fn look_up(&self, dylib: Dylib, names: &[String]) -> Result<BTreeMap<String, u64>, String> {
        if names.is_empty() {
            return Ok(BTreeMap::new());
        }
        let elements: Vec<LookupElement> = names
            .iter()
            .map(|name| {
                let name = text::terminated(name);
                // SAFETY: a string that ends with a zero; the name is counted for the lookup, which takes it.
                let name =
                    unsafe { (self.functions.LLVMOrcExecutionSessionIntern)(self.session(), name.as_ptr()) };
                LookupElement { name, flags: STATIC_EXPORTED_REQUIRED }
            })
            .collect();
        let order = [SearchElement { dylib, flags: STATIC_EXPORTED_REQUIRED }];
        let answer = Rc::new(Answer { functions: self.functions, found: RefCell::new(None) });
        // SAFETY: as many elements as it is told. `receive` takes the count of the answer that is handed over.
        unsafe {
            (self.functions.LLVMOrcExecutionSessionLookup)(
                self.session(),
                STATIC_EXPORTED_REQUIRED,
                order.as_ptr(),
                order.len(),
                elements.as_ptr(),
                elements.len(),
                receive,
                Rc::into_raw(Rc::clone(&answer)).cast_mut().cast(),
            );
        }
        // Code is linked on the thread that asks for it: the answer is there when the call returns.
        let found = answer.found.take().unwrap_or_else(|| Err("the linker gave no answer".to_owned()));
        let reported = std::mem::take(&mut *self.complaints.errors.borrow_mut());
        found.map_err(|message| if reported.is_empty() { message } else { reported.join("\n") })
    }
}

impl Drop for Linker {
    fn drop(&mut self) {
        // SAFETY: it is ours, and nobody uses it after this; all code that it made has been given back.
        unsafe {
            let _freed = text::take_error(self.functions, (self.functions.LLVMOrcDisposeLLJIT)(self.jit));
        }
    }
}

/// Where the result of a lookup goes.
struct Answer {
    functions: &'static Functions,
    found: RefCell<Option<Result<BTreeMap<String, u64>, String>>>,
}

/// LLVM's call with the result of a lookup.
extern "C" fn receive(error: Error, pairs: *const SymbolPair, count: usize, answer: *mut c_void) {
    // SAFETY: `look_up` gave the answer's address with a count of its own, and this is called once.
    let answer = unsafe { Rc::from_raw(answer.cast_const().cast::<Answer>()) };
    let functions = answer.functions;
    // SAFETY: the error is ours to use up. Without one there are as many pairs as it says, with names that live during
    // this call.
    let found = unsafe {
        match text::take_error(functions, error) {
            Some(message) => Err(message),
            None if count == 0 => Ok(BTreeMap::new()),
            None => {
                let pairs = std::slice::from_raw_parts(pairs, count);
                let name =
                    |pair: &SymbolPair| text::copy((functions.LLVMOrcSymbolStringPoolEntryStr)(pair.name));
                Ok(pairs.iter().map(|pair| (name(pair), pair.address)).collect())
            }
        }
    };
    *answer.found.borrow_mut() = Some(found);
}

/// LLVM's call when it has an error to report that no caller gets.
extern "C" fn note(complaints: *mut c_void, error: Error) {
    // SAFETY: `new` gave the address of complaints that outlive their linker.
    let complaints = unsafe { &*complaints.cast::<Complaints>() };
    // SAFETY: the error is ours to use up.
    if let Some(message) = unsafe { text::take_error(complaints.functions, error) } {
        complaints.errors.borrow_mut().push(message);
    }
}
