//! Finds the PTX in machine code that was made with line information.
//!
//! ptxas keeps its input in sections of their own, so that a debugger can show it: the lines as they were, without the
//! blanks and comments around them, each ended by a zero byte (seen in the output of nvJitLink 13.1 to 13.4).

use object::read::elf::ElfFile64;
use object::{Object, ObjectSection};

/// What the sections' names begin with; a number follows if there are several.
const SECTION: &str = ".nv_debug_ptx_txt";

/// The texts in an image of machine code.
pub fn texts(cubin: &[u8]) -> Vec<String> {
    let Ok(file) = ElfFile64::<object::LittleEndian>::parse(cubin) else { return Vec::new() };
    let named = file.sections().filter(|s| s.name().is_ok_and(|name| name.starts_with(SECTION)));
    named.filter_map(|section| section.data().ok().map(text)).collect()
}

fn text(section: &[u8]) -> String {
    String::from_utf8_lossy(section).replace('\0', "\n")
}
