//! Reads fatbins: one program in several forms for several devices, of which ptxvm can run the PTX, and machine code that is
//! in truth an image of ours.
//!
//! A fatbin is a header (magic, version, its own size as 16 bits, the size of all entries as 64) and then the entries. An
//! entry is a header and a payload, which may be compressed. We use these fields of an entry's header, and ignore the rest
//! (the names, and the options it was compiled with):
//!
//! | at | bits | |
//! |---|---|---|
//! | 0 | 16 | the kind: 1 is PTX, 2 machine code, 8 code for link-time optimisation |
//! | 4 | 32 | the size of the entry's header |
//! | 8 | 64 | the size of the payload with its padding |
//! | 16 | 32 | the size of the payload if it is compressed |
//! | 28 | 32 | the architecture: 90 is `sm_90` |
//! | 40 | 64 | flags |
//! | 56 | 64 | the size of the payload after decompression |

use std::borrow::Cow;

use ptxvm_isa::{Suffix, Target};
use ptxvm_vm::image::{ANY, decode, is_image};

use super::{Contents, FATBIN, Kind, Refusal, Room, Wanted, compression};

/// The size of the header.
pub const HEADER: usize = 16;
/// The fields of an entry that are always there.
const ENTRY: usize = 64;

const PTX: u16 = 1;
const MACHINE_CODE: u16 = 2;
const INTERMEDIATE: u16 = 8;

const LZ4: u64 = 1 << 13;
const ZSTD: u64 = 1 << 15;
/// `sm_90a`
const ARCHITECTURE: u64 = 1 << 20;
/// `sm_100f`
const FAMILY: u64 = 1 << 21;

/// The entries of a fatbin.
#[derive(Default)]
struct Entries<'a> {
    /// Its PTX.
    texts: Vec<Entry<'a>>,
    /// Its machine code.
    machine_code: Vec<Entry<'a>>,
    /// What it has code for link-time optimisation for.
    intermediate: Vec<Target>,
}

/// A PTX or machine code of a fatbin, not yet decompressed.
#[derive(Clone, Copy)]
struct Entry<'a> {
    /// What it is for.
    target: Target,
    flags: u64,
    /// The size after decompression.
    size: u64,
    payload: &'a [u8],
}

/// The size of a fatbin with this header.
#[must_use]
pub fn length(header: &[u8; HEADER]) -> u64 {
    let rest = u64_at(header, 8).unwrap_or(0);
    u64::from(u16_at(header, 6).unwrap_or(0)).saturating_add(rest)
}

/// What is wanted of the fatbins in these bytes, one entry of each: a section of an object file has one after the other.
///
/// # Errors
/// Sizes contradict each other, or one has nothing for this device.
pub fn read(name: &str, mut bytes: &[u8], wanted: &Wanted<'_>) -> Result<Contents, Refusal> {
    let mut all = Contents::default();
    // Between two there may be padding.
    while let Some(at) = bytes.iter().position(|byte| *byte != 0) {
        bytes = &bytes[at..];
        let header = bytes.first_chunk().filter(|header| header.starts_with(&FATBIN));
        let size = header.map(length).and_then(|size| usize::try_from(size).ok());
        let Some((fatbin, rest)) = size.and_then(|size| bytes.split_at_checked(size)) else {
            return Err(Refusal::Fatbin("a fatbin is cut off"));
        };
        let entries = u16_at(fatbin, 6).and_then(|start| fatbin.get(usize::from(start).max(HEADER)..));
        let entries = Entries::of(entries.unwrap_or_default())?;
        all.append(match entries.choose(wanted)? {
            Chosen::Text(entry) => {
                let mut part = super::text(name, &entry.bytes(wanted.room)?, wanted.room)?;
                if !wanted.target.meets(entry.target) {
                    part.target = ANY.to_owned();
                }
                Contents::text(part)
            }
            Chosen::Image(image) => {
                wanted.room.take(image.len() as u64)?;
                let texts = decode(&image).map_err(Refusal::Container)?;
                Contents { texts, intermediate: Vec::new() }
            }
            Chosen::Intermediate => Contents::intermediate(name, Kind::Fatbin, fatbin, wanted.room)?,
        });
        bytes = rest;
    }
    Ok(all)
}

/// What is taken of a fatbin.
enum Chosen<'a> {
    Text(Entry<'a>),
    /// An image of ours in the place of machine code.
    Image(Cow<'a, [u8]>),
    /// Code for link-time optimisation. The fatbin is handed on as it is: NVIDIA's tools do not only compress such code,
    /// they make it unreadable.
    Intermediate,
}

impl<'a> Entries<'a> {
    fn of(mut bytes: &'a [u8]) -> Result<Self, Refusal> {
        let mut all = Self::default();
        while !bytes.is_empty() {
            let (entry, rest) = entry(bytes).ok_or(Refusal::Fatbin("an entry of a fatbin is cut off"))?;
            match u16_at(bytes, 0) {
                Some(PTX) => all.texts.push(entry),
                Some(MACHINE_CODE) => all.machine_code.push(entry),
                Some(INTERMEDIATE) => all.intermediate.push(entry.target),
                // Kinds that later tools invent are nothing that can be run here.
                _ => {}
            }
            bytes = rest;
        }
        Ok(all)
    }

    /// Code for link-time optimisation if it is wanted and there is some; else, as the driver has it, machine code before
    /// PTX, if it is of ours.
    fn choose(&self, wanted: &Wanted<'_>) -> Result<Chosen<'a>, Refusal> {
        let device = wanted.target;
        if wanted.intermediate && self.intermediate.iter().any(|target| device.meets(*target)) {
            return Ok(Chosen::Intermediate);
        }
        let best = best(&self.texts, device);
        if let Some(image) = self.image(best.is_some(), device, wanted.room)? {
            return Ok(Chosen::Image(image));
        }
        if let Some(best) = best {
            return Ok(Chosen::Text(best));
        }
        if let Some(newest) = newest(self.texts.iter()).filter(|_| wanted.any_target) {
            return Ok(Chosen::Text(newest));
        }
        Err(if !self.texts.is_empty() {
            Refusal::OtherDevice(self.texts.iter().map(|entry| entry.target).collect(), device)
        } else if wanted.intermediate && !self.intermediate.is_empty() {
            Refusal::OtherDevice(self.intermediate.clone(), device)
        } else if !self.machine_code.is_empty() {
            Refusal::MachineCode(self.machine_code.iter().map(|entry| entry.target).collect())
        } else if !self.intermediate.is_empty() {
            Refusal::Intermediate
        } else {
            Refusal::NoDeviceCode
        })
    }
}

impl<'a> Entries<'a> {
    /// The image of ours that the device runs as machine code: for an architecture of its own generation. What is compressed
    /// is unpacked to look at it only where there is no text, since most of it is NVIDIA's machine code.
    fn image(&self, text: bool, device: Target, room: &Room) -> Result<Option<Cow<'a, [u8]>>, Refusal> {
        let runs = |entry: &&Entry<'_>| device.meets(entry.target) && device.sm / 10 == entry.target.sm / 10;
        let mut left: Vec<&Entry<'a>> = self.machine_code.iter().filter(runs).collect();
        left.retain(|entry| if entry.compressed() { !text } else { is_image(entry.payload) });
        while let Some(best) = newest(left.iter().copied()) {
            let image = best.bytes(room)?;
            if is_image(&image) {
                return Ok(Some(image));
            }
            left.retain(|entry| entry.target != best.target);
        }
        Ok(None)
    }
}

/// The entry that the device runs best: of those that it can run, the newest.
fn best<'a>(entries: &[Entry<'a>], device: Target) -> Option<Entry<'a>> {
    newest(entries.iter().filter(|entry| device.meets(entry.target)))
}

/// The newest entry; of several for one architecture, the most special.
fn newest<'a: 'b, 'b>(entries: impl Iterator<Item = &'b Entry<'a>>) -> Option<Entry<'a>> {
    let special = |suffix| match suffix {
        Suffix::Plain => 0,
        Suffix::Family => 1,
        Suffix::Arch => 2,
    };
    entries.max_by_key(|entry| (entry.target.sm, special(entry.target.suffix))).copied()
}

/// The first entry, and what follows it.
fn entry(bytes: &[u8]) -> Option<(Entry<'_>, &[u8])> {
    let header = usize::try_from(u32_at(bytes, 4)?).ok().filter(|&size| size >= ENTRY)?;
    let padded = usize::try_from(u64_at(bytes, 8)?).ok()?;
    let (payload, rest) = bytes.get(header..)?.split_at_checked(padded)?;
    let flags = u64_at(bytes, 40)?;
    let payload = match u32_at(bytes, 16)? {
        0 => payload,
        compressed => payload.get(..usize::try_from(compressed).ok()?)?,
    };
    let suffix = match flags {
        _ if flags & ARCHITECTURE != 0 => Suffix::Arch,
        _ if flags & FAMILY != 0 => Suffix::Family,
        _ => Suffix::Plain,
    };
    let target = Target { sm: u16::try_from(u32_at(bytes, 28)?).ok()?, suffix };
    Some((Entry { target, flags, size: u64_at(bytes, 56)?, payload }, rest))
}

impl<'a> Entry<'a> {
    fn compressed(&self) -> bool {
        self.flags & (ZSTD | LZ4) != 0
    }

    /// What it holds.
    fn bytes(&self, room: &Room) -> Result<Cow<'a, [u8]>, Refusal> {
        let bytes = match self.flags {
            flags if flags & ZSTD != 0 => compression::zstd(self.payload, self.size, room)?.into(),
            flags if flags & LZ4 != 0 => compression::lz4(self.payload, self.size, room)?.into(),
            _ => Cow::Borrowed(self.payload),
        };
        Ok(bytes)
    }
}

fn u16_at(bytes: &[u8], at: usize) -> Option<u16> {
    bytes.get(at..)?.first_chunk().map(|bytes| u16::from_le_bytes(*bytes))
}

fn u32_at(bytes: &[u8], at: usize) -> Option<u32> {
    bytes.get(at..)?.first_chunk().map(|bytes| u32::from_le_bytes(*bytes))
}

fn u64_at(bytes: &[u8], at: usize) -> Option<u64> {
    bytes.get(at..)?.first_chunk().map(|bytes| u64::from_le_bytes(*bytes))
}
