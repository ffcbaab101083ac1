//! ptxvm's own image, used instead of a cubin: PTX in a small container, which `ptxvm ptxas` writes and libcuda loads.
//!
//! A driver gets only the address of an image, so its header has the length. Several parts are modules to be linked
//! together. All numbers are little-endian:
//!
//! | bytes | |
//! |---|---|
//! | 8 | the magic |
//! | 4 | the version of the format |
//! | 4 | the number of parts |
//! | 8 | the length of it all |
//!
//! and for each part the most registers that a thread may take (4, 0 for no limit), the lengths of its name (4), of its
//! target (4) and of its text (8), followed by the three.
//!
//! What is written today is an ELF file for a GPU with these bytes as its first section, so that tools which carry cubins
//! about take it for one. Without the file around them they are read as well: earlier versions wrote them so.

mod elf;

pub use elf::HEADER as ELF_HEADER;
use ptxvm_isa::Target;

/// What an image begins with inside its ELF file; no PTX, ELF file or fatbin does.
pub const MAGIC: [u8; 8] = *b"\x7fptxvm\r\n";

/// The size of the header.
pub const HEADER: usize = 24;

/// The version of the format that this code writes, and the only one that it reads.
const FORMAT: u32 = 1;

/// The size of the numbers in front of a part.
const LENGTHS: usize = 20;

/// The target of a part that is run on whatever device there is: a fatbin had nothing else for it.
pub const ANY: &str = "any";

/// One module of an image.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Part {
    /// Its name for messages, such as the file it was read from.
    pub name: String,
    /// What it was assembled for (`sm_90a`), which need not be the `.target` it names, or [`ANY`].
    pub target: String,
    /// The most registers of a thread that its assembler was to use; 0 for no limit.
    pub max_registers: u32,
    /// The module itself.
    pub ptx: String,
}

/// Why bytes are no image.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ImageError {
    /// They do not begin as an image does.
    Magic,
    /// Another version of ptxvm has written it.
    Format(u32),
    /// It ends early, or its lengths contradict each other.
    Truncated,
    /// A part is no text.
    Text,
}

impl std::fmt::Display for ImageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Magic => f.write_str("this is not an image of ptxvm"),
            Self::Format(found) => {
                write!(f, "the image has format {found}, and this ptxvm reads {FORMAT}; assemble it again")
            }
            Self::Truncated => f.write_str("the image is damaged: its lengths contradict each other"),
            Self::Text => f.write_str("the image is damaged: a part of it is not text"),
        }
    }
}

impl std::error::Error for ImageError {}

/// The image of these modules.
///
/// ```
/// use ptxvm_vm::image::{Part, decode, encode};
/// let (name, target, ptx) = ("a.ptx".into(), "sm_90a".into(), ".version 9.1".into());
/// let part = Part { name, target, max_registers: 0, ptx };
/// let image = encode(&[part.clone()]);
/// assert_eq!(decode(&image), Ok(vec![part]));
/// ```
#[must_use]
pub fn encode(parts: &[Part]) -> Vec<u8> {
    let architecture =
        parts.iter().find_map(|part| Target::parse(&part.target)).map_or(0, |target| target.sm);
    elf::wrap(&bare(parts), architecture)
}

/// The bytes themselves, without the ELF file.
fn bare(parts: &[Part]) -> Vec<u8> {
    let texts = |part: &Part| part.name.len() + part.target.len() + part.ptx.len();
    let length: usize = HEADER + parts.iter().map(|part| LENGTHS + texts(part)).sum::<usize>();
    let mut image = Vec::with_capacity(length);
    image.extend(MAGIC);
    image.extend(FORMAT.to_le_bytes());
    image.extend((parts.len() as u32).to_le_bytes());
    image.extend((length as u64).to_le_bytes());
    for part in parts {
        image.extend(part.max_registers.to_le_bytes());
        image.extend((part.name.len() as u32).to_le_bytes());
        image.extend((part.target.len() as u32).to_le_bytes());
        image.extend((part.ptx.len() as u64).to_le_bytes());
        image.extend(part.name.as_bytes());
        image.extend(part.target.as_bytes());
        image.extend(part.ptx.as_bytes());
    }
    image
}

/// Whether bytes are an image, in an ELF file or not; they may still be damaged.
#[must_use]
pub fn is_image(bytes: &[u8]) -> bool {
    unwrapped(bytes).starts_with(&MAGIC)
}

/// Whether an ELF file with this header may be an image, which then begins right after it.
#[must_use]
pub fn may_be_image(header: &[u8; ELF_HEADER]) -> bool {
    elf::may_hold(header)
}

/// The bytes from where an image would begin.
fn unwrapped(bytes: &[u8]) -> &[u8] {
    match bytes.split_first_chunk() {
        Some((header, rest)) if elf::may_hold(header) => rest,
        _ => bytes,
    }
}

/// The length of an image with this header, its ELF file not counted, for who has only its address.
///
/// # Errors
/// It is the header of something else.
pub fn length(header: &[u8; HEADER]) -> Result<u64, ImageError> {
    let mut reader = Reader { rest: header };
    Ok(reader.header()?.1)
}

/// The modules of an image; what follows its length is not looked at.
///
/// # Errors
/// The bytes are no image, or a damaged one.
pub fn decode(image: &[u8]) -> Result<Vec<Part>, ImageError> {
    let image = unwrapped(image);
    let (parts, length) = Reader { rest: image }.header()?;
    let length = usize::try_from(length).map_err(|_| ImageError::Truncated)?;
    let mut reader = Reader { rest: image.get(HEADER..length).ok_or(ImageError::Truncated)? };
    // The number of parts is not believed: every part takes bytes, and there are only so many.
    let mut all = Vec::new();
    for _ in 0..parts {
        let max_registers = reader.u32()?;
        let (name, target, ptx) = (reader.u32()?, reader.u32()?, reader.u64()?);
        all.push(Part {
            max_registers,
            name: reader.text(u64::from(name))?,
            target: reader.text(u64::from(target))?,
            ptx: reader.text(ptx)?,
        });
    }
    if reader.rest.is_empty() { Ok(all) } else { Err(ImageError::Truncated) }
}

/// Reads from the front of bytes that may end at any time.
struct Reader<'a> {
    rest: &'a [u8],
}

impl Reader<'_> {
    /// The number of parts and the length of it all.
    fn header(&mut self) -> Result<(u32, u64), ImageError> {
        if self.array() != Ok(MAGIC) {
            return Err(ImageError::Magic);
        }
        let format = self.u32()?;
        if format != FORMAT {
            return Err(ImageError::Format(format));
        }
        Ok((self.u32()?, self.u64()?))
    }

    fn array<const N: usize>(&mut self) -> Result<[u8; N], ImageError> {
        let (bytes, rest) = self.rest.split_first_chunk().ok_or(ImageError::Truncated)?;
        self.rest = rest;
        Ok(*bytes)
    }

    fn u32(&mut self) -> Result<u32, ImageError> {
        self.array().map(u32::from_le_bytes)
    }

    fn u64(&mut self) -> Result<u64, ImageError> {
        self.array().map(u64::from_le_bytes)
    }

    fn text(&mut self, length: u64) -> Result<String, ImageError> {
        let length = usize::try_from(length).map_err(|_| ImageError::Truncated)?;
        let (text, rest) = self.rest.split_at_checked(length).ok_or(ImageError::Truncated)?;
        self.rest = rest;
        Ok(std::str::from_utf8(text).map_err(|_| ImageError::Text)?.to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn part(name: &str, ptx: &str) -> Part {
        Part { name: name.into(), target: "sm_90a".into(), max_registers: 38, ptx: ptx.into() }
    }

    #[test]
    fn what_is_written_is_read() {
        for parts in [vec![], vec![part("", "")], vec![part("a", "x"), part("b", "zwei\n"), Part::default()]]
        {
            let mut image = bare(&parts);
            let header = image.first_chunk().expect("an image has a header");
            assert_eq!(length(header), Ok(image.len() as u64));
            assert_eq!(decode(&image), Ok(parts.clone()));
            image.extend(b"whatever comes after");
            assert_eq!(decode(&image), Ok(parts.clone()));
            let mut file = encode(&parts);
            assert!(is_image(&file) && is_image(&image));
            assert_eq!(decode(&file), Ok(parts.clone()));
            file.truncate(ELF_HEADER + bare(&parts).len());
            assert_eq!(decode(&file), Ok(parts));
        }
    }

    /// What `fatbinary` looks at: the architecture in the flags, and that the section headers end the file.
    #[test]
    fn the_elf_file_tells_its_architecture_and_its_size() {
        let file = encode(&[part("a.ptx", ".version 9.1")]);
        assert_eq!(file[48..52], 0x0600_5a04u32.to_le_bytes());
        let sections = u64::from_le_bytes(*file[40..].first_chunk().expect("a header")) as usize;
        assert_eq!(sections + 64 * 3, file.len());
        assert_eq!(file[ELF_HEADER..][..MAGIC.len()], MAGIC);
    }

    #[test]
    fn damaged_images_are_refused() {
        let image = bare(&[part("a.ptx", ".version 9.1"), part("b.ptx", "ä")]);
        for end in 0..image.len() {
            let expected = if end < MAGIC.len() { ImageError::Magic } else { ImageError::Truncated };
            assert_eq!(decode(&image[..end]), Err(expected), "cut at {end}");
        }
        let damage = |at: usize, byte: u8| {
            let mut image = image.clone();
            image[at] = byte;
            decode(&image)
        };
        assert_eq!(damage(0, 0), Err(ImageError::Magic));
        assert_eq!(damage(8, 2), Err(ImageError::Format(2)));
        assert_eq!(damage(12, 1), Err(ImageError::Truncated), "a part too many");
        assert_eq!(damage(15, 0xff), Err(ImageError::Truncated), "four thousand million parts");
        assert_eq!(damage(23, 0xff), Err(ImageError::Truncated), "a length that no memory has");
        assert_eq!(damage(HEADER + 4, 0xff), Err(ImageError::Truncated), "a name over the end");
        assert_eq!(damage(HEADER + 19, 0xff), Err(ImageError::Truncated), "a text over the end");
        assert_eq!(damage(HEADER + LENGTHS, 0xff), Err(ImageError::Text));
    }

    #[test]
    fn no_bytes_at_all_make_it_panic() {
        let image = encode(&[part("a.ptx", ".version 9.1\n.target sm_90a\n"), part("b.ptx", "x")]);
        // A small generator of our own: the same bytes at every run.
        let mut state = 0x9e37_79b9_7f4a_7c15u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        let mut read = 0;
        for _ in 0..200_000 {
            let mut damaged = image.clone();
            for _ in 0..next() % 4 {
                let at = (next() % damaged.len() as u64) as usize;
                damaged[at] = next() as u8;
            }
            damaged.truncate((next() % (2 * image.len() as u64)) as usize);
            // Damage to a text alone cannot be seen; whatever is read takes no more than was given.
            if let Ok(parts) = decode(&damaged) {
                read += 1;
                assert!(bare(&parts).len() <= damaged.len());
            }
        }
        assert!(read > 0);
    }
}
