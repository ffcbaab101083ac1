//! The ELF file around an image: what tools that carry cubins about look at, and no more.
//!
//! NVIDIA's `fatbinary` takes machine code only as an ELF file for a GPU. It asks that the header names the architecture
//! which its command line names, and measures the file by its section headers, so that these stand at the end. The image
//! itself is the first section and begins right after the header, where a driver finds it that has only an address.

/// The size of an ELF header.
pub const HEADER: usize = 64;

/// What every header of ours begins with: ELF, 64 bits, little-endian, version 1, NVIDIA's ABI 8, which ptxas writes.
const IDENTITY: [u8; 16] = [0x7f, b'E', b'L', b'F', 2, 1, 1, 0x41, 8, 0, 0, 0, 0, 0, 0, 0];
/// `EM_CUDA`.
const MACHINE: u16 = 190;
/// `ET_EXEC`: a whole program.
const EXECUTABLE: u16 = 2;
/// The flags of 64-bit code as ptxas writes them; the architecture's number goes into the second byte.
const FLAGS: u32 = 0x0600_0004;
/// The size of a section's header, and how many there are: the empty one, the image's and that of the names.
const SECTION: usize = 64;
const SECTIONS: u16 = 3;
/// The names of the sections, and where each begins.
const NAMES: &[u8] = b"\0.ptxvm\0.shstrtab\0";
const IMAGE_NAME: u32 = 1;
const NAMES_NAME: u32 = 8;
/// `SHT_PROGBITS` and `SHT_STRTAB`.
const CONTENTS: u32 = 1;
const STRINGS: u32 = 3;

/// The file around an image for the architecture of this number.
pub fn wrap(image: &[u8], architecture: u16) -> Vec<u8> {
    let names = HEADER + image.len();
    let sections = (names + NAMES.len()).next_multiple_of(8);
    let mut file = Vec::with_capacity(sections + SECTION * usize::from(SECTIONS));
    file.extend(IDENTITY);
    file.extend(EXECUTABLE.to_le_bytes());
    file.extend(MACHINE.to_le_bytes());
    file.extend(1u32.to_le_bytes());
    // No entry, no program headers.
    file.extend([0; 16]);
    file.extend((sections as u64).to_le_bytes());
    file.extend((FLAGS | u32::from(architecture) << 8).to_le_bytes());
    for half in [HEADER as u16, 0, 0, SECTION as u16, SECTIONS, SECTIONS - 1] {
        file.extend(half.to_le_bytes());
    }
    file.extend(image);
    file.extend(NAMES);
    file.resize(sections + SECTION, 0);
    section(&mut file, [IMAGE_NAME, CONTENTS], HEADER, image.len(), 8);
    section(&mut file, [NAMES_NAME, STRINGS], names, NAMES.len(), 1);
    file
}

/// Adds a section's header.
fn section(file: &mut Vec<u8>, name_and_kind: [u32; 2], start: usize, length: usize, alignment: u64) {
    name_and_kind.iter().for_each(|number| file.extend(number.to_le_bytes()));
    for number in [0, 0, start as u64, length as u64, 0, alignment, 0] {
        file.extend(number.to_le_bytes());
    }
}

/// Whether a file with this header may have an image right after it: other tools' files for GPUs have more sections.
pub fn may_hold(header: &[u8; HEADER]) -> bool {
    let half = |at: usize| u16::from_le_bytes([header[at], header[at + 1]]);
    header.starts_with(&IDENTITY) && half(18) == MACHINE && half(60) == SECTIONS
}
