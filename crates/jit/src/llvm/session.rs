//! What a compiler's thread holds: the machine that code is made for, and the linker. A compilation goes through here
//! from text to addresses.
#![allow(unsafe_code)]

use std::cell::RefCell;
use std::ffi::CStr;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use crate::cache::{CodeCache, Key, Maker};

use super::context::{Output, OwnBuffer, OwnModule};
use super::error::CompileError;
use super::functions::{Functions, TargetKind, TargetMachine};
use super::library::Library;
use super::linker::{Linked, Linker, Place};
use super::object::Summary;
use super::target::{Target, lowered};
use super::text;
use super::{options, process};

/// `LLVMRelocPIC`: what is called lies anywhere.
const RELOC_PIC: i32 = 2;
/// `LLVMCodeModelSmall`: an object file's own parts lie close together.
const CODE_MODEL_SMALL: i32 = 3;

/// How long the steps of a compilation took.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Times {
    /// Reading the text, and the verifier.
    pub parse: Duration,
    pub passes: Duration,
    pub code: Duration,
    /// Looking for the code on disk, where it may be kept.
    pub look: Duration,
    pub link: Duration,
}

/// What a compilation gives.
pub struct Product {
    pub linked: Linked,
    pub times: Times,
    pub code_bytes: usize,
    pub data_bytes: usize,
    /// Whether the code was kept on disk, and LLVM has only linked it.
    pub kept: bool,
}

/// Addresses by name, of what code may use outside itself.
pub type Symbols = [(String, u64)];

/// A machine and a linker. It belongs to one thread.
pub struct Session {
    functions: &'static Functions,
    machine: TargetMachine,
    /// The lines that tell the parser of the target.
    target: String,
    linker: Linker,
    store: Option<Store>,
}

/// Where code is kept on disk, and what decides about its names beside the text.
struct Store {
    cache: Arc<CodeCache>,
    maker: Maker,
    /// What is to be kept when nobody waits.
    owed: RefCell<Option<(Key, Vec<u8>)>>,
}

impl Session {
    /// Sets up LLVM for the host.
    pub fn new(
        library: &Library,
        target: Target,
        cache: Option<Arc<CodeCache>>,
    ) -> Result<Self, CompileError> {
        let functions = library.functions;
        initialize(functions);
        let switches = options::set(functions, library.version().major);
        // SAFETY: these make messages that are ours to dispose of.
        let (triple, cpu, features) = unsafe {
            (
                text::take(functions, (functions.LLVMGetDefaultTargetTriple)()),
                text::take(functions, (functions.LLVMGetHostCPUName)()),
                text::take(functions, (functions.LLVMGetHostCPUFeatures)()),
            )
        };
        let (cpu, features) = lowered(target.level, &cpu, &features);
        let machine = machine(functions, &triple, &cpu, &features, target)?;
        let maker = maker(library, switches, [&triple, &cpu, &features, &format!("{:?}", target.effort)]);
        // SAFETY: a machine of this library; the layout and its text are ours to dispose of.
        let layout = unsafe {
            let data = (functions.LLVMCreateTargetDataLayout)(machine);
            let layout = text::take(functions, (functions.LLVMCopyStringRepOfTargetData)(data));
            (functions.LLVMDisposeTargetData)(data);
            layout
        };
        let target = format!("target datalayout = \"{layout}\" target triple = \"{triple}\"");
        let linker = Linker::new(functions).inspect_err(|_| {
            // SAFETY: it is ours, and nobody uses it after this.
            unsafe { (functions.LLVMDisposeTargetMachine)(machine) };
        })?;
        let store = cache.zip(maker).map(|(cache, maker)| Store { cache, maker, owed: RefCell::default() });
        Ok(Self { functions, machine, target, linker, store })
    }

    /// Links what is kept of an earlier compilation, or compiles and links.
    pub fn compile(&self, ir: &str, passes: &str, symbols: &Symbols) -> Result<Product, CompileError> {
        let mut times = Times::default();
        let key = self.store.as_ref().map(|store| timed(&mut times.look, || store.maker.key(passes, ir)));
        if let Some(product) = key.and_then(|key| self.kept(&key, symbols, times)) {
            return Ok(product);
        }
        let mut module = timed(&mut times.parse, || OwnModule::parse(self.functions, &self.target, ir))?;
        go_on()?;
        timed(&mut times.passes, || module.run_passes(self.machine, passes))?;
        go_on()?;
        let object = timed(&mut times.code, || module.emit(self.machine, Output::Object))?;
        drop(module);
        let copy = key.map(|key| (key, object.bytes().to_vec()));
        let product = self.link(object, symbols, times)?;
        if let Some(store) = &self.store {
            *store.owed.borrow_mut() = copy;
        }
        Ok(product)
    }

    /// Links what is kept of an earlier compilation, if something is.
    pub fn find(&self, ir: &str, passes: &str, symbols: &Symbols) -> Option<Product> {
        let mut times = Times::default();
        let store = self.store.as_ref()?;
        let key = timed(&mut times.look, || store.maker.key(passes, ir));
        self.kept(&key, symbols, times)
    }

    /// Keeps what was compiled last. Who waited for it has it already.
    pub fn settle(&self) {
        let Some(store) = &self.store else { return };
        if let Some((key, object)) = store.owed.take() {
            store.cache.keep(&key, &object);
        }
    }

    /// Links what is kept under a key. If it cannot be linked, it counts as absent, and is replaced.
    fn kept(&self, key: &Key, symbols: &Symbols, mut times: Times) -> Option<Product> {
        let store = self.store.as_ref()?;
        let (hashed, mut read) = (times.look, Duration::ZERO);
        let entry = timed(&mut read, || store.cache.find(key))?;
        times.look = hashed + read;
        let object = OwnBuffer::copy_of(self.functions, entry.object());
        let product = self.link(object, symbols, times).ok()?;
        Some(Product { kept: true, ..product })
    }

    /// Links an object file with those symbols that it lacks.
    fn link(&self, object: OwnBuffer, symbols: &Symbols, mut times: Times) -> Result<Product, CompileError> {
        let summary = Summary::of(object.bytes()).map_err(CompileError::Code)?;
        let mut given = Vec::new();
        let mut missing = Vec::new();
        for wanted in &summary.undefined {
            match symbols.iter().find(|(name, _)| name == wanted) {
                Some((name, address)) => given.push((name.as_str(), *address)),
                None => missing.push(wanted.clone()),
            }
        }
        if !missing.is_empty() {
            missing.sort_unstable();
            return Err(CompileError::Undefined(missing));
        }
        let linked = timed(&mut times.link, || self.linker.link(object, &summary.defined, &given))?;
        Ok(Product { linked, times, code_bytes: summary.code, data_bytes: summary.data, kept: false })
    }

    /// The assembly that would be made.
    pub fn assembly(&self, ir: &str, passes: &str) -> Result<String, CompileError> {
        let mut module = OwnModule::parse(self.functions, &self.target, ir)?;
        module.run_passes(self.machine, passes)?;
        let text = module.emit(self.machine, Output::Assembly)?;
        Ok(String::from_utf8_lossy(text.bytes()).into_owned())
    }

    /// Frees the code of a compilation.
    pub fn free(&self, place: Place) {
        self.linker.free(place);
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        // SAFETY: it is ours, and nobody uses it after this.
        unsafe { (self.functions.LLVMDisposeTargetMachine)(self.machine) };
    }
}

/// What decides, beside the text and the passes, which object file is made: the library, the machine, the switches, and
/// what we ourselves tell LLVM to do, which is in these sources. None if something of it cannot be known.
fn maker(library: &Library, switches: Option<&[&CStr]>, machine: [&str; 4]) -> Option<Maker> {
    let sources = [
        include_str!("context.rs"),
        include_str!("masks.rs"),
        include_str!("options.rs"),
        include_str!("session.rs"),
        include_str!("target.rs"),
    ];
    let library = [library.version().to_string(), library.identity()?];
    let own = [env!("CARGO_PKG_VERSION")];
    let texts = own.into_iter().chain(sources).chain(library.iter().map(String::as_str)).chain(machine);
    Some(Maker::new(texts.map(str::as_bytes).chain(switches?.iter().map(|switch| switch.to_bytes()))))
}

/// Tells LLVM of the host's target. Its list of targets has no lock, so that one of ours does.
fn initialize(functions: &Functions) {
    static LOCK: Mutex<()> = Mutex::new(());
    let _alone = LOCK.lock().unwrap_or_else(PoisonError::into_inner);
    // SAFETY: the initialisers may be called more than once, by one thread at a time.
    unsafe {
        (functions.initialize_info)();
        (functions.initialize_target)();
        (functions.initialize_mc)();
        (functions.initialize_printer)();
        (functions.initialize_parser)();
    }
}

/// The machine that code is made for.
fn machine(
    functions: &Functions,
    triple: &str,
    cpu: &str,
    features: &str,
    target: Target,
) -> Result<TargetMachine, CompileError> {
    let (triple, cpu, features) =
        (text::terminated(triple), text::terminated(cpu), text::terminated(features));
    let mut kind = TargetKind::NULL;
    let mut message = std::ptr::null_mut();
    // SAFETY: strings that end with a zero, and places for the results, of which the message is ours to dispose of.
    let machine = unsafe {
        let failed = (functions.LLVMGetTargetFromTriple)(triple.as_ptr(), &raw mut kind, &raw mut message);
        let message = text::take(functions, message);
        if failed != 0 {
            return Err(CompileError::Setup(message));
        }
        (functions.LLVMCreateTargetMachine)(
            kind,
            triple.as_ptr(),
            cpu.as_ptr(),
            features.as_ptr(),
            target.effort as i32,
            RELOC_PIC,
            CODE_MODEL_SMALL,
        )
    };
    if machine.is_null() {
        return Err(CompileError::Setup("LLVM has no machine for this host".to_owned()));
    }
    Ok(machine)
}

/// Ends a compilation that the end of the process waits for.
fn go_on() -> Result<(), CompileError> {
    if process::is_ending() { Err(CompileError::Ending) } else { Ok(()) }
}

/// Does something and says how long it took.
fn timed<T>(took: &mut Duration, work: impl FnOnce() -> T) -> T {
    let start = Instant::now();
    let result = work();
    *took = start.elapsed();
    result
}
