//! What LLVM makes while it works stays until the process is gone.
//!
//! LLVM has some thousand static objects, and asks for each to be destroyed when the process ends. Those made when the
//! library is opened are destroyed after our own end ([`super::process`]), which waits for who compiles. But functions
//! of LLVM's make a few more when they are first called, and what is asked for last is destroyed first: a process that
//! ended during its first compilation lost them under the compiler's feet (of forty that ended within their first 0.4
//! seconds, fifteen fell). So LLVM's requests are answered from here on, with nothing: the slot through which the
//! library calls `__cxa_atexit` gets a function that does not remember.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_int, c_void};

/// Finds the slot in the library that has a function at this address, and fills it. False if there is none: then the
/// end of the process is as it is with every program that uses LLVM on a thread.
pub fn keep(function: *const c_void) -> bool {
    let mut search = Search { function: function.addr(), found: false };
    // SAFETY: `visit` gets descriptions of loaded libraries and the address of `search`, which lives as long as the call.
    unsafe { libc::dl_iterate_phdr(Some(visit), (&raw mut search).cast()) };
    search.found
}

struct Search {
    function: usize,
    found: bool,
}

/// The request of a static object to be destroyed at the end (`__cxa_atexit` of the C++ ABI), which succeeds.
extern "C" fn forget(_destroy: *mut c_void, _object: *mut c_void, _library: *mut c_void) -> c_int {
    0
}

/// An entry of a library's dynamic section (`Elf64_Dyn`).
#[repr(C)]
struct Dynamic {
    tag: i64,
    value: u64,
}

/// A relocation (`Elf64_Rela`).
#[repr(C)]
struct Relocation {
    offset: u64,
    info: u64,
    addend: i64,
}

/// A symbol (`Elf64_Sym`), as far as it is read.
#[repr(C)]
struct Symbol {
    name: u32,
    _rest: [u32; 5],
}

const DT_PLTRELSZ: i64 = 2;
const DT_STRTAB: i64 = 5;
const DT_SYMTAB: i64 = 6;
const DT_RELA: i64 = 7;
const DT_RELASZ: i64 = 8;
const DT_JMPREL: i64 = 23;

/// The kinds of relocation that hold the address of a function: `GLOB_DAT` and `JUMP_SLOT`.
const KINDS: [u64; 2] = if cfg!(target_arch = "aarch64") { [1025, 1026] } else { [6, 7] };

/// Is called for each loaded library until it answers 1.
unsafe extern "C" fn visit(info: *mut libc::dl_phdr_info, _size: usize, search: *mut c_void) -> c_int {
    // SAFETY: `dl_iterate_phdr` describes a library that stays loaded during this call, with as many headers as it says;
    // `keep` gave the address of its search.
    let (info, search) = unsafe { (&*info, &mut *search.cast::<Search>()) };
    // SAFETY: as above.
    let headers = unsafe { std::slice::from_raw_parts(info.dlpi_phdr, info.dlpi_phnum.into()) };
    let base = info.dlpi_addr;
    let holds = |header: &libc::Elf64_Phdr| {
        let start = base + header.p_vaddr;
        header.p_type == libc::PT_LOAD && (start..start + header.p_memsz).contains(&(search.function as u64))
    };
    if !headers.iter().any(holds) {
        return 0;
    }
    let dynamic = headers.iter().find(|header| header.p_type == libc::PT_DYNAMIC);
    let sealed = headers.iter().find(|header| header.p_type == libc::PT_GNU_RELRO);
    let sealed = sealed.map_or(0..0, |header| header.p_vaddr..header.p_vaddr + header.p_memsz);
    if let Some(dynamic) = dynamic {
        // SAFETY: the library's own dynamic section, which the loader has read before.
        search.found = unsafe { fill(base, (base + dynamic.p_vaddr) as usize, &sealed) };
    }
    1
}

/// Fills the slots of a library.
///
/// # Safety
///
/// The addresses are those of a loaded library and its dynamic section.
unsafe fn fill(base: u64, dynamic: usize, sealed: &std::ops::Range<u64>) -> bool {
    let mut entry: *const Dynamic = std::ptr::with_exposed_provenance(dynamic);
    let mut tables = [0_u64; 24];
    // SAFETY: the section ends with an entry of tag 0.
    while let Dynamic { tag: 1.., value } = unsafe { &*entry } {
        // SAFETY: as above.
        let tag = unsafe { (*entry).tag };
        if let Some(place) = usize::try_from(tag).ok().and_then(|tag| tables.get_mut(tag)) {
            *place = *value;
        }
        // SAFETY: as above.
        entry = unsafe { entry.add(1) };
    }
    let table = |tag: i64| tables[tag as usize];
    // Some loaders have put the library's base before the addresses, some leave that to the reader.
    let address = |tag: i64| if table(tag) < base { base + table(tag) } else { table(tag) } as usize;
    if table(DT_SYMTAB) == 0 || table(DT_STRTAB) == 0 {
        return false;
    }
    let symbols: *const Symbol = std::ptr::with_exposed_provenance(address(DT_SYMTAB));
    let strings: *const c_char = std::ptr::with_exposed_provenance(address(DT_STRTAB));
    let mut found = false;
    for (start, size) in [(DT_JMPREL, DT_PLTRELSZ), (DT_RELA, DT_RELASZ)] {
        let first: *const Relocation = std::ptr::with_exposed_provenance(address(start));
        let count = if table(start) == 0 { 0 } else { table(size) as usize / size_of::<Relocation>() };
        for number in 0..count {
            // SAFETY: the table has as many relocations as its size says.
            let relocation = unsafe { &*first.add(number) };
            if !KINDS.contains(&(relocation.info & 0xffff_ffff)) {
                continue;
            }
            // SAFETY: a relocation names a symbol of the library's table, and that a string of its strings.
            let name = unsafe {
                let symbol = &*symbols.add((relocation.info >> 32) as usize);
                CStr::from_ptr(strings.add(symbol.name as usize))
            };
            if name == c"__cxa_atexit" {
                let slot = std::ptr::with_exposed_provenance_mut((base + relocation.offset) as usize);
                // SAFETY: a slot for the address of a function, in the library's own memory.
                found |= unsafe { write(slot, sealed.contains(&relocation.offset)) };
            }
        }
    }
    found
}

/// Writes our function's address into a slot, which may lie where the loader has forbidden writing.
///
/// # Safety
///
/// It is a slot for the address of a function.
unsafe fn write(slot: *mut usize, sealed: bool) -> bool {
    // SAFETY: asking for the size of a page has no conditions.
    let page = usize::try_from(unsafe { libc::sysconf(libc::_SC_PAGESIZE) }).unwrap_or(4096);
    let start = slot.map_addr(|address| address & !(page - 1)).cast();
    // SAFETY: the page is the library's, and gets back what it had; a slot is as large as an address and aligned, and
    // others read it by one instruction.
    unsafe {
        if sealed && libc::mprotect(start, page, libc::PROT_READ | libc::PROT_WRITE) != 0 {
            return false;
        }
        slot.write_volatile(forget as *const c_void as usize);
        !sealed || libc::mprotect(start, page, libc::PROT_READ) == 0
    }
}
