//! Loading: text to a program, its variables to addresses in memory, their initial bytes with them.

use std::sync::Arc;

use ptxvm_ir::{Callee, Linkage, ProblemKind, Program, RelocationTarget, Space, Variable};
use ptxvm_isa::ISA;
use ptxvm_machine::builtin::Builtin;
use ptxvm_machine::{Addresses, Unsupported, function_address};
use ptxvm_memory::{AllocationKind, Charge};
use ptxvm_module::Options;
use ptxvm_syntax::ast::Span;
use ptxvm_syntax::{Diagnostic, Interner, LineIndex, Severity};

use crate::device::Device;
use crate::failure::{LoadError, guarded};
use crate::module::{Loaded, Module, free};
use crate::reference;

/// CUDA's device runtime as far as PTX can do it, its name in reports, and what it defines.
const RUNTIME: &str = include_str!("runtime.ptx");
const RUNTIME_TEXT: &str = "the device runtime";
const RUNTIME_NAMES: [&str; 5] = [
    "cudaCGGetIntrinsicHandle",
    "cudaCGSynchronize",
    "cudaCGSynchronizeGrid",
    "cudaCGGetSize",
    "cudaCGGetRank",
];

/// What a byte of PTX takes of the host's memory while it is loaded: tokens, tree, program and diagnostics of the worst
/// texts (measured: braces within braces take 54 to be checked, branches 104 to be linked).
pub const LOAD_WEIGHT: u64 = 128;

/// What a byte of PTX takes as long as its module lives: the text, its program and the index of its lines.
const KEPT_WEIGHT: u64 = 32;

/// What a variable takes besides its bytes on the device.
const VARIABLE: u64 = 640;

/// How strictly PTX is taken.
#[derive(Clone, Copy, Debug, Default)]
pub struct LoadOptions {
    /// Take a `.version` that is newer than the newest known one for that one, with a warning. Compilers write their
    /// newest version whatever the code needs; what is new in it is still an error where it is used.
    pub newer: bool,
}

/// A text of a module: a linked module has several, one behind the other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Text {
    /// What it is called; empty for a module of one text.
    pub name: String,
    /// Where it begins in the module's source.
    pub start: u32,
}

/// Loads a module on a device.
pub(crate) fn load(device: &Device, source: &str, options: &LoadOptions) -> Result<Module, LoadError> {
    let loading = charge(device, source.len() as u64, LOAD_WEIGHT)?;
    let (program, warnings) = translate(device, source, options)?;
    let texts = vec![Text { name: String::new(), start: 0 }];
    finish(device, program, source.to_owned(), texts, warnings, loading)
}

/// Links several texts and loads them as one module.
pub(crate) fn load_linked(
    device: &Device,
    texts: &[(&str, &str)],
    options: &LoadOptions,
) -> Result<Module, LoadError> {
    let length = texts.iter().map(|(_, text)| text.len() as u64).sum();
    let loading = charge(device, length, LOAD_WEIGHT)?;
    let mut source = String::new();
    let mut parts = Vec::with_capacity(texts.len());
    let mut warnings = Vec::new();
    let mut variables = Vec::new();
    for (name, text) in texts {
        let failed = |error| LoadError::Part { name: (*name).to_owned(), error: Box::new(error) };
        // Spans have 32 bits.
        let end = source.len() + text.len() + 1;
        let Some(start) = u32::try_from(end).ok().and(u32::try_from(source.len()).ok()) else {
            let what = "linking more than four gigabytes of PTX".to_owned();
            return Err(failed(LoadError::Unsupported(vec![Unsupported { what, span: Span::default() }])));
        };
        let (program, warned) = translate(device, text, options).map_err(failed)?;
        warnings.extend(warned.into_iter().map(|diagnostic| shifted(diagnostic, start)));
        variables.push(charge(device, variables_of(&program), 1).map_err(failed)?);
        parts.push(ptxvm_ir::Part { name: (*name).to_owned(), program, base: start });
        source.push_str(text);
        source.push('\n');
    }
    let texts = parts.iter().map(|part| Text { name: part.name.clone(), start: part.base }).collect();
    let program = guarded(|| ptxvm_ir::merge(parts)).map_err(LoadError::Bug)?.map_err(LoadError::Link)?;
    drop(variables);
    finish(device, program, source, texts, warnings, loading)
}

/// The host's memory that the variables of a program take: a few letters may stand for many of them.
fn variables_of(program: &Program) -> u64 {
    let bytes = |v: &Variable| VARIABLE + (v.initial.len() + size_of_val(&*v.relocations)) as u64;
    program.variables.iter().map(bytes).sum()
}

/// Takes the memory that so much text needs.
fn charge(device: &Device, length: u64, weight: u64) -> Result<Charge, LoadError> {
    device.budget().charge(length.saturating_mul(weight)).map_err(LoadError::Budget)
}

/// A diagnostic of a text that begins at `start`.
fn shifted(mut diagnostic: Diagnostic, start: u32) -> Diagnostic {
    let labels = std::iter::once(&mut diagnostic.primary).chain(&mut diagnostic.secondary);
    labels.for_each(|label| label.span = Span::new(label.span.start + start, label.span.end + start));
    diagnostic
}

/// Places the variables of a program.
fn finish(
    device: &Device,
    program: Program,
    mut source: String,
    mut texts: Vec<Text>,
    warnings: Vec<Diagnostic>,
    loading: Charge,
) -> Result<Module, LoadError> {
    let program = guarded(|| with_runtime(program, &mut source, &mut texts)).map_err(LoadError::Bug)??;
    let unresolved = unresolved(&program);
    if !unresolved.is_empty() {
        return Err(LoadError::Unresolved(unresolved));
    }
    // What loading took is free again, and variables may have it.
    drop(loading);
    let mut kept = charge(device, source.len() as u64, KEPT_WEIGHT)?;
    kept.grow(variables_of(&program)).map_err(LoadError::Budget)?;
    let addresses = place(device, &program)?;
    let lines = LineIndex::new(&source);
    let loaded = Loaded {
        device: device.clone(),
        program: Arc::new(program),
        addresses,
        source,
        texts,
        lines,
        warnings,
        _kept: kept,
    };
    Ok(Module { loaded: Arc::new(loaded) })
}

/// Links the device runtime to a program that declares a function of it.
fn with_runtime(program: Program, source: &mut String, texts: &mut Vec<Text>) -> Result<Program, LoadError> {
    let wanted = |f: &ptxvm_ir::Function| !f.defined && RUNTIME_NAMES.contains(&f.name.as_str());
    if !program.functions.iter().any(wanted) {
        return Ok(program);
    }
    let (runtime, _) = lower(RUNTIME, &LoadOptions::default())?;
    let Ok(start) = u32::try_from(source.len() + 1) else { return Ok(program) };
    source.push('\n');
    source.push_str(RUNTIME);
    texts.push(Text { name: RUNTIME_TEXT.to_owned(), start });
    let part = |name: &str, program, base| ptxvm_ir::Part { name: name.to_owned(), program, base };
    ptxvm_ir::merge(vec![part("the module", program, 0), part(RUNTIME_TEXT, runtime, start)])
        .map_err(LoadError::Link)
}

/// Text to a program that the device can run, with the warnings.
fn translate(
    device: &Device,
    source: &str,
    options: &LoadOptions,
) -> Result<(Program, Vec<Diagnostic>), LoadError> {
    let (program, warnings) = guarded(|| lower(source, options)).map_err(LoadError::Bug)??;
    let (wanted, own) = (program.language.target, device.profile().target());
    if !own.meets(wanted) {
        return Err(LoadError::Target { module: wanted, device: own, name: device.profile().name });
    }
    Ok((program, warnings))
}

/// Text to program, with the warnings.
fn lower(source: &str, options: &LoadOptions) -> Result<(Program, Vec<Diagnostic>), LoadError> {
    let parsed = ptxvm_syntax::parse(source, &Interner::with_words(ISA.words));
    let options = Options { newer: options.newer, ..Options::default() };
    let checked = ptxvm_module::check(&parsed.file, source, &ISA, &options);
    let mut diagnostics = parsed.diagnostics;
    diagnostics.extend(checked.diagnostics);
    diagnostics.sort_by_key(|d| d.primary.span.start);
    if diagnostics.iter().any(|d| d.severity == Severity::Error) {
        return Err(LoadError::Invalid(diagnostics));
    }
    match ptxvm_ir::lower(&parsed.file, source, &checked.module, &ISA) {
        Ok(program) => Ok((program, diagnostics)),
        Err(problems) => Err(match problems.iter().find(|p| p.kind == ProblemKind::Invalid) {
            // The check found nothing, so what the lowering misses is missing in the check.
            Some(problem) => LoadError::Bug(format!("the check let pass: {problem}")),
            None => {
                let what = problems.into_iter().map(|p| Unsupported { what: p.message, span: p.span });
                LoadError::Unsupported(what.collect())
            }
        }),
    }
}

/// The names that are used and that neither the module nor the machine defines.
fn unresolved(program: &Program) -> Vec<String> {
    let mut names: Vec<String> = Vec::new();
    let mut add = |name: &String| {
        if !names.contains(name) {
            names.push(name.clone());
        }
    };
    for call in program.functions.iter().flat_map(|f| &f.calls) {
        if let Callee::Direct(callee) = call.callee {
            let callee = &program.functions[callee.0 as usize];
            if !callee.defined && Builtin::named(&callee.name).is_none() {
                add(&callee.name);
            }
        }
    }
    for variable in program.variables.iter().filter(|v| v.linkage == Linkage::Extern) {
        if matches!(variable.space, Space::Global | Space::Const) {
            add(&variable.name);
        }
    }
    names
}

/// Allocates the variables of the module and writes their initial bytes.
fn place(device: &Device, program: &Program) -> Result<Addresses, LoadError> {
    let mut addresses = Addresses { variables: vec![0; program.variables.len()] };
    let placed = allocate(device, program, &mut addresses).and_then(|()| {
        program.variables.iter().enumerate().try_for_each(|(index, variable)| {
            match addresses.variables[index] {
                _ if variable.opaque.is_some() => Ok(()),
                0 => Ok(()),
                address => initialise(device, program, variable, address, &addresses),
            }
        })
    });
    match placed {
        Ok(()) => Ok(addresses),
        Err(error) => {
            free(device, program, &addresses);
            Err(error)
        }
    }
}

fn allocate(device: &Device, program: &Program, addresses: &mut Addresses) -> Result<(), LoadError> {
    for (variable, address) in program.variables.iter().zip(&mut addresses.variables) {
        if let Some(opaque) = &variable.opaque {
            *address = reference::declare(device, &variable.name, opaque).map_err(LoadError::Unsupported)?;
            continue;
        }
        let kind = match variable.space {
            Space::Global if variable.managed => AllocationKind::Managed,
            Space::Global => AllocationKind::Variable,
            Space::Const => AllocationKind::Constant,
            Space::Shared | Space::Local | Space::EntryParam | Space::FuncParam => continue,
        };
        let (size, align) = (variable.size, u64::from(variable.align));
        let allocated = device.memory().allocate(size, align, kind, Some(variable.name.clone()));
        *address = allocated.map_err(LoadError::Memory)?;
    }
    Ok(())
}

fn initialise(
    device: &Device,
    program: &Program,
    variable: &Variable,
    at: u64,
    addresses: &Addresses,
) -> Result<(), LoadError> {
    let mut bytes = variable.initial.clone();
    for relocation in &variable.relocations {
        let target = match relocation.target {
            RelocationTarget::Function(function) => function_address(function),
            RelocationTarget::Variable(id) => match addresses.variables[id.0 as usize] {
                // Shared memory has no address before a CTA has been launched.
                0 => {
                    let name = &program.variables[id.0 as usize].name;
                    let what = format!("the address of `{name}` in the initialiser of `{}`", variable.name);
                    return Err(LoadError::Unsupported(vec![Unsupported { what, span: Span::default() }]));
                }
                address => address,
            },
        };
        let value = target.wrapping_add_signed(relocation.addend) >> relocation.shift;
        let (from, count) = (relocation.at as usize, usize::from(relocation.bytes));
        if bytes.len() < from + count {
            bytes.resize(from + count, 0);
        }
        bytes[from..from + count].copy_from_slice(&value.to_le_bytes()[..count]);
    }
    device
        .write(at, &bytes)
        .map_err(|e| LoadError::Bug(format!("the initial bytes of `{}` do not fit: {e}", variable.name)))
}
