//! The engine: from a linked kernel to compiled code that the machine can enter.
#![allow(unsafe_code)]

use std::collections::{BTreeSet, HashMap};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use ptxvm_ir::operation::{Matrix, Operation};
use ptxvm_ir::{FunctionId, Program};
use ptxvm_machine::Kernel;
use ptxvm_machine::code::{Callee, Source, Terminator};
use ptxvm_machine::context::Code;
use ptxvm_machine::schedule::compiled::{Compiled, Enter, Stack};

use crate::analysis::Analysis;
use crate::cache::CodeCache;
use crate::callee::{Callees, callee};
use crate::emit;
use crate::llvm::{self, Absent, CompileError, Compiler, Target};
use crate::outside;
use crate::region::Region;

/// The passes that are run over a kernel's code. They are few: what a warp does is a vector already, and vectorizing
/// what is left of single numbers makes it slower. Homes become registers, and what does not change leaves loops.
fn passes(major: u32) -> String {
    // From that version on a pass must be told that it need not find everything at once.
    let combine = if major >= 18 { "instcombine<no-verify-fixpoint>" } else { "instcombine" };
    format!(
        "always-inline,function(sroa,early-cse<memssa>,simplifycfg,{combine},loop-mssa(loop-rotate,licm),gvn,simplifycfg,{combine},dce)"
    )
}

/// The most threads that a CTA has on any device. The code holds a mask for each warp of it.
const MOST_THREADS: u64 = 1024;

/// Compiles kernels.
pub struct Engine {
    compiler: Compiler,
}

/// Why there is no compiled code for a kernel.
#[derive(Debug)]
pub enum Refusal {
    /// Nothing of the kernel can be compiled; the interpreter serves.
    Nothing,
    /// No device launches CTAs of such a shape.
    Cta([u32; 3]),
    /// LLVM refused.
    Llvm(CompileError),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nothing => f.write_str("nothing of the kernel can be compiled"),
            Self::Cta([x, y, z]) => {
                write!(f, "a CTA of {x} x {y} x {z} has no thread, or more than {MOST_THREADS}")
            }
            Self::Llvm(error) => error.fmt(f),
        }
    }
}

/// The compiled code of a kernel, for CTAs of one shape.
pub struct KernelCode {
    /// By block: the function that begins with it, if there is one by now.
    entries: Vec<OnceLock<Enter>>,
    sites: AtomicUsize,
    /// The stack that calls inside of the code take, if it has any to do with the stack.
    stack: Option<Stack>,
    /// Owns the code that the entries lie in: that of the kernel, and that of loops that were entered in their middle.
    code: llvm::Compiled,
    loops: Mutex<Vec<llvm::Compiled>>,
}

impl std::fmt::Debug for KernelCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let entries = self.entries.iter().filter(|entry| entry.get().is_some()).count();
        write!(f, "KernelCode with {entries} entries and {} bytes", self.code.code_bytes())
    }
}

impl Compiled for KernelCode {
    fn entry(&self, block: u32) -> Option<Enter> {
        self.entries.get(block as usize)?.get().copied()
    }

    fn sites(&self) -> usize {
        self.sites.load(Ordering::Acquire)
    }

    fn stack(&self) -> Option<Stack> {
        self.stack
    }
}

impl KernelCode {
    /// How long LLVM took, and the bytes of code that it made.
    #[must_use]
    pub fn cost(&self) -> (llvm::Times, usize) {
        (self.code.times(), self.code.code_bytes())
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
        Ok(Self { compiler: Compiler::new(library, Target::default()) })
    }

    /// Has the engine keep what it compiles, and look there before it compiles.
    #[must_use]
    pub fn keeping(self, cache: Arc<CodeCache>) -> Self {
        Self { compiler: self.compiler.keeping(cache) }
    }

    /// The library that it compiles with.
    #[must_use]
    pub fn library(&self) -> &llvm::Library {
        self.compiler.library()
    }

    fn passes(&self) -> String {
        passes(self.library().version().major)
    }

    /// Compiles a kernel for CTAs of a shape.
    ///
    /// # Errors
    /// Nothing of it can be compiled, or LLVM refused.
    pub fn compile(&self, kernel: &Kernel, cta: [u32; 3]) -> Result<Arc<KernelCode>, Refusal> {
        let module = Module::of(kernel.code(), cta)?;
        let code = self.machine_code(&module)?;
        Ok(module.finished(kernel, code))
    }

    /// The code of a kernel for CTAs of a shape, if it is kept on disk. Nothing is compiled.
    #[must_use]
    pub fn kept(&self, kernel: &Kernel, cta: [u32; 3]) -> Option<Arc<KernelCode>> {
        let module = Module::of(kernel.code(), cta).ok()?;
        let code = self.compiler.find(&module.text, &self.passes(), &outside::symbols())?;
        Some(module.finished(kernel, code))
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
        let mut loops = to.loops.lock().unwrap_or_else(PoisonError::into_inner);
        let module = Module::at(kernel.code(), cta, block, to.sites() as u32)?;
        let code = self.machine_code(&module)?;
        // Who sees the entry sees that there are more places.
        to.sites.store(module.common.sites as usize, Ordering::Release);
        publish(&module, &code, &to.entries);
        loops.push(code);
        Ok(())
    }

    fn machine_code(&self, module: &Module) -> Result<llvm::Compiled, Refusal> {
        self.compiler.compile(&module.text, &self.passes(), &outside::symbols()).map_err(Refusal::Llvm)
    }

    /// The LLVM IR of a kernel, for people who look at it.
    ///
    /// # Errors
    /// Nothing of it can be compiled.
    pub fn text(kernel: &Kernel, cta: [u32; 3]) -> Result<String, Refusal> {
        Module::of(kernel.code(), cta).map(|module| module.text)
    }

    /// By instruction of a kernel that its code has: whether the code executes it itself, or the interpreter's function for
    /// it is called.
    #[must_use]
    pub fn instructions(kernel: &Kernel, cta: [u32; 3]) -> HashMap<Source, bool> {
        Module::of(kernel.code(), cta).map(|module| module.instructions).unwrap_or_default()
    }

    /// The assembly of a kernel, for people who look at it.
    ///
    /// # Errors
    /// As [`Engine::compile`].
    pub fn assembly(&self, kernel: &Kernel, cta: [u32; 3]) -> Result<String, Refusal> {
        let module = Module::of(kernel.code(), cta)?;
        self.compiler.emit_assembly(&module.text, &self.passes()).map_err(Refusal::Llvm)
    }
}

/// Says at which blocks the functions of a module begin.
fn publish(module: &Module, code: &llvm::Compiled, entries: &[OnceLock<Enter>]) {
    for block in &module.entries {
        let address = code.address(&emit::name(*block)).filter(|address| !address.is_null());
        let (Some(address), Some(entry)) = (address, entries.get(*block as usize)) else { continue };
        // SAFETY: the function of this name has the type of an entry; its code lives as long as the entries, which the
        // same value owns.
        entry.get_or_init(|| unsafe { std::mem::transmute::<*const std::ffi::c_void, Enter>(address) });
    }
}

/// A module in LLVM IR.
#[derive(Default)]
struct Module {
    text: String,
    /// The blocks that its functions begin with.
    entries: Vec<u32>,
    declarations: BTreeSet<String>,
    common: emit::Common,
    /// How often each of the functions that they share is called.
    repeated: emit::Uses,
    /// The functions of it that others call.
    callees: Callees,
    /// Whether it accesses local memory.
    uses_local: bool,
    /// By instruction: whether the code executes it itself.
    instructions: HashMap<Source, bool>,
}

impl Module {
    /// The module of a kernel.
    fn of(code: &Code, cta: [u32; 3]) -> Result<Self, Refusal> {
        let mut module = Self::for_shape(cta, 0)?;
        module.add_functions(code, cta);
        for id in (0..code.functions.len() as u32).map(FunctionId) {
            module.add(code, cta, id, &entries(code, id, &module.callees));
        }
        module.finish()
    }

    /// The module of one function that begins with a block, with places numbered from `sites` on.
    fn at(code: &Code, cta: [u32; 3], block: u32, sites: u32) -> Result<Self, Refusal> {
        let mut module = Self::for_shape(cta, sites)?;
        if let Some(linked) = code.blocks.get(block as usize) {
            module.add_functions(code, cta);
            module.add(code, cta, linked.source.function, &[block]);
        }
        module.finish()
    }

    /// An empty module, if there are CTAs of that shape.
    fn for_shape(cta: [u32; 3], sites: u32) -> Result<Self, Refusal> {
        let threads = cta.iter().fold(1u64, |product, &extent| product.saturating_mul(u64::from(extent)));
        if threads == 0 || threads > MOST_THREADS {
            return Err(Refusal::Cta(cta));
        }
        let mut module = Self::default();
        module.common.sites = sites;
        Ok(module)
    }

    /// Adds the functions that others can call: each after those that it calls itself.
    fn add_functions(&mut self, code: &Code, cta: [u32; 3]) {
        for id in call_order(code) {
            let Some(analysis) = self.analysis(code, cta, id) else { continue };
            let region = Region::of(&analysis, analysis.linked.block, &self.callees, true);
            let Some(region) = region else { continue };
            let written = emit::function(&analysis, &region, id, &self.callees, &mut self.common);
            let Some((text, callee)) = written else { continue };
            self.text.push_str(&text.definition);
            self.share(text.declarations, text.repeated);
            self.uses_local |= text.uses_local;
            self.callees.insert(id, callee);
        }
    }

    /// What is known of a function that can be compiled.
    fn analysis<'a>(&self, code: &'a Code, cta: [u32; 3], id: FunctionId) -> Option<Analysis<'a>> {
        let compiles = code.functions.get(id.0 as usize)?.is_some() && !has_wgmma(&code.program, id);
        if compiles { Analysis::of(code, id, cta) } else { None }
    }

    /// Adds what begins with some blocks of a function, as far as that can be compiled.
    fn add(&mut self, code: &Code, cta: [u32; 3], id: FunctionId, entries: &[u32]) {
        let Some(analysis) = self.analysis(code, cta, id) else { return };
        for entry in entries {
            let Some(region) = Region::of(&analysis, *entry, &self.callees, false) else { continue };
            let text = emit::region(&analysis, &region, &self.callees, &mut self.common);
            let Some(text) = text else { continue };
            self.text.push_str(&text.definition);
            self.share(text.declarations, text.repeated);
            self.uses_local |= text.uses_local;
            for (instruction, itself) in text.instructions {
                *self.instructions.entry(Source { function: id, instruction }).or_insert(true) &= itself;
            }
            self.entries.push(*entry);
        }
    }

    /// Adds what a function shares with others.
    fn share(&mut self, declarations: BTreeSet<String>, repeated: emit::Uses) {
        self.declarations.extend(declarations);
        for (number, times) in repeated {
            *self.repeated.entry(number).or_default() += times;
        }
    }

    /// The code of a kernel that was made of its module.
    fn finished(&self, kernel: &Kernel, code: llvm::Compiled) -> Arc<KernelCode> {
        let entries = vec![OnceLock::new(); kernel.code().blocks.len()];
        publish(self, &code, &entries);
        let sites = AtomicUsize::new(self.common.sites as usize);
        Arc::new(KernelCode { entries, sites, stack: self.stack(), code, loops: Mutex::default() })
    }

    /// What the code has to do with the stack.
    fn stack(&self) -> Option<Stack> {
        let calls = self.callees.values();
        (self.uses_local || !self.callees.is_empty()).then(|| Stack {
            bytes: calls.clone().map(|callee| callee.stack).max().unwrap_or(0),
            frames: calls.clone().any(|callee| callee.frames),
        })
    }

    /// The whole text, unless there is nothing in it.
    fn finish(mut self) -> Result<Self, Refusal> {
        self.text.push_str(&self.common.repeated.definitions(&self.repeated));
        for declaration in &self.declarations {
            self.text.push_str(declaration);
            self.text.push('\n');
        }
        self.text.push_str("attributes #0 = { nounwind \"prefer-vector-width\"=\"512\" }\n");
        self.text.push_str("attributes #1 = { alwaysinline }\n");
        self.text.push_str("!0 = !{!\"branch_weights\", i32 1, i32 100000}\n!1 = !{}\n");
        self.text.push_str("!2 = !{!\"branch_weights\", i32 100000, i32 1}\n");
        self.text = outside::named(self.text);
        if self.entries.is_empty() { Err(Refusal::Nothing) } else { Ok(self) }
    }
}

/// The blocks of a function at which the schedule lets a warp go on: its beginning, and what follows barriers, calls and
/// lists of targets.
fn entries(code: &Code, id: FunctionId, callees: &Callees) -> Vec<u32> {
    let Some(function) = &code.functions[id.0 as usize] else { return Vec::new() };
    let mut entries = BTreeSet::from([function.block]);
    for block in code.blocks.iter().filter(|block| block.source.function == id) {
        match &block.end_with {
            Terminator::Barrier(arrival) => drop(entries.insert(arrival.next)),
            // Where the code makes the call itself, it goes on itself.
            Terminator::Call(call) if callee(call, callees).is_some() => {}
            Terminator::Call(call) => drop(entries.insert(call.next)),
            Terminator::Index { targets, next, .. } => entries.extend(targets.iter().chain([next])),
            _ => {}
        }
    }
    entries.into_iter().collect()
}

/// The functions that others call, each after those that it calls. Those that call themselves come in some order: not all
/// of what they call has been there before them.
fn call_order(code: &Code) -> Vec<FunctionId> {
    let mut calls: HashMap<FunctionId, Vec<FunctionId>> = HashMap::new();
    for block in &code.blocks {
        if let Terminator::Call(call) = &block.end_with
            && let Callee::Function(callee) = call.callee
        {
            calls.entry(block.source.function).or_default().push(callee);
        }
    }
    let mut order = Vec::new();
    // Each function on the way with what it calls and has not been looked at; no function is looked at twice.
    let mut way = vec![(code.entry, calls.remove(&code.entry).unwrap_or_default())];
    let mut seen = BTreeSet::from([code.entry]);
    while let Some((id, open)) = way.last_mut() {
        match open.pop() {
            Some(callee) if seen.insert(callee) => {
                way.push((callee, calls.remove(&callee).unwrap_or_default()));
            }
            Some(_) => {}
            None => {
                order.push(*id);
                way.pop();
            }
        }
    }
    order.retain(|id| *id != code.entry);
    order
}

/// Whether products of a warpgroup may be under way in a function: then instructions must look at the registers that
/// they use.
fn has_wgmma(program: &Program, id: FunctionId) -> bool {
    let instructions = program.functions[id.0 as usize].instructions.iter();
    instructions
        .filter_map(|instruction| program.operation(instruction))
        .any(|operation| matches!(operation, Operation::Matrix(Matrix::Wgmma(_))))
}
