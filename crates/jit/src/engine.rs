//! The engine: from a linked kernel to compiled code that the machine can enter.
#![allow(unsafe_code)]

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use ptxvm_ir::operation::{Matrix, Operation};
use ptxvm_ir::{FunctionId, Program};
use ptxvm_machine::Kernel;
use ptxvm_machine::code::Terminator;
use ptxvm_machine::context::Code;
use ptxvm_machine::schedule::compiled::{Compiled, Enter, callable};

use crate::analysis::Analysis;
use crate::emit;
use crate::llvm::{self, Absent, CompileError, Compiler, Target};
use crate::region::Region;

/// The passes that are run over a kernel's code. They are few: what a warp does is a vector already, and vectorizing
/// what is left of single numbers makes it slower. Homes become registers, and what does not change leaves loops.
fn passes(major: u32) -> String {
    // From that version on a pass must be told that it need not find everything at once.
    let combine = if major >= 18 { "instcombine<no-verify-fixpoint>" } else { "instcombine" };
    format!(
        "function(sroa,early-cse<memssa>,simplifycfg,{combine},loop-mssa(loop-rotate,licm),gvn,simplifycfg,{combine},dce)"
    )
}

/// Compiles kernels.
pub struct Engine {
    compiler: Compiler,
}

/// Why there is no compiled code for a kernel.
#[derive(Debug)]
pub enum Refusal {
    /// Nothing of the kernel can be compiled; the interpreter serves.
    Nothing,
    /// LLVM refused.
    Llvm(CompileError),
}

impl std::fmt::Display for Refusal {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Nothing => f.write_str("nothing of the kernel can be compiled"),
            Self::Llvm(error) => error.fmt(f),
        }
    }
}

/// The compiled code of a kernel, for CTAs of one shape.
pub struct KernelCode {
    entries: Vec<Option<Enter>>,
    sites: usize,
    /// Owns the code that the entries lie in.
    code: llvm::Compiled,
}

impl std::fmt::Debug for KernelCode {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let entries = self.entries.iter().flatten().count();
        write!(f, "KernelCode with {entries} entries and {} bytes", self.code.code_bytes())
    }
}

impl Compiled for KernelCode {
    fn entry(&self, block: u32) -> Option<Enter> {
        self.entries.get(block as usize).copied().flatten()
    }

    fn sites(&self) -> usize {
        self.sites
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
        let module = Module::of(kernel.code(), cta).ok_or(Refusal::Nothing)?;
        // What code generation itself may call.
        let filling: [(&str, *const std::ffi::c_void); 3] = [
            ("memset", libc::memset as *const _),
            ("memcpy", libc::memcpy as *const _),
            ("memmove", libc::memmove as *const _),
        ];
        let symbols: Vec<_> = callable().into_iter().chain(filling).collect();
        let code = self.compiler.compile(&module.text, &self.passes(), &symbols).map_err(Refusal::Llvm)?;
        let mut entries = vec![None; kernel.code().blocks.len()];
        for block in &module.entries {
            let address = code.address(&emit::name(*block)).filter(|address| !address.is_null());
            // SAFETY: the function of this name has the type of an entry; its code lives as long as the result, which
            // owns it.
            entries[*block as usize] = address
                .map(|address| unsafe { std::mem::transmute::<*const std::ffi::c_void, Enter>(address) });
        }
        Ok(Arc::new(KernelCode { entries, sites: module.sites as usize, code }))
    }

    /// The LLVM IR of a kernel, for people who look at it.
    ///
    /// # Errors
    /// Nothing of it can be compiled.
    pub fn text(kernel: &Kernel, cta: [u32; 3]) -> Result<String, Refusal> {
        Module::of(kernel.code(), cta).map(|module| module.text).ok_or(Refusal::Nothing)
    }

    /// The assembly of a kernel, for people who look at it.
    ///
    /// # Errors
    /// As [`Engine::compile`].
    pub fn assembly(&self, kernel: &Kernel, cta: [u32; 3]) -> Result<String, Refusal> {
        let module = Module::of(kernel.code(), cta).ok_or(Refusal::Nothing)?;
        self.compiler.emit_assembly(&module.text, &self.passes()).map_err(Refusal::Llvm)
    }
}

/// A module in LLVM IR.
struct Module {
    text: String,
    /// The blocks that its functions begin with.
    entries: Vec<u32>,
    sites: u32,
}

impl Module {
    /// The module of a kernel; `None` if there is nothing in it.
    fn of(code: &Code, cta: [u32; 3]) -> Option<Self> {
        let mut module = Self { text: String::new(), entries: Vec::new(), sites: 0 };
        let mut declarations = BTreeSet::new();
        for id in (0..code.functions.len() as u32).map(FunctionId) {
            let compiles = code.functions[id.0 as usize].is_some() && !has_wgmma(&code.program, id);
            let Some(analysis) = compiles.then(|| Analysis::of(code, id, cta)).flatten() else { continue };
            for entry in entries(code, id) {
                let Some(region) = Region::of(&analysis, entry) else { continue };
                let Some(text) = emit::region(&analysis, &region, &mut module.sites) else { continue };
                module.text.push_str(&text.definition);
                declarations.extend(text.declarations);
                module.entries.push(entry);
            }
        }
        for declaration in declarations {
            module.text.push_str(&declaration);
            module.text.push('\n');
        }
        module.text.push_str("attributes #0 = { nounwind \"prefer-vector-width\"=\"512\" }\n");
        module.text.push_str("!0 = !{!\"branch_weights\", i32 1, i32 100000}\n");
        (!module.entries.is_empty()).then_some(module)
    }
}

/// The blocks of a function at which the schedule lets a warp go on: its beginning, and what follows barriers, calls and
/// lists of targets.
fn entries(code: &Code, id: FunctionId) -> Vec<u32> {
    let Some(function) = &code.functions[id.0 as usize] else { return Vec::new() };
    let mut entries = BTreeSet::from([function.block]);
    for block in code.blocks.iter().filter(|block| block.source.function == id) {
        match &block.end_with {
            Terminator::Barrier(arrival) => drop(entries.insert(arrival.next)),
            Terminator::Call(call) => drop(entries.insert(call.next)),
            Terminator::Index { targets, next, .. } => entries.extend(targets.iter().chain([next])),
            _ => {}
        }
    }
    entries.into_iter().collect()
}

/// Whether products of a warpgroup may be under way in a function: then instructions must look at the registers that
/// they use.
fn has_wgmma(program: &Program, id: FunctionId) -> bool {
    let instructions = program.functions[id.0 as usize].instructions.iter();
    instructions
        .filter_map(|instruction| program.operation(instruction))
        .any(|operation| matches!(operation, Operation::Matrix(Matrix::Wgmma(_))))
}
