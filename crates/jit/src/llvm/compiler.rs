//! The compiler and the code that it makes, for the rest of the crate.

use std::collections::BTreeMap;
use std::ffi::c_void;
use std::fmt;
use std::sync::{Arc, Mutex, PoisonError};

use crate::cache::CodeCache;

use super::error::CompileError;
use super::library::Library;
use super::linker::Place;
use super::process;
use super::room;
use super::session::{Product, Times};
use super::target::Target;
use super::worker::{Health, Worker};

/// Makes machine code of LLVM IR. It has one thread, which it starts when it is first used; who wants to compile on
/// several has several compilers.
///
/// What goes wrong is an error with a sentence. Three things LLVM itself would answer otherwise:
///
/// - After a fatal error (an operation that cannot be selected, memory that cannot be had) LLVM ends the process. Here
///   the compiler's thread is lost instead, with what it held, and the compiler answers [`CompileError::Broken`] from
///   then on. Code that it made before stays good, and another compiler may be made.
/// - In a forked child there is no thread: the compiler answers [`CompileError::Forked`] at once.
/// - At the end of the process LLVM's variables are destroyed; a compilation under way is waited for, and later ones are
///   answered with [`CompileError::Ending`].
///
/// What is left: the C interface has nothing for the want of memory. A compilation is refused with
/// [`CompileError::Memory`] if it is not likely to find enough. LLVM's own containers tell a handler of it, which
/// is installed by its C++ name, and C++'s `new` does where LLVM has a C++ library of its own, as in Rust's toolchains. In
/// other libraries a `new` that fails ends the process, as it does where Rust itself finds no memory.
pub struct Compiler {
    library: Library,
    target: Target,
    cache: Option<Arc<CodeCache>>,
    worker: Mutex<Option<Worker>>,
    health: Arc<Health>,
}

/// Machine code in this process. It is freed when this is dropped.
pub struct Compiled {
    addresses: BTreeMap<String, u64>,
    times: Times,
    code_bytes: usize,
    data_bytes: usize,
    kept: bool,
    /// Taken when it is dropped.
    place: Option<Place>,
    worker: Worker,
}

impl Compiler {
    /// A compiler with a library, for a target. Nothing of LLVM is called yet.
    pub fn new(library: Library, target: Target) -> Self {
        Self { library, target, cache: None, worker: Mutex::new(None), health: Arc::default() }
    }

    /// Has the compiler keep what it makes, and look there before it compiles.
    #[must_use]
    pub fn keeping(self, cache: Arc<CodeCache>) -> Self {
        Self { cache: Some(cache), ..self }
    }

    /// Makes machine code of a module.
    ///
    /// `passes` are named as `opt -passes=` names them (`default<O2>`); empty, there are none. The module needs no
    /// `target` lines. `symbols` are all that the code sees outside itself: also `memcpy`, `memset` and what else code
    /// generation makes calls of, if the code comes to need it; a name that is missing is told by
    /// [`CompileError::Undefined`]. Who gives an address answers for what lies there.
    pub fn compile(
        &self,
        ir: &str,
        passes: &str,
        symbols: &[(&str, *const c_void)],
    ) -> Result<Compiled, CompileError> {
        room::check(ir)?;
        let worker = self.worker()?;
        let (ir, passes, symbols) = (ir.to_owned(), passes.to_owned(), owned(symbols));
        let product = worker.call(move |session| session.compile(&ir, &passes, &symbols))?;
        Ok(Compiled::of(product, worker))
    }

    /// The machine code of a module, if it is kept. Nothing is compiled.
    pub fn find(&self, ir: &str, passes: &str, symbols: &[(&str, *const c_void)]) -> Option<Compiled> {
        self.cache.as_ref()?;
        room::check("").ok()?;
        let worker = self.worker().ok()?;
        let (ir, passes, symbols) = (ir.to_owned(), passes.to_owned(), owned(symbols));
        let product = worker.call(move |session| Ok(session.find(&ir, &passes, &symbols))).ok()??;
        Some(Compiled::of(product, worker))
    }

    /// The assembly of the code that would be made, for people who look at it.
    pub fn emit_assembly(&self, ir: &str, passes: &str) -> Result<String, CompileError> {
        room::check(ir)?;
        let (ir, passes) = (ir.to_owned(), passes.to_owned());
        self.worker()?.call(move |session| session.assembly(&ir, &passes))
    }

    /// The library that it compiles with.
    pub fn library(&self) -> &Library {
        &self.library
    }

    /// What it compiles for.
    pub fn target(&self) -> Target {
        self.target
    }

    /// The thread, started if need be.
    fn worker(&self) -> Result<Worker, CompileError> {
        // Before any lock: a lock that is held while the process is forked is held for ever in the child.
        if !process::claim() {
            return Err(CompileError::Forked);
        }
        self.health.check()?;
        let mut worker = self.worker.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(worker) = &*worker {
            return Ok(worker.clone());
        }
        let (library, cache) = (self.library.clone(), self.cache.clone());
        let started = Worker::start(library, self.target, cache, Arc::clone(&self.health))?;
        Ok(worker.insert(started).clone())
    }
}

/// Symbols that another thread can keep.
fn owned(symbols: &[(&str, *const c_void)]) -> Vec<(String, u64)> {
    symbols.iter().map(|(name, address)| ((*name).to_owned(), address.addr() as u64)).collect()
}

impl Compiled {
    fn of(product: Product, worker: Worker) -> Self {
        Self {
            addresses: product.linked.addresses,
            times: product.times,
            code_bytes: product.code_bytes,
            data_bytes: product.data_bytes,
            kept: product.kept,
            place: Some(product.linked.place),
            worker,
        }
    }

    /// Where a function or variable of the module lies, by its name.
    ///
    /// The address is good for as long as this value lives.
    pub fn address(&self, name: &str) -> Option<*const c_void> {
        self.addresses.get(name).map(|address| std::ptr::with_exposed_provenance(*address as usize))
    }

    /// The names that can be asked for.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.addresses.keys().map(String::as_str)
    }

    /// How long it took.
    pub fn times(&self) -> Times {
        self.times
    }

    /// Whether the code was kept on disk, and has only been linked.
    pub fn is_kept(&self) -> bool {
        self.kept
    }

    /// Bytes of machine code.
    pub fn code_bytes(&self) -> usize {
        self.code_bytes
    }

    /// Bytes of constants and variables beside the code.
    pub fn data_bytes(&self) -> usize {
        self.data_bytes
    }
}

impl Drop for Compiled {
    fn drop(&mut self) {
        // After a fatal error, or in a forked child, the code stays where it is.
        if let Some(place) = self.place.take() {
            self.worker.send(move |session| session.free(place), |_| ());
        }
    }
}

impl fmt::Debug for Compiled {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Compiled").field("addresses", &self.addresses).field("times", &self.times).finish()
    }
}
