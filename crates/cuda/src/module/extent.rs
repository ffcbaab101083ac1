//! Finds the length of an image, of which a program gives only the address, from its own header.
//!
//! Only this file reads such memory. It returns a slice; from there on, ordinary parsers read bytes that are not trusted.
#![allow(unsafe_code)]

use std::ffi::{CStr, c_char, c_void};

use ptxvm_image::{ELF, FATBIN, Refusal, fatbin_length};
use ptxvm_vm::image as container;

/// What a pointer to a fatbin, as programs register them, begins with (`__fatBinC_Wrapper_t`).
const WRAPPER: [u8; 4] = 0x4662_43b1u32.to_le_bytes();
/// Where the wrapper has the address of its fatbin.
const WRAPPED: usize = 8;
/// No image is larger; a header that says more is not believed.
const MOST: u64 = 1 << 32;

/// The bytes of an image at an address.
///
/// # Errors
/// The header contradicts itself.
///
/// # Safety
/// The memory must hold an image of a kind that the driver takes and whose header tells its size, or a text that
/// ends with a zero; and it must stay as it is while the slice is used.
pub unsafe fn bytes<'a>(image: *const c_void) -> Result<&'a [u8], Refusal> {
    let start = image.cast::<u8>();
    // SAFETY: as below, for a structure of two numbers and two pointers.
    if unsafe { begins_with(start, &WRAPPER) } {
        // SAFETY: a wrapper has this field, wherever it lies.
        let fatbin = unsafe { start.add(WRAPPED).cast::<*const u8>().read_unaligned() };
        // SAFETY: a wrapper's pointer is null or names a fatbin.
        if fatbin.is_null() || !unsafe { begins_with(fatbin, &FATBIN) } {
            return Err(Refusal::Fatbin("the wrapper does not point to a fatbin"));
        }
        // SAFETY: the same promise, one step further; a fatbin is no wrapper, so this ends here.
        return unsafe { bytes(fatbin.cast()) };
    }
    // SAFETY: bytes are compared one by one, and a difference ends it, so none after a short text's zero is read.
    let length = if unsafe { begins_with(start, &FATBIN) } {
        // SAFETY: what begins so has the whole header.
        fatbin_length(unsafe { &*start.cast() })
    // SAFETY: as above.
    } else if unsafe { begins_with(start, &container::MAGIC) } {
        // SAFETY: what begins so has the whole header.
        container::length(unsafe { &*start.cast() }).map_err(Refusal::Container)?
    // SAFETY: as above.
    } else if unsafe { begins_with(start, &ELF) } {
        // SAFETY: an ELF file has a header.
        let header = unsafe { &*start.cast() };
        // SAFETY: a file with such a header has sections, hence bytes after it, of which none is read after the first that
        // differs.
        let inside = unsafe { start.add(container::ELF_HEADER) };
        // SAFETY: as above.
        if container::may_be_image(header) && unsafe { begins_with(inside, &container::MAGIC) } {
            // SAFETY: what begins so has the whole header.
            let length = container::length(unsafe { &*inside.cast() }).map_err(Refusal::Container)?;
            length.saturating_add(container::ELF_HEADER as u64)
        } else {
            // Only the header is wanted, to say what it is: nothing in machine code can be loaded.
            container::ELF_HEADER as u64
        }
    } else {
        // SAFETY: all other images are texts.
        return Ok(unsafe { CStr::from_ptr(start.cast::<c_char>()) }.to_bytes());
    };
    match usize::try_from(length) {
        // SAFETY: the image is as long as its header says.
        Ok(count) if length <= MOST => Ok(unsafe { std::slice::from_raw_parts(start, count) }),
        _ => Err(Refusal::Fatbin("its header says that it is larger than any image")),
    }
}

/// # Safety
/// The memory can be read up to the first byte that differs from `magic`.
unsafe fn begins_with(start: *const u8, magic: &[u8]) -> bool {
    // SAFETY: `all` stops at the first difference.
    magic.iter().enumerate().all(|(at, byte)| unsafe { *start.add(at) } == *byte)
}
