//! Reads images, which are what programs load or link, finds the PTX in them, and links it.
//!
//! A driver takes texts, fatbins, object files and machine code by one function, and recognises them itself. So do we, but
//! we can run only PTX, so only the texts in an image matter. A linker may also need the code for link-time optimisation,
//! which NVIDIA's linker turns into PTX.
#![forbid(unsafe_code)]

mod compression;
mod fatbin;
mod linker;
mod messages;
mod object;
mod refusal;
mod room;

pub use fatbin::{HEADER as FATBIN_HEADER, length as fatbin_length};
pub use linker::Linker;
pub use messages::{errors, warnings};
pub use ptxvm_vm::image::Part;
pub use refusal::Refusal;
pub use room::Room;

use ptxvm_isa::Target;
use ptxvm_vm::{LoadOptions, image as container};

/// A text of so many bytes is large: parsing, checking and lowering all of it takes longer than a tenth of a second, and a
/// program that has so much code uses little of it. Smaller ones are told to be wrong when they are loaded.
const LARGE: usize = 1 << 20;

/// How PTX is taken: compilers write their newest `.version` whatever the code needs.
pub fn options(parts: &[Part]) -> LoadOptions {
    let any_target = parts.iter().any(|part| part.target == container::ANY);
    LoadOptions { newer: true, any_target, bodies_later: Some(LARGE) }
}

/// What fatbins begin with.
pub const FATBIN: [u8; 4] = 0xba55_ed50u32.to_le_bytes();
/// What ELF files begin with.
pub const ELF: [u8; 4] = *b"\x7fELF";
/// What archives begin with.
const ARCHIVE: [u8; 8] = *b"!<arch>\n";
/// What code for NVIDIA's link-time optimiser begins with, and LLVM's bitcode with its wrapper.
const INTERMEDIATE: [[u8; 4]; 3] = [*b"\xedCN\x7f", *b"BC\xc0\xde", 0x0b17_c0deu32.to_le_bytes()];
/// A mark that some editors put in front of a text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// What bytes are, by how they begin.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// An image of ours, which stands where machine code would.
    Container,
    /// PTX, right or wrong.
    Ptx,
    /// Several forms of one program.
    Fatbin,
    /// Machine code of a GPU.
    MachineCode,
    /// An object file of the host.
    Object,
    /// An archive of object files.
    Archive,
    /// Code for link-time optimisation.
    Intermediate,
    /// Something else.
    Unknown,
}

impl Kind {
    /// The kind of these bytes.
    #[must_use]
    pub fn of(image: &[u8]) -> Self {
        match image {
            _ if container::is_image(image) => Self::Container,
            _ if image.starts_with(&FATBIN) => Self::Fatbin,
            _ if image.starts_with(&ELF) && object::is_machine_code(image) => Self::MachineCode,
            _ if image.starts_with(&ELF) => Self::Object,
            _ if image.starts_with(&ARCHIVE) => Self::Archive,
            _ if INTERMEDIATE.iter().any(|magic| image.starts_with(magic)) => Self::Intermediate,
            _ if after_comments(words(image)).starts_with(b".version") => Self::Ptx,
            _ => Self::Unknown,
        }
    }
}

/// What is wanted of an image.
pub struct Wanted<'a> {
    /// The device, or what is linked for.
    pub target: Target,
    /// Whether code for link-time optimisation is taken where there is some, in the place of PTX.
    pub intermediate: bool,
    /// Whether a fatbin's PTX is taken though the device is an older one, if there is nothing else in it.
    pub any_target: bool,
    /// What its texts may take.
    pub room: &'a Room,
}

/// What of an image is to be linked into one program.
#[derive(Debug, Default)]
pub struct Contents {
    /// Texts; most images have one.
    pub texts: Vec<Part>,
    /// Code for link-time optimisation, if it is wanted.
    pub intermediate: Vec<Intermediate>,
}

/// Code for link-time optimisation.
#[derive(Debug)]
pub struct Intermediate {
    /// Its name for messages.
    pub name: String,
    /// Whether it is the code itself ([`Kind::Intermediate`]) or a fatbin that has it ([`Kind::Fatbin`]).
    pub kind: Kind,
    /// The bytes.
    pub code: Vec<u8>,
}

impl Contents {
    fn text(part: Part) -> Self {
        Self { texts: vec![part], intermediate: Vec::new() }
    }

    fn intermediate(name: &str, kind: Kind, code: &[u8], room: &Room) -> Result<Self, Refusal> {
        room.take(code.len() as u64)?;
        let code = Intermediate { name: name.to_owned(), kind, code: code.to_owned() };
        Ok(Self { texts: Vec::new(), intermediate: vec![code] })
    }

    fn append(&mut self, mut other: Self) {
        self.texts.append(&mut other.texts);
        self.intermediate.append(&mut other.intermediate);
    }
}

/// What an image holds for a device.
///
/// # Errors
/// Why nothing in it can be run.
pub fn read(name: &str, image: &[u8], wanted: &Wanted<'_>) -> Result<Contents, Refusal> {
    match Kind::of(image) {
        Kind::Container => {
            // Its texts are no longer than itself.
            wanted.room.take(image.len() as u64)?;
            let texts = container::decode(image).map_err(Refusal::Container)?;
            Ok(Contents { texts, intermediate: Vec::new() })
        }
        Kind::Fatbin => fatbin::read(name, image, wanted),
        Kind::MachineCode => Err(Refusal::MachineCode(Vec::new())),
        Kind::Object => object::read(name, image, wanted),
        Kind::Archive => object::read_archive(name, image, wanted),
        Kind::Intermediate if wanted.intermediate => {
            Contents::intermediate(name, Kind::Intermediate, image, wanted.room)
        }
        Kind::Intermediate => Err(Refusal::Intermediate),
        Kind::Ptx | Kind::Unknown => text(name, image, wanted.room).map(Contents::text),
    }
}

/// A part with the text in these bytes.
///
/// # Errors
/// They are no text, or there is no room for it.
fn text(name: &str, bytes: &[u8], room: &Room) -> Result<Part, Refusal> {
    let text = words(bytes);
    if text.trim_ascii().is_empty() {
        return Err(Refusal::Damaged("it is empty"));
    }
    // This is how the driver knows PTX, too: what begins otherwise is no wrong PTX but none.
    if !after_comments(text).starts_with(b".version") {
        return Err(Refusal::Unknown);
    }
    room.take(text.len() as u64)?;
    // Comments may be in any encoding.
    let ptx = String::from_utf8_lossy(text).into_owned();
    Ok(Part { name: name.to_owned(), ptx, ..Part::default() })
}

/// The bytes of a text itself.
fn words(bytes: &[u8]) -> &[u8] {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    // A length that comes with a text may or may not count the zero at its end.
    bytes.split(|byte| *byte == 0).next().unwrap_or_default()
}

/// The text from its first word on.
fn after_comments(mut text: &[u8]) -> &[u8] {
    loop {
        text = text.trim_ascii_start();
        let comment = if text.starts_with(b"//") {
            text.iter().position(|byte| *byte == b'\n')
        } else if text.starts_with(b"/*") {
            text.windows(2).skip(2).position(|pair| pair == b"*/").map(|at| at + 4)
        } else {
            return text;
        };
        text = comment.map_or(&[], |end| &text[end..]);
    }
}

/// The text that an error's places are in.
#[must_use]
pub fn source_of<'a>(error: &ptxvm_vm::LoadError, parts: &'a [Part]) -> &'a str {
    let part = match error {
        ptxvm_vm::LoadError::Part { name, .. } => parts.iter().find(|part| part.name == *name),
        _ => parts.first(),
    };
    part.map_or("", |part| &part.ptx)
}
