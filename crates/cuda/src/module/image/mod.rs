//! Images: what programs hand over to be loaded or linked, and the PTX in them.
//!
//! A driver takes texts, fatbins, object files and machine code through the same door and finds out itself which it
//! is. So do we; but only PTX can be run here, so all that matters of an image are its texts.

mod compression;
mod extent;
mod fatbin;
mod object;
mod refusal;
mod room;

pub use extent::bytes;
pub use ptxvm_vm::image::Part;
pub use refusal::Refusal;
pub use room::Room;

use ptxvm_isa::Target;
use ptxvm_vm::image as container;

/// What fatbins begin with.
const FATBIN: [u8; 4] = 0xba55_ed50u32.to_le_bytes();
/// What ELF files begin with.
const ELF: [u8; 4] = *b"\x7fELF";
/// What archives begin with.
const ARCHIVE: [u8; 8] = *b"!<arch>\n";
/// What code for NVIDIA's link-time optimiser begins with, and LLVM's bitcode with its wrapper.
const INTERMEDIATE: [[u8; 4]; 3] = [*b"\xedCN\x7f", *b"BC\xc0\xde", 0x0b17_c0deu32.to_le_bytes()];
/// A mark that some editors put in front of a text.
const BYTE_ORDER_MARK: &[u8] = b"\xef\xbb\xbf";

/// The texts of an image that are to be linked into one program for this device; most images have one.
///
/// # Errors
/// Why nothing in it can be run.
pub fn read(name: &str, image: &[u8], device: Target, room: &Room) -> Result<Vec<Part>, Refusal> {
    if image.starts_with(&container::MAGIC) {
        // Its texts are no longer than itself.
        room.take(image.len() as u64)?;
        return container::decode(image).map_err(Refusal::Container);
    }
    if image.starts_with(&FATBIN) {
        return fatbin::read(name, image, device, room);
    }
    if image.starts_with(&ELF) {
        return object::read(name, image, device, room);
    }
    if image.starts_with(&ARCHIVE) {
        return object::read_archive(name, image, device, room);
    }
    if INTERMEDIATE.iter().any(|magic| image.starts_with(magic)) {
        return Err(Refusal::Intermediate);
    }
    Ok(vec![text(name, image, room)?])
}

/// A part with the text in these bytes.
///
/// # Errors
/// They are no text, or there is no room for it.
fn text(name: &str, bytes: &[u8], room: &Room) -> Result<Part, Refusal> {
    let bytes = bytes.strip_prefix(BYTE_ORDER_MARK).unwrap_or(bytes);
    // A length that comes with a text may or may not count the zero at its end.
    let text = bytes.split(|byte| *byte == 0).next().unwrap_or_default();
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
