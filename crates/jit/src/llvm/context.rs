//! One module in a context of its own: read from text, verified, made better by passes, turned into an object file or
//! assembly.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::ffi::{c_int, c_void};

use super::error::CompileError;
use super::functions::{Buffer, Context, Diagnostic, Functions, Module, TargetMachine};
use super::{masks, text};

/// `LLVMReturnStatusAction`
const RETURN_STATUS: c_int = 2;
/// `LLVMDSError`
const SEVERITY_ERROR: c_int = 0;
/// The name that the text has in messages.
const NAME: &str = "ir";

/// What code generation writes (`LLVMCodeGenFileType`).
#[derive(Clone, Copy)]
pub enum Output {
    Assembly = 0,
    Object = 1,
}

/// A module in its context.
pub struct OwnModule {
    functions: &'static Functions,
    context: Context,
    module: Module,
    /// The context has its address.
    complaints: Box<Complaints>,
}

/// The errors that LLVM reports to a context while it works on, instead of returning them.
struct Complaints {
    functions: &'static Functions,
    errors: RefCell<Vec<String>>,
}

impl OwnModule {
    /// Reads and verifies a module.
    pub fn parse(functions: &'static Functions, target: &str, ir: &str) -> Result<Self, CompileError> {
        let complaints = Box::new(Complaints { functions, errors: RefCell::default() });
        // SAFETY: a new context, and a handler with an address that is good for as long as the context lives.
        let context = unsafe {
            let context = (functions.LLVMContextCreate)();
            let address: *const Complaints = &raw const *complaints;
            (functions.LLVMContextSetDiagnosticHandler)(context, note, address.cast_mut().cast());
            context
        };
        let mut own = Self { functions, context, module: Module::NULL, complaints };
        own.read(target, ir)?;
        own.verify()?;
        Ok(own)
    }

    /// Reads the text. The target's lines come before it on its first line, so that what it says of alignments is known
    /// from the start and the numbers of lines stay.
    fn read(&mut self, target: &str, ir: &str) -> Result<(), CompileError> {
        let whole = format!("{target} {ir}");
        let mut message = std::ptr::null_mut();
        let functions = self.functions;
        // SAFETY: LLVM copies the bytes. The places are for its results, of which the message is ours to dispose of; the
        // buffer is only ours if the function is the newer one.
        let (failed, message) = unsafe {
            let name = text::terminated(NAME);
            let create = functions.LLVMCreateMemoryBufferWithMemoryRangeCopy;
            let buffer = create(whole.as_ptr().cast(), whole.len(), name.as_ptr());
            let (module, told) = (&raw mut self.module, &raw mut message);
            let failed = match (functions.LLVMParseIRInContext2, functions.LLVMParseIRInContext) {
                (Some(parse), _) => {
                    let failed = parse(self.context, buffer, module, told);
                    (functions.LLVMDisposeMemoryBuffer)(buffer);
                    failed
                }
                (None, Some(parse)) => parse(self.context, buffer, module, told),
                (None, None) => 1,
            };
            (failed != 0, text::take(functions, message))
        };
        if failed {
            self.module = Module::NULL;
            let message = message.replace(target, "");
            let line = line_of(&message);
            return Err(CompileError::Parse { line, message: message.trim_end().to_owned() });
        }
        Ok(())
    }

    fn verify(&self) -> Result<(), CompileError> {
        let mut message = std::ptr::null_mut();
        // SAFETY: a module of this context, and a place for a message that is ours to dispose of.
        let (failed, message) = unsafe {
            let failed = (self.functions.LLVMVerifyModule)(self.module, RETURN_STATUS, &raw mut message);
            (failed != 0, text::take(self.functions, message))
        };
        if failed { Err(CompileError::Refused(message.trim_end().to_owned())) } else { Ok(()) }
    }

    /// Runs passes, named as `opt -passes=` names them; an empty list is none.
    pub fn run_passes(&mut self, machine: TargetMachine, passes: &str) -> Result<(), CompileError> {
        if passes.is_empty() {
            return Ok(());
        }
        let passes = text::terminated(passes);
        // SAFETY: a module of this context, a machine of this library, and options that are disposed of after use.
        let error = unsafe {
            let options = (self.functions.LLVMCreatePassBuilderOptions)();
            let error = (self.functions.LLVMRunPasses)(self.module, passes.as_ptr(), machine, options);
            (self.functions.LLVMDisposePassBuilderOptions)(options);
            text::take_error(self.functions, error)
        };
        self.complaints.first(error).map_or(Ok(()), |message| Err(CompileError::Passes(message)))
    }

    /// Generates code. What code generation is known to get wrong is kept from it.
    pub fn emit(&mut self, machine: TargetMachine, output: Output) -> Result<OwnBuffer, CompileError> {
        let mut message = std::ptr::null_mut();
        let mut buffer = OwnBuffer { functions: self.functions, buffer: Buffer::NULL };
        // SAFETY: the module is one of the context, and both are of this library.
        unsafe { masks::hide(self.functions, self.context, self.module) };
        // SAFETY: a module of this context, a machine of this library, and places for its results, which are ours to
        // dispose of.
        let error = unsafe {
            let failed = (self.functions.LLVMTargetMachineEmitToMemoryBuffer)(
                machine,
                self.module,
                output as c_int,
                &raw mut message,
                &raw mut buffer.buffer,
            );
            let message = text::take(self.functions, message);
            (failed != 0).then_some(message)
        };
        match self.complaints.first(error) {
            Some(message) => Err(CompileError::Code(message)),
            None => Ok(buffer),
        }
    }
}

impl Drop for OwnModule {
    fn drop(&mut self) {
        // SAFETY: both are ours, and nobody uses them after this.
        unsafe {
            if !self.module.is_null() {
                (self.functions.LLVMDisposeModule)(self.module);
            }
            (self.functions.LLVMContextDispose)(self.context);
        }
    }
}

impl Complaints {
    /// What went wrong: what was reported meanwhile is closer to the reason than what was returned in the end.
    fn first(&self, returned: Option<String>) -> Option<String> {
        let reported = std::mem::take(&mut *self.errors.borrow_mut());
        if reported.is_empty() { returned } else { Some(reported.join("\n")) }
    }
}

/// LLVM's call when it has something to report; warnings and remarks are of no interest here.
extern "C" fn note(diagnostic: Diagnostic, complaints: *mut c_void) {
    // SAFETY: `parse` gave the address of complaints that outlive their context.
    let complaints = unsafe { &*complaints.cast::<Complaints>() };
    // SAFETY: the diagnostic is good during this call, and its description is ours to dispose of.
    let (severity, description) = unsafe {
        let functions = complaints.functions;
        let severity = (functions.LLVMGetDiagInfoSeverity)(diagnostic);
        (severity, text::take(functions, (functions.LLVMGetDiagInfoDescription)(diagnostic)))
    };
    if severity == SEVERITY_ERROR {
        complaints.errors.borrow_mut().push(description);
    }
}

/// The line in a message of the form `ir:LINE:COLUMN: error: …`.
fn line_of(message: &str) -> Option<usize> {
    let rest = message.split_once(&format!("{NAME}:"))?.1;
    rest.split(':').next()?.parse().ok()
}

/// Bytes that LLVM made.
pub struct OwnBuffer {
    functions: &'static Functions,
    buffer: Buffer,
}

impl OwnBuffer {
    /// A copy of some bytes that LLVM can own.
    pub fn copy_of(functions: &'static Functions, bytes: &[u8]) -> Self {
        let name = text::terminated("kept");
        // SAFETY: as many bytes as it is told, which LLVM copies, and a name that ends with a zero.
        let buffer = unsafe {
            (functions.LLVMCreateMemoryBufferWithMemoryRangeCopy)(
                bytes.as_ptr().cast(),
                bytes.len(),
                name.as_ptr(),
            )
        };
        Self { functions, buffer }
    }

    pub fn bytes(&self) -> &[u8] {
        // SAFETY: a buffer has as many bytes as it says, and they stay until it is disposed of.
        unsafe {
            let (start, size) = (
                (self.functions.LLVMGetBufferStart)(self.buffer),
                (self.functions.LLVMGetBufferSize)(self.buffer),
            );
            if size == 0 { &[] } else { std::slice::from_raw_parts(start.cast(), size) }
        }
    }

    /// The buffer itself, which now is for another to dispose of.
    pub fn into_raw(mut self) -> Buffer {
        std::mem::replace(&mut self.buffer, Buffer::NULL)
    }
}

impl Drop for OwnBuffer {
    fn drop(&mut self) {
        if !self.buffer.is_null() {
            // SAFETY: it is ours, and nobody uses it after this.
            unsafe { (self.functions.LLVMDisposeMemoryBuffer)(self.buffer) };
        }
    }
}
