//! Loading: text to a program, its variables to addresses in memory, their initial bytes with them.

use std::sync::Arc;

use ptxvm_ir::{Callee, ProblemKind, Program, RelocationTarget, Space, Variable};
use ptxvm_isa::ISA;
use ptxvm_machine::builtin::Builtin;
use ptxvm_machine::{Addresses, Unsupported, function_address};
use ptxvm_memory::AllocationKind;
use ptxvm_module::Options;
use ptxvm_syntax::ast::Span;
use ptxvm_syntax::{Diagnostic, Interner, LineIndex, Severity};

use crate::device::Device;
use crate::failure::{LoadError, guarded};
use crate::module::{Loaded, Module, free};

/// Loads a module on a device.
pub(crate) fn load(device: &Device, source: &str) -> Result<Module, LoadError> {
    let (program, warnings) = guarded(|| translate(source)).map_err(LoadError::Bug)??;
    let (wanted, own) = (program.language.target, device.profile().target());
    if !own.meets(wanted) {
        return Err(LoadError::Target { module: wanted, device: own, name: device.profile().name });
    }
    let unresolved = unresolved(&program);
    if !unresolved.is_empty() {
        return Err(LoadError::Unresolved(unresolved));
    }
    let addresses = place(device, &program)?;
    let loaded = Loaded {
        device: device.clone(),
        program: Arc::new(program),
        addresses,
        source: source.to_owned(),
        lines: LineIndex::new(source),
        warnings,
    };
    Ok(Module { loaded: Arc::new(loaded) })
}

/// Text to program, with the warnings.
fn translate(source: &str) -> Result<(Program, Vec<Diagnostic>), LoadError> {
    let parsed = ptxvm_syntax::parse(source, &Interner::with_words(ISA.words));
    let checked = ptxvm_module::check(&parsed.file, source, &ISA, &Options::default());
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
    for variable in program.variables.iter().filter(|v| v.external) {
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
                0 => Ok(()),
                address => initialise(device, program, variable, address, &addresses),
            }
        })
    });
    match placed {
        Ok(()) => Ok(addresses),
        Err(error) => {
            free(device, &addresses);
            Err(error)
        }
    }
}

fn allocate(device: &Device, program: &Program, addresses: &mut Addresses) -> Result<(), LoadError> {
    for (variable, address) in program.variables.iter().zip(&mut addresses.variables) {
        let kind = match variable.space {
            _ if variable.opaque => continue,
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
