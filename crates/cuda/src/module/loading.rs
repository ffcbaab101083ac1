//! Loads the texts of an image as a module on the device, and writes errors to the caller's logs.
#![allow(unsafe_code)]

use std::fs::File;
use std::io::Read;
use std::time::Instant;

use ptxvm_image::{Part, Refusal, Room, Wanted, options, source_of};
use ptxvm_vm::{Device, KernelError, LoadError};

use super::extent;
use super::jit::Jit;
use crate::abi::{Answer, CUresult, Host};
use crate::report;

/// The texts of an image of which only the address is known.
///
/// # Errors
/// Why it cannot be run.
pub fn texts_at(address: Host, device: &Device, jit: &mut Jit) -> Answer<Vec<Part>> {
    if address.is_null() {
        return Err(CUresult::INVALID_VALUE);
    }
    // SAFETY: the program promises with the call that an image lies there.
    match unsafe { extent::bytes(address.0) } {
        Ok(bytes) => texts("", bytes, device, jit),
        Err(refusal) => Err(refuse(&refusal, jit)),
    }
}

/// The texts of an image in a file.
///
/// # Errors
/// Why it cannot be read or run.
pub fn texts_in(file: &str, device: &Device, jit: &mut Jit) -> Answer<Vec<Part>> {
    let opened = File::open(file).map_err(|_| CUresult::FILE_NOT_FOUND)?;
    // An image holds texts and what they are packed in; a file that never ends is none.
    let most = device.budget().left() / 4;
    let mut bytes = Vec::new();
    opened.take(most.saturating_add(1)).read_to_end(&mut bytes).map_err(|_| CUresult::FILE_NOT_FOUND)?;
    if bytes.len() as u64 > most {
        return Err(refuse(&Refusal::Room(bytes.len() as u64), jit));
    }
    texts(file, &bytes, device, jit)
}

/// The texts of an image.
///
/// # Errors
/// Why it cannot be run.
pub fn texts(name: &str, bytes: &[u8], device: &Device, jit: &mut Jit) -> Answer<Vec<Part>> {
    let room = Room::of(device.budget());
    let wanted =
        Wanted { target: device.profile().target(), intermediate: false, any_target: true, room: &room };
    match ptxvm_image::read(name, bytes, &wanted) {
        Ok(contents) => Ok(contents.texts),
        Err(refusal) => Err(refuse(&refusal, jit)),
    }
}

/// Tells the program in its log, and its owner on standard error: few programs show what a driver says of an image.
fn refuse(refusal: &Refusal, jit: &mut Jit) -> CUresult {
    jit.error.append(&refusal.to_string());
    report::image(refusal);
    result(refusal)
}

/// Loads texts as one module.
///
/// # Errors
/// What is wrong with them; the messages are in the log, or on standard error if there is none.
pub fn load(device: &Device, parts: &[Part], jit: &mut Jit) -> Answer<ptxvm_vm::Module> {
    let began = Instant::now();
    let loaded = try_load(device, parts);
    jit.took(began.elapsed());
    match loaded {
        Ok(module) => {
            // What a linker was told before stands in its image.
            let linked = parts.iter().map(|part| part.max_registers).filter(|most| *most != 0).min();
            jit.max_registers = jit.max_registers.or(linked);
            jit.info.append(&ptxvm_image::warnings(&module));
            Ok(module)
        }
        Err(error) => {
            let source = source_of(&error, parts);
            jit.error.append(&ptxvm_image::errors(&error, source));
            Err(report::not_loaded(&error, source, jit.error.is_wanted()))
        }
    }
}

/// Loads texts as one module.
///
/// # Errors
/// What is wrong with them.
pub fn try_load(device: &Device, parts: &[Part]) -> Result<ptxvm_vm::Module, LoadError> {
    match parts {
        [part] => device.load_with(&part.ptx, &options(parts)),
        parts => {
            let texts: Vec<(&str, &str)> = parts.iter().map(|part| (&*part.name, &*part.ptx)).collect();
            device.load_linked_with(&texts, &options(parts))
        }
    }
}

/// A module's kernel.
///
/// # Errors
/// There is none of this name; or the module is a large one, whose functions are read when they are asked for, and this
/// one is wrong. Then the message is on standard error: who asks for a kernel has no log.
pub fn kernel(module: &ptxvm_vm::Module, name: &str) -> Answer<ptxvm_vm::Kernel> {
    module.kernel(name).map_err(|error| match error {
        KernelError::Unknown { .. } => CUresult::NOT_FOUND,
        KernelError::Load(error) => report::not_loaded(&error, module.source(), false),
        KernelError::Bug(message) => report::not_loaded(&LoadError::Bug(message), "", false),
    })
}

/// What the driver answers to an image that is refused.
fn result(refusal: &Refusal) -> CUresult {
    match refusal {
        Refusal::Unknown | Refusal::Damaged(_) | Refusal::Container(_) => CUresult::INVALID_IMAGE,
        Refusal::Fatbin(_) | Refusal::MachineCode(_) | Refusal::OtherDevice(..) | Refusal::NoDeviceCode => {
            CUresult::NO_BINARY_FOR_GPU
        }
        Refusal::Intermediate => CUresult::NOT_SUPPORTED,
        Refusal::Room(_) => CUresult::OUT_OF_MEMORY,
    }
}
