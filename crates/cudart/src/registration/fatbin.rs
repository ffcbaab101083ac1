//! A fatbin that a program has registered, and the library that the driver makes of it when it is first needed.
#![allow(unsafe_code)]

use std::sync::{Mutex, PoisonError};

use ptxvm_abi::{Host, In, Text};

use crate::driver::{
    cuLibraryLoadData, cuLibraryUnload, cuLinkAddData, cuLinkComplete, cuLinkCreate, cuLinkDestroy,
};
use crate::error::{Answer, CudaError};
use crate::layout::Library;

/// `__fatBinC_Wrapper_t`
#[repr(C)]
#[derive(Clone, Copy)]
struct Wrapper {
    magic: u32,
    version: u32,
    data: Host,
    /// Version 1: the name of a file. Version 2: fatbins that are to be linked with this one, and a null pointer.
    parts: In<Host>,
}

/// What a wrapper begins with.
const MAGIC: u32 = 0x4662_43b1;
/// The version of a program whose parts were compiled apart.
const LINKED: u32 = 2;
/// `CU_JIT_INPUT_FATBINARY`
const FATBINARY: u32 = 3;
/// No program has more parts; a list that has no end is none.
const MOST_PARTS: usize = 1 << 16;

/// The fatbin.
pub struct FatBinary {
    wrapper: Host,
    library: Mutex<Option<Answer<Library>>>,
}

impl FatBinary {
    pub const fn new(wrapper: Host) -> Self {
        Self { wrapper, library: Mutex::new(None) }
    }

    /// The library, loaded now if it was not.
    ///
    /// # Errors
    /// What the driver says against it, which it is not asked twice.
    pub fn library(&self) -> Answer<Library> {
        let mut library = self.library.lock().unwrap_or_else(PoisonError::into_inner);
        *library.get_or_insert_with(|| self.load())
    }

    /// Takes the library away again.
    pub fn unload(&self) {
        let mut library = self.library.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(Ok(library)) = library.take() {
            // At the end of a program the driver may be gone already, and the library with it.
            let _ = cuLibraryUnload(library);
        }
    }

    fn load(&self) -> Answer<Library> {
        // SAFETY: what a program registers is null or a wrapper, which stays where it is until it is taken back.
        let wrapper = unsafe { In::<Wrapper>::new(self.wrapper.0.cast()) }.get()?;
        if wrapper.magic != MAGIC {
            return Err(CudaError::INVALID_KERNEL_IMAGE);
        }
        if wrapper.version == LINKED && !wrapper.parts.is_null() {
            return linked(wrapper);
        }
        load(self.wrapper)
    }
}

/// The library of an image.
fn load(image: Host) -> Answer<Library> {
    let mut library = 0;
    let (none, no_values) = (In::<u32>::NULL, In::<Host>::NULL);
    cuLibraryLoadData(&mut library, image, none, no_values, 0, none, no_values, 0)?;
    Ok(library)
}

/// The library of a program whose parts were compiled apart: they are linked as text, since the machine code that NVIDIA's
/// linker made of them says nothing to us.
fn linked(wrapper: Wrapper) -> Answer<Library> {
    let (none, no_values) = (In::<u32>::NULL, In::<Host>::NULL);
    let mut link = 0u64;
    cuLinkCreate(0, none, no_values, &mut link)?;
    let image = add_parts(link, wrapper).and_then(|()| {
        let (mut image, mut size) = (Host::NULL, 0);
        cuLinkComplete(link, &mut image, &mut size)?;
        load(image)
    });
    let ended = cuLinkDestroy(link);
    let library = image?;
    ended.map(|()| library)
}

fn add_parts(link: u64, wrapper: Wrapper) -> Answer {
    let (none, no_values) = (In::<u32>::NULL, In::<Host>::NULL);
    for index in 0..MOST_PARTS {
        let part = wrapper.parts.at(index)?;
        if part.is_null() {
            return Ok(());
        }
        let size = length(part)?;
        cuLinkAddData(link, FATBINARY, part, size, Text::NULL, 0, none, no_values)?;
    }
    Err(CudaError::INVALID_KERNEL_IMAGE)
}

/// What a fatbin begins with, and the size of its header.
const FATBIN: u32 = 0xba55_ed50;

/// The size of a fatbin: its header says how long the header is, in 16 bits after magic and version, and how long what
/// follows.
fn length(fatbin: Host) -> Answer<usize> {
    #[repr(C)]
    #[derive(Clone, Copy)]
    struct Header {
        magic: u32,
        version: u16,
        header: u16,
        entries: u64,
    }
    // SAFETY: the list of a wrapper has fatbins, each with its header.
    let header = unsafe { In::<Header>::new(fatbin.0.cast()) }.get()?;
    let size = header.entries.checked_add(u64::from(header.header));
    match size.and_then(|size| usize::try_from(size).ok()) {
        Some(size) if header.magic == FATBIN => Ok(size),
        _ => Err(CudaError::INVALID_KERNEL_IMAGE),
    }
}
