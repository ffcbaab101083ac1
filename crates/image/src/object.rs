//! Finds the fatbins in object files and archives of the host, which are inputs of the linker.

use ::object::read::archive::ArchiveFile;
use ::object::{File, Object, ObjectSection};

use super::{Contents, Refusal, Wanted, fatbin};

/// The sections with fatbins, of whole programs and of those to be linked.
const SECTIONS: [&str; 2] = [".nv_fatbin", "__nv_relfatbin"];
/// `EM_CUDA`, and where an ELF header has it.
const CUDA: u16 = 190;
const MACHINE: std::ops::Range<usize> = 18..20;
/// The only member of the device runtime (`libcudadevrt.a`). What it defines, the machine has itself.
const DEVICE_RUNTIME: &[u8] = b"cuda_device_runtime.o";

/// Whether an ELF file is machine code of a GPU.
pub fn is_machine_code(elf: &[u8]) -> bool {
    elf.get(MACHINE).is_some_and(|machine| machine == CUDA.to_le_bytes())
}

/// What is wanted of an object file, for each program in it.
///
/// # Errors
/// It is damaged, or has nothing for this device.
pub fn read(name: &str, elf: &[u8], wanted: &Wanted<'_>) -> Result<Contents, Refusal> {
    if is_machine_code(elf) {
        return Err(Refusal::MachineCode(Vec::new()));
    }
    let damaged = |_| Refusal::Damaged("the object file is damaged");
    let file = File::parse(elf).map_err(damaged)?;
    let mut all = Contents::default();
    let mut any = false;
    for section in file.sections().filter(|s| s.name().is_ok_and(|name| SECTIONS.contains(&name))) {
        let found = fatbin::read(name, section.data().map_err(damaged)?, wanted)?;
        any |= !found.texts.is_empty() || !found.intermediate.is_empty();
        all.append(found);
    }
    if any { Ok(all) } else { Err(Refusal::NoDeviceCode) }
}

/// What is wanted of an archive's members. A linker takes of an archive what it needs, so members with nothing for this
/// device are left out: if they were needed, names stay unresolved.
///
/// # Errors
/// It is damaged.
pub fn read_archive(name: &str, archive: &[u8], wanted: &Wanted<'_>) -> Result<Contents, Refusal> {
    let damaged = |_| Refusal::Damaged("the archive is damaged");
    let mut all = Contents::default();
    for member in ArchiveFile::parse(archive).map_err(damaged)?.members() {
        let member = member.map_err(damaged)?;
        if member.name() == DEVICE_RUNTIME {
            continue;
        }
        let name = format!("{name}({})", String::from_utf8_lossy(member.name()));
        match read(&name, member.data(archive).map_err(damaged)?, wanted) {
            Ok(found) => all.append(found),
            Err(Refusal::NoDeviceCode | Refusal::MachineCode(_) | Refusal::OtherDevice(..)) => {}
            Err(refusal) => return Err(refusal),
        }
    }
    Ok(all)
}
