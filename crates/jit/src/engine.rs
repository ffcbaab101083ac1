//! The engine: from a linked kernel to compiled code that the machine can enter.
#![allow(unsafe_code)]

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, OnceLock, PoisonError};

use ptxvm_machine::Kernel;
use ptxvm_machine::code::Source;
use ptxvm_machine::schedule::compiled::{Compiled, Enter, Stack};

use crate::cache::CodeCache;
use crate::emit;
use crate::llvm::{self, Absent, Compiler, Target};
use crate::module::{Module, Piece};
use crate::outside;
use crate::refusal::Refusal;
use crate::tuning::Tuning;

/// The passes that are run over a kernel's code. They are few: what a warp does is a vector already, and vectorizing
/// what is left of single numbers makes it slower. Homes become registers, and what does not change leaves loops.
fn passes(major: u32) -> String {
    // From that version on a pass must be told that it need not find everything at once.
    let combine = if major >= 18 { "instcombine<no-verify-fixpoint>" } else { "instcombine" };
    format!(
        "always-inline,function(sroa,early-cse<memssa>,simplifycfg,{combine},loop-mssa(loop-rotate,licm),gvn,simplifycfg,{combine},dce)"
    )
}

/// The most threads that compile a kernel at once: of the launch's own threads some must go on.
const MOST_AT_ONCE: usize = 4;

/// Compiles kernels.
pub struct Engine {
    /// One for each thread that can compile at once, of which there is one at least.
    compilers: Vec<Compiler>,
}

/// The compiled code of a kernel, for CTAs of one shape.
pub struct KernelCode {
    /// By block: the function that begins with it, if there is one by now.
    entries: Vec<OnceLock<Enter>>,
    sites: AtomicUsize,
    tuning: Tuning,
    /// The instructions whose results it makes again wherever it is entered.
    remade: Vec<u32>,
    /// The stack that calls inside of the code take, if it has any to do with the stack.
    stack: Option<Stack>,
    /// Owns the code that the entries lie in: the pieces of the kernel, and loops that were entered in their middle.
    pieces: Mutex<Vec<llvm::Compiled>>,
}

impl std::fmt::Debug for KernelCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let entries = self.entries.iter().filter(|entry| entry.get().is_some()).count();
        write!(f, "KernelCode with {entries} entries")
    }
}

impl Compiled for KernelCode {
    fn entry(&self, block: u32) -> Option<Enter> {
        self.entries.get(block as usize)?.get().copied()
    }

    fn sites(&self) -> usize {
        self.sites.load(Ordering::Acquire)
    }

    fn remade(&self) -> &[u32] {
        &self.remade
    }

    fn stack(&self) -> Option<Stack> {
        self.stack
    }
}

impl Engine {
    /// Looks for a libLLVM on this host; `PTXVM_LLVM` may name it.
    ///
    /// # Errors
    /// There is none that can be used.
    pub fn of_host() -> Result<Self, Absent> {
        let asked = std::env::var_os("PTXVM_LLVM").map(PathBuf::from);
        Self::find(asked.as_deref(), &[])
    }

    /// Looks for a libLLVM to compile with, as [`llvm::find()`] does.
    ///
    /// # Errors
    /// There is none that can be used.
    pub fn find(asked: Option<&Path>, folders: &[PathBuf]) -> Result<Self, Absent> {
        let library = llvm::find(asked, folders)?;
        let threads =
            std::thread::available_parallelism().map_or(1, |threads| threads.get().min(MOST_AT_ONCE));
        let compiler = || Compiler::new(library.clone(), Target::default());
        Ok(Self { compilers: std::iter::repeat_with(compiler).take(threads).collect() })
    }

    /// Has the engine keep what it compiles, and look there before it compiles.
    #[must_use]
    pub fn keeping(self, cache: &Arc<CodeCache>) -> Self {
        let keeping = |compiler: Compiler| compiler.keeping(Arc::clone(cache));
        Self { compilers: self.compilers.into_iter().map(keeping).collect() }
    }

    /// The library that it compiles with.
    #[must_use]
    pub fn library(&self) -> &llvm::Library {
        self.compilers[0].library()
    }

    fn passes(&self) -> String {
        passes(self.library().version().major)
    }

    /// Compiles a kernel for CTAs of a shape.
    ///
    /// # Errors
    /// Nothing of it can be compiled, or LLVM refused.
    pub fn compile(
        &self,
        kernel: &Kernel,
        cta: [u32; 3],
        tuning: Tuning,
    ) -> Result<Arc<KernelCode>, Refusal> {
        let module = Module::of(kernel.code(), cta, tuning)?;
        let code = KernelCode::empty(kernel, &module);
        self.compile_pieces(&module.pieces(self.compilers.len()), &code)?;
        Ok(Arc::new(code))
    }

    /// The code of a kernel for CTAs of a shape, if all of it is kept on disk. Nothing is compiled.
    #[must_use]
    pub fn kept(&self, kernel: &Kernel, cta: [u32; 3]) -> Option<Arc<KernelCode>> {
        let module = Module::of(kernel.code(), cta, Tuning::default()).ok()?;
        let code = KernelCode::empty(kernel, &module);
        for piece in module.pieces(self.compilers.len()) {
            let found = self.compilers[0].find(&piece.text, &self.passes(), &outside::symbols())?;
            code.take(&mut code.pieces(), &piece, found);
        }
        Some(Arc::new(code))
    }

    /// Adds a function that begins with a block to the code of a kernel: warps that are interpreted can enter a loop
    /// there.
    ///
    /// # Errors
    /// As [`Engine::compile`].
    pub fn add_entry(
        &self,
        to: &KernelCode,
        kernel: &Kernel,
        cta: [u32; 3],
        block: u32,
    ) -> Result<(), Refusal> {
        let mut pieces = to.pieces();
        let module = Module::at(kernel.code(), cta, block, to.sites() as u32, to.tuning)?;
        let piece = module.whole();
        let code = self.machine_code(&self.compilers[0], &piece)?;
        // Who sees the entry sees that there are more places.
        to.sites.store(module.sites(), Ordering::Release);
        to.take(&mut pieces, &piece, code);
        Ok(())
    }

    /// Compiles the pieces of a kernel, each by a compiler of its own, as far as there are threads.
    fn compile_pieces(&self, pieces: &[Piece], to: &KernelCode) -> Result<(), Refusal> {
        let work = |(piece, compiler): (&Piece, &Compiler)| {
            let code = self.machine_code(compiler, piece)?;
            to.take(&mut to.pieces(), piece, code);
            Ok(())
        };
        let mut pieces = pieces.iter().zip(&self.compilers);
        let Some(longest) = pieces.next() else { return Ok(()) };
        std::thread::scope(|scope| {
            let begin = |piece| std::thread::Builder::new().spawn_scoped(scope, move || work(piece));
            let others: Vec<_> = pieces.map(|piece| (piece, begin(piece))).collect();
            let mut done = work(longest);
            for (piece, other) in others {
                let other = match other.map(|thread| thread.join()) {
                    Ok(Ok(other)) => other,
                    Ok(Err(panic)) => std::panic::resume_unwind(panic),
                    // There is no thread for it.
                    Err(_) => work(piece),
                };
                done = done.and(other);
            }
            done
        })
    }

    fn machine_code(&self, compiler: &Compiler, piece: &Piece) -> Result<llvm::Compiled, Refusal> {
        compiler.compile(&piece.text, &self.passes(), &outside::symbols()).map_err(Refusal::Llvm)
    }

    /// The LLVM IR of a kernel, for people who look at it.
    ///
    /// # Errors
    /// Nothing of it can be compiled.
    pub fn text(kernel: &Kernel, cta: [u32; 3]) -> Result<String, Refusal> {
        Module::of(kernel.code(), cta, Tuning::default()).map(|module| module.whole().text)
    }

    /// By instruction of a kernel that its code has: whether the code executes it itself, or the interpreter's function for
    /// it is called, on whichever host.
    #[must_use]
    pub fn instructions(kernel: &Kernel, cta: [u32; 3]) -> HashMap<Source, bool> {
        let module = Module::of(kernel.code(), cta, Tuning { avx512: false, ..Tuning::default() });
        module.map(|module| module.instructions).unwrap_or_default()
    }

    /// The assembly of a kernel, for people who look at it.
    ///
    /// # Errors
    /// As [`Engine::compile`].
    pub fn assembly(&self, kernel: &Kernel, cta: [u32; 3]) -> Result<String, Refusal> {
        let piece = Module::of(kernel.code(), cta, Tuning::default())?.whole();
        self.compilers[0].emit_assembly(&piece.text, &self.passes()).map_err(Refusal::Llvm)
    }
}

impl KernelCode {
    /// That of a kernel's module, before any of it is there.
    fn empty(kernel: &Kernel, module: &Module) -> Self {
        Self {
            entries: vec![OnceLock::new(); kernel.code().blocks.len()],
            sites: AtomicUsize::new(module.sites()),
            tuning: module.tuning,
            remade: module.remade.clone(),
            stack: module.stack(),
            pieces: Mutex::default(),
        }
    }

    fn pieces(&self) -> MutexGuard<'_, Vec<llvm::Compiled>> {
        self.pieces.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes the code of a piece, and says at which blocks its functions begin.
    fn take(&self, pieces: &mut Vec<llvm::Compiled>, piece: &Piece, code: llvm::Compiled) {
        for block in &piece.entries {
            let address = code.address(&emit::name(*block)).filter(|address| !address.is_null());
            let (Some(address), Some(entry)) = (address, self.entries.get(*block as usize)) else { continue };
            // SAFETY: the function of this name has the type of an entry; its code lives as long as the entries, which
            // the same value owns.
            entry.get_or_init(|| unsafe { std::mem::transmute::<*const std::ffi::c_void, Enter>(address) });
        }
        pieces.push(code);
    }
}
