//! Object files and archives of the host, which carry fatbins in sections of their own: inputs of the linker.

use ::object::read::archive::ArchiveFile;
use ::object::{File, Object, ObjectSection};
use ptxvm_isa::Target;

use super::{Part, Refusal, Room, fatbin};

/// The sections with fatbins, of whole programs and of those to be linked.
const SECTIONS: [&str; 2] = [".nv_fatbin", "__nv_relfatbin"];
/// `EM_CUDA`, and where an ELF header has it.
const CUDA: u16 = 190;
const MACHINE: std::ops::Range<usize> = 18..20;
/// The only member of the device runtime (`libcudadevrt.a`). What it defines, the machine has itself.
const DEVICE_RUNTIME: &[u8] = b"cuda_device_runtime.o";

/// The texts of an object file: one for each program in it.
///
/// # Errors
/// It is damaged, or has no PTX for this device.
pub fn read(name: &str, elf: &[u8], device: Target, room: &Room) -> Result<Vec<Part>, Refusal> {
    if elf.get(MACHINE).is_some_and(|machine| machine == CUDA.to_le_bytes()) {
        return Err(Refusal::MachineCode(Vec::new()));
    }
    let damaged = |_| Refusal::Damaged("the object file is damaged");
    let file = File::parse(elf).map_err(damaged)?;
    let mut parts = Vec::new();
    for section in file.sections().filter(|s| s.name().is_ok_and(|name| SECTIONS.contains(&name))) {
        parts.extend(fatbin::read(name, section.data().map_err(damaged)?, device, room)?);
    }
    if parts.is_empty() { Err(Refusal::NoDeviceCode) } else { Ok(parts) }
}

/// The texts of an archive's members. A linker takes of an archive what it needs, so members with nothing for this
/// device are left out: if they were needed, names stay unresolved.
///
/// # Errors
/// It is damaged.
pub fn read_archive(name: &str, archive: &[u8], device: Target, room: &Room) -> Result<Vec<Part>, Refusal> {
    let damaged = |_| Refusal::Damaged("the archive is damaged");
    let mut parts = Vec::new();
    for member in ArchiveFile::parse(archive).map_err(damaged)?.members() {
        let member = member.map_err(damaged)?;
        if member.name() == DEVICE_RUNTIME {
            continue;
        }
        let name = format!("{name}({})", String::from_utf8_lossy(member.name()));
        match read(&name, member.data(archive).map_err(damaged)?, device, room) {
            Ok(found) => parts.extend(found),
            Err(Refusal::NoDeviceCode | Refusal::MachineCode(_) | Refusal::OtherDevice(..)) => {}
            Err(refusal) => return Err(refusal),
        }
    }
    Ok(parts)
}
