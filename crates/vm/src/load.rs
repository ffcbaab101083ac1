//! Loading: gives a program's variables addresses in device memory, and writes their initial bytes.

use std::sync::Arc;

use ptxvm_ir::{Program, RelocationTarget, Space, Variable};
use ptxvm_machine::{Addresses, Unsupported, function_address};
use ptxvm_memory::{AllocationKind, Charge};
use ptxvm_syntax::ast::Span;

use crate::device::Device;
use crate::failure::LoadError;
use crate::later::Later;
use crate::linked::{KEPT_WEIGHT, Linked, LoadOptions, Text, charge, variables_of};
use crate::module::{Loaded, Module, Read, free};
use crate::reference;

/// Loads a module on a device.
pub(crate) fn load(device: &Device, source: &str, options: &LoadOptions) -> Result<Module, LoadError> {
    if options.bodies_later.is_some_and(|least| source.len() >= least)
        && let Some((program, warnings, later)) = Later::begin(&device.goal(), source, options)
    {
        let texts = vec![Text { name: String::new(), start: 0 }];
        let read = Read::new(source.to_owned(), texts, warnings, Some(later));
        // The rest has been charged with what is known of the bodies.
        let kept = charge(device.budget(), 0, KEPT_WEIGHT)?;
        return placed(device, Arc::new(program), Arc::new(read), kept);
    }
    finish(device, Linked::one(&device.goal(), source, options)?)
}

/// Links several texts and loads them as one module.
pub(crate) fn load_linked(
    device: &Device,
    texts: &[(&str, &str)],
    options: &LoadOptions,
) -> Result<Module, LoadError> {
    finish(device, Linked::several(&device.goal(), texts, options)?)
}

/// Places the variables of a program.
fn finish(device: &Device, linked: Linked) -> Result<Module, LoadError> {
    let Linked { program, source, texts, warnings, loading } = linked.resolved()?;
    // What loading took is free again, and variables may have it.
    drop(loading);
    let kept = charge(device.budget(), source.len() as u64, KEPT_WEIGHT)?;
    let read = Read::new(source, texts, warnings, None);
    placed(device, Arc::new(program), Arc::new(read), kept)
}

/// Loads on a device what has been loaded on another.
pub(crate) fn load_again(device: &Device, module: &Module) -> Result<Module, LoadError> {
    let (program, read) = (Arc::clone(&module.loaded.program), Arc::clone(&module.loaded.read));
    let (goal, wanted) = (device.goal(), program.language.target);
    // A device like the other takes whatever that one took.
    if module.device().goal().target != goal.target && !goal.target.meets(wanted) {
        return Err(LoadError::Target { module: wanted, device: goal.target, name: goal.name });
    }
    // The text and the program are those of the other module.
    placed(device, program, read, charge(device.budget(), 0, KEPT_WEIGHT)?)
}

/// Gives a program a place on a device. What it keeps besides its variables has been charged.
fn placed(
    device: &Device,
    program: Arc<Program>,
    read: Arc<Read>,
    mut kept: Charge,
) -> Result<Module, LoadError> {
    kept.grow(variables_of(&program)).map_err(LoadError::Budget)?;
    let addresses = place(device, &program)?;
    let addresses = Arc::new(addresses);
    let loaded = Loaded { device: device.clone(), program, addresses, read, _kept: kept };
    Ok(Module { loaded: Arc::new(loaded) })
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
        let name = Some(variable.name.clone());
        let allocated = match device.places().get(&variable.name) {
            Some(&place) => device.memory().allocate_at(place, size, kind, name),
            None => device.memory().allocate(size, align, kind, name),
        };
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
